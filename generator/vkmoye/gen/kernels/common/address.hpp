// SPDX-License-Identifier: MIT
#pragma once
// How the kernels that move elements reach their arrays: by descriptors, which a device ends at
// maxStorageBufferRange bytes and an index at 2^32 elements, or by the addresses of their buffers.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

class Builder;

enum class Address : std::uint8_t {
  automatic,  // by pointers where descriptors do not reach
  descriptor,
  pointer,
};

/// `asked`, decided for an array of so many elements of `type` and bindings of `most_bytes`. Of an array of
/// unknown size (0 elements) a descriptor is taken.
Address decided(Address asked, std::uint64_t elements, ScalarType type, std::uint64_t most_bytes);

/// From here on `k` declares its buffers so, and its first line says if it is by pointers: `items`.
void reach(Builder& k, Address address, std::vector<std::pair<std::string, std::string>>& items);

/// `fields` and "--address", for a config with a member `address`.
template <class Config>
std::vector<ConfigField<Config>> with_address(std::vector<ConfigField<Config>> fields) {
  fields.push_back(choice_field<Config, Address>(
      "address", "how arrays are reached; auto: by pointers where no descriptor reaches",
      {"auto", "descriptor", "pointer"}, &Config::address));
  return fields;
}

}  // namespace vkmoye::gen
