// SPDX-License-Identifier: MIT
#pragma once
// How the kernels that move elements reach their arrays: by descriptors, which are limited to
// maxStorageBufferRange bytes and 2^32 elements, or by the addresses of their buffers.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

class Builder;

/// How a kernel reaches its arrays, as its option `--address` says.
enum class AddressChoice : std::uint8_t {
  automatic,  // pointers for arrays too large for descriptors
  descriptor,
  pointer,
};

/// `requested`, with `automatic` resolved for an array of `elements` elements of `type` on a device whose
/// bindings have at most `max_bytes`. An array of unknown size (0 elements) gets a descriptor.
AddressChoice chosen_addressing(AddressChoice requested, std::uint64_t elements, ScalarType type,
                                std::uint64_t max_bytes);

/// Makes `k` declare its buffers with `address` from here on. For pointers, adds an item to `items`, the
/// config in the first line of the text.
void use_addressing(Builder& k, AddressChoice address,
                    std::vector<std::pair<std::string, std::string>>& items);

/// `fields` and "--address", for a config with a member `address`.
template <class Config>
std::vector<ConfigField<Config>> with_address_field(std::vector<ConfigField<Config>> fields) {
  fields.push_back(choice_field<Config, AddressChoice>(
      "address", "how arrays are reached; auto: pointers for arrays too large for descriptors",
      {"auto", "descriptor", "pointer"}, &Config::address));
  return fields;
}

}  // namespace vkmoye::gen
