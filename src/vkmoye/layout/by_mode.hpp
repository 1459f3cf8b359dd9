// SPDX-License-Identifier: MIT
#pragma once
// Applies a by-mode tiler to the modes of a layout; shared by divisions and products. An operation
// gives `pair(mode, tile)`, a layout of two modes; these two functions arrange the results:
//
//   by_mode   ((a0,b0),(a1,b1))       logical_divide, logical_product
//   unzip     (a0,a1), (b0,b1)        zipped_divide, zipped_product and what regroups them

#include "vkmoye/layout/tiler.hpp"

namespace vkmoye {

/// Two layouts whose offsets add up.
struct Halves {
  Layout first;
  Layout second;
};

namespace detail {

constexpr void check_list(const Layout& a, const Tiler& list) {
  if (list.rank() > a.rank()) raise("", {}, "{} tilers for {} modes", {list.rank(), a.rank()});
}

/// Modes that the list does not reach, and modes under `_`, stay whole.
template <class Pair>
constexpr void by_mode(const Layout& a, const Tiler& tiler, Pair pair, TreeBuilder<Mode>& out) {
  if (tiler.is_null()) return out.add(a.tree());
  if (!tiler.is_list()) return out.add(pair(a, tiler.layout()).tree());
  check_list(a, tiler);
  out.open(a.rank());
  for (int i = 0; i < a.rank(); ++i) {
    if (i < tiler.rank()) {
      by_mode(a.mode(i), tiler.entry(i), pair, out);
    } else {
      out.add(a.mode(i).tree());
    }
  }
}

/// Modes that the list does not reach, and modes under `_`, belong to the second.
template <class Pair>
constexpr void unzip(const Layout& a, const Tiler& tiler, Pair pair, TreeBuilder<Mode>& first,
                     TreeBuilder<Mode>& second) {
  if (tiler.is_null()) {
    first.leaf({1, 0});
    return second.add(a.tree());
  }
  if (!tiler.is_list()) {
    const Layout both = pair(a, tiler.layout());
    first.add(both.tree(), both.tree().mode_cursor(0));
    return second.add(both.tree(), both.tree().mode_cursor(1));
  }
  check_list(a, tiler);
  first.open(tiler.rank());
  second.open(a.rank());
  for (int i = 0; i < a.rank(); ++i) {
    if (i < tiler.rank()) {
      unzip(a.mode(i), tiler.entry(i), pair, first, second);
    } else {
      second.add(a.mode(i).tree());
    }
  }
}

template <class Pair>
constexpr Layout by_mode(const Layout& a, const Tiler& tiler, Pair pair) {
  TreeBuilder<Mode> builder;
  by_mode(a, tiler, pair, builder);
  return Layout(builder.tree());
}

template <class Pair>
constexpr Halves unzip(const Layout& a, const Tiler& tiler, Pair pair) {
  TreeBuilder<Mode> first, second;
  unzip(a, tiler, pair, first, second);
  return {Layout(first.tree()), Layout(second.tree())};
}

/// (first modes.., second modes..), where a leaf is one mode.
constexpr Layout concat_modes(const Layout& first, const Layout& second) {
  TreeBuilder<Mode> builder;
  builder.open(first.rank() + second.rank());
  for (int i = 0; i < first.rank(); ++i) builder.add(first.tree(), first.tree().mode_cursor(i));
  for (int i = 0; i < second.rank(); ++i) builder.add(second.tree(), second.tree().mode_cursor(i));
  return Layout(builder.tree());
}

/// (first, second modes..).
constexpr Layout spread_second(const Halves& halves) {
  return concat_modes(make_layout(halves.first), halves.second);
}

}  // namespace detail
}  // namespace vkmoye
