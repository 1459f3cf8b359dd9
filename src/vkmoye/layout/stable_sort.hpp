// SPDX-License-Identifier: MIT
#pragma once
// Sorts the few leaves of a layout, also in constant expressions, where std::stable_sort is not available.

namespace vkmoye::detail {

/// Sorts `items` by rising key(item); items of equal key keep their order.
template <class Item, class Key>
constexpr void stable_sort(Item* items, int count, Key key) {
  for (int i = 1; i < count; ++i) {
    const Item item = items[i];
    int place = i;
    for (; place > 0 && key(items[place - 1]) > key(item); --place) {
      items[place] = items[place - 1];
    }
    items[place] = item;
  }
}

}  // namespace vkmoye::detail
