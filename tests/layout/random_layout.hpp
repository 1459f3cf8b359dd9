// SPDX-License-Identifier: MIT
#pragma once
// Random layouts for property tests: nested, with extents of 1, strides of 0, padding, and extents that are not powers
// of two; small enough to be checked at every coordinate. A failing one is shrunk to few leaves, small numbers and no
// nesting.

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <vector>

#include "vkmoye/layout/algebra.hpp"

namespace vkmoye {

// For rapidcheck's reports.
inline void showValue(const Layout& layout, std::ostream& out) { out << to_string(layout); }
inline void showValue(const IntTuple& tuple, std::ostream& out) { out << to_string(tuple); }
inline void showValue(const Tiler& tiler, std::ostream& out) { out << to_string(tiler); }

namespace random_layout {

/// A uniform integer in begin..end-1; rapidcheck's own range prefers small ones.
template <class Integer>
rc::Gen<Integer> uniform(Integer begin, Integer end) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(begin, end));
}

struct Leaf {
  int extent;
  int order;  // strides are assigned to the leaves in increasing order,
  int gap;    // times this: 1 is compact, more is padded,
  int odd;    // plus this, so that a gap need not be a multiple of the lower modes
  int zero;   // 1: stride 0
};

/// Nests leaves first..last-1 according to the digits of `code`; 0 is one flat tuple.
inline void nest(const std::vector<Mode>& leaves, std::size_t first, std::size_t last, int& code,
                 TreeBuilder<Mode>& out) {
  const auto digit = [&](int base) {
    const int value = code % base;
    code /= base;
    return value;
  };
  const std::size_t count = last - first;
  if (count == 1) {
    if (digit(3) == 1) out.open(1);
    return out.leaf(leaves[first]);
  }
  if (digit(2) == 0) {
    out.open(static_cast<int>(count));
    for (std::size_t i = first; i < last; ++i) out.leaf(leaves[i]);
    return;
  }
  const std::size_t split =
      first + 1 + static_cast<std::size_t>(digit(static_cast<int>(count) - 1));
  out.open(2);
  nest(leaves, first, split, code, out);
  nest(leaves, split, last, code, out);
}

inline Layout nested(const std::vector<Mode>& leaves, int code) {
  TreeBuilder<Mode> builder;
  if (leaves.size() == 1 && code % 2 == 0) return Layout(Tree<Mode>(leaves[0]));
  nest(leaves, 0, leaves.size(), code, builder);
  return Layout(builder.tree());
}

/// The kinds of strides.
struct Strides {
  bool gaps = false;
  bool odd_gaps = false;
  bool zeros = false;
};

inline rc::Gen<Leaf> leaf(int max_modes, Strides strides) {
  const auto seldom = [](bool wanted, int value) {
    return wanted ? rc::gen::weightedElement<int>({{7, 0}, {1, value}}) : rc::gen::just(0);
  };
  return rc::gen::construct<Leaf>(
      uniform(1, max_modes + 1), uniform(0, 8),
      strides.gaps ? rc::gen::weightedElement<int>({{5, 1}, {2, 2}, {1, 3}}) : rc::gen::just(1),
      seldom(strides.odd_gaps, 1), seldom(strides.zeros, 1));
}

inline rc::Gen<std::vector<Leaf>> leaves(int max_modes, Strides strides) {
  return rc::gen::mapcat(uniform<std::size_t>(1, 6), [=](std::size_t count) {
    return rc::gen::container<std::vector<Leaf>>(count, leaf(max_modes, strides));
  });
}

inline std::vector<Mode> with_strides(const std::vector<Leaf>& from) {
  std::vector<std::size_t> order(from.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return from[a].order < from[b].order; });
  std::vector<Mode> modes(from.size());
  std::int64_t stride = 1;
  for (std::size_t i : order) {
    const Leaf& leaf = from[i];
    if (leaf.zero) {
      modes[i] = {leaf.extent, 0};
      continue;
    }
    stride = stride * leaf.gap + leaf.odd;
    modes[i] = {leaf.extent, stride};
    stride *= leaf.extent;
  }
  return modes;
}

/// Any layout: ordered strides with gaps, or (one in three) strides at random.
inline rc::Gen<Layout> any(int max_modes = 6) {
  return rc::gen::map(
      rc::gen::tuple(leaves(max_modes, {.gaps = true, .zeros = true}), uniform(0, 600),
                     uniform(0, 3), rc::gen::container<std::vector<int>>(5, uniform(0, 20))),
      [](const std::tuple<std::vector<Leaf>, int, int, std::vector<int>>& parts) {
        std::vector<Mode> modes = with_strides(std::get<0>(parts));
        if (std::get<2>(parts) == 2)
          for (std::size_t i = 0; i < modes.size(); ++i) modes[i].stride = std::get<3>(parts)[i];
        return nested(modes, std::get<1>(parts));
      });
}

inline rc::Gen<Layout> by_order(int max_modes, Strides strides) {
  return rc::gen::map(rc::gen::pair(leaves(max_modes, strides), uniform(0, 600)),
                      [](const std::pair<std::vector<Leaf>, int>& parts) {
                        return nested(with_strides(parts.first), parts.second);
                      });
}

/// Ordered strides with gaps and no stride 0: injective, and its complement fills every gap.
inline rc::Gen<Layout> ordered(int max_modes = 6) { return by_order(max_modes, {.gaps = true}); }

/// Without gaps: a permutation of 0..size-1.
inline rc::Gen<Layout> compact(int max_modes = 6) { return by_order(max_modes, {}); }

/// n:d, one mode without a tuple around it, mostly with gaps.
inline rc::Gen<Layout> bare(int max_modes = 12) {
  return rc::gen::map(
      rc::gen::pair(uniform(1, max_modes + 1), uniform(1, 5)),
      [](const std::pair<int, int>& leaf) { return Layout(leaf.first, leaf.second); });
}

/// A block to repeat and the tiler that repeats it: ordered strides with gaps of any width, and in half of the cases a
/// mode without a tuple.
inline rc::Gen<Layout> block(int max_modes = 4) {
  return rc::gen::oneOf(bare(2 * max_modes), by_order(max_modes, {.gaps = true, .odd_gaps = true}));
}

}  // namespace random_layout
}  // namespace vkmoye
