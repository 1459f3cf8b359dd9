// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/addressing.hpp"

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

AddressChoice chosen_addressing(AddressChoice requested, std::uint64_t elements, ScalarType type,
                                std::uint64_t max_bytes) {
  if (requested != AddressChoice::automatic) return requested;
  const bool fits = elements <= ir::kUnbounded && elements <= max_bytes / size_of(type);
  return fits ? AddressChoice::descriptor : AddressChoice::pointer;
}

void use_addressing(Builder& k, AddressChoice address,
                    std::vector<std::pair<std::string, std::string>>& items) {
  if (address != AddressChoice::pointer) return;
  k.use_addressing(Addressing::pointer);
  items.emplace_back("address", "pointer");
}

}  // namespace vkmoye::gen
