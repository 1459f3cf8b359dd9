// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/address.hpp"

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

Address decided(Address asked, std::uint64_t elements, ScalarType type, std::uint64_t most_bytes) {
  if (asked != Address::automatic) return asked;
  const bool reaches = elements <= ir::kUnbounded && elements <= most_bytes / size_of(type);
  return reaches ? Address::descriptor : Address::pointer;
}

void reach(Builder& k, Address address, std::vector<std::pair<std::string, std::string>>& items) {
  if (address != Address::pointer) return;
  k.reach(Reach::pointer);
  items.emplace_back("address", "pointer");
}

}  // namespace vkmoye::gen
