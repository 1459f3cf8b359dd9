// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/address.hpp"

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

Address chosen_address(Address requested, std::uint64_t elements, ScalarType type,
                       std::uint64_t max_bytes) {
  if (requested != Address::automatic) return requested;
  const bool fits = elements <= ir::kUnbounded && elements <= max_bytes / size_of(type);
  return fits ? Address::descriptor : Address::pointer;
}

void reach(Builder& k, Address address, std::vector<std::pair<std::string, std::string>>& items) {
  if (address != Address::pointer) return;
  k.reach(Reach::pointer);
  items.emplace_back("address", "pointer");
}

}  // namespace vkmoye::gen
