#pragma once
// Orders in which GPUs hold the fragments of their matrices, of 16x16 elements of f16 in 32 lanes, for
// tests on machines that have no such GPU to ask.

#include <cstdint>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::test {

/// (row, k) -> place of A 16x16 f16 on an H200, as it was found there.
inline const Layout kOnAnH200 = Layout({{8, 2}, {2, 4, 2}}, {{32, 4}, {1, 8, 2}});

/// On RDNA4 a lane holds 8 neighbours of a row: what a plain array has side by side.
inline const Layout kOnRdna4 = Layout({16, {8, 2}}, {8, {1, 128}});

/// Element (row, k) has the place layout(row, k); of B the rows are its columns.
inline FragmentOrder order_of(const Layout& layout, char use) {
  FragmentOrder order{use, "f16", 16, 16, 32};
  for (std::int64_t second = 0; second < 16; ++second) {
    for (std::int64_t first = 0; first < 16; ++first) {
      const std::int64_t row = use == 'a' ? first : second, k = use == 'a' ? second : first;
      order.places.push_back(static_cast<std::uint32_t>(layout(row + 16 * k)));
    }
  }
  return order;
}

}  // namespace vkmoye::test
