// SPDX-License-Identifier: MIT
#pragma once
// What a layout is divided by, composed with or multiplied by:
//
//   8                  every run of 8, the same as the layout 8:1
//   (2,4):(4,1)        the elements at these offsets of the operand's 1-D index
//   [4, 8]             by mode: mode 0 by 4, mode 1 by 8
//   [4, _]             mode 1 is left as it is
//   [(2,2):(1,4), [2, 8]]   lists nest like the operand
//
// In C++ a shape converts to the by-mode list of its extents and braces make a list:
// zipped_divide(a, {4, 8}) tiles both modes, zipped_divide(a, 4) the 1-D index.
//
// CuTe: "Tiler" (media/docs/cpp/cute/02_layout_algebra.md), where a tuple is a list.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "vkmoye/layout/layout.hpp"

namespace vkmoye {

class Tiler {
 public:
  /// n:1; or, for `_`, the mode as it is.
  constexpr Tiler(std::int64_t extent) : modes_(Mode{extent, extent == _ ? 0 : 1}) {
    if (extent != _ && extent < 1) raise("tiler", {extent}, "extent {} is below 1", {extent});
  }
  /// Every run of `extent` elements, the same as the layout extent:1.
  constexpr Tiler(std::integral auto extent) : Tiler(static_cast<std::int64_t>(extent)) {}

  /// The elements at the offsets of `layout`.
  constexpr Tiler(const Layout& layout) : modes_(layout.tree()) {}

  /// Divides by mode: (4,8) is [4, 8], ((2,4),8) is [[2, 4], 8], and the leaf 4 is 4.
  constexpr Tiler(const IntTuple& shape) {
    for (std::int64_t extent : shape.leaves())
      if (extent != _ && extent < 1) raise("tiler", {shape}, "extent {} is below 1", {extent});
    modes_ = shape.map<Mode>([](std::int64_t extent) { return Mode{extent, extent == _ ? 0 : 1}; });
    for (Cursor at; at.node < modes_.next({}).node; ++at.node)
      if (!modes_.is_leaf(at)) lists_ |= std::uint64_t{1} << at.node;
  }

  /// Divides mode i by entry i.
  constexpr Tiler(std::initializer_list<Tiler> entries)
      : Tiler(std::span<const Tiler>(entries.begin(), entries.size())) {}
  constexpr explicit Tiler(std::span<const Tiler> entries) : lists_(1) {
    TreeBuilder<Mode> builder;
    builder.open(static_cast<int>(entries.size()));
    int place = 1;
    for (const Tiler& entry : entries) {
      builder.add(entry.modes_);
      lists_ |= entry.lists_ << place;
      place += entry.modes_.next({}).node;
    }
    modes_ = builder.tree();
  }

  constexpr bool is_list() const { return (lists_ & 1) != 0; }
  constexpr bool is_null() const { return modes_.is_leaf() && modes_.leaf(0).extent == _; }

  /// The number of entries; 1 if it is not a list.
  constexpr int rank() const { return is_list() ? modes_.rank() : 1; }

  /// Entry i of a list.
  constexpr Tiler entry(int i) const {
    const Cursor at = modes_.mode_cursor(i);
    Tiler result(1);
    result.modes_ = modes_.subtree(at);
    result.lists_ = lists_ >> at.node;
    const int nodes = modes_.next(at).node - at.node;
    if (nodes < kMaxNodes) result.lists_ &= (std::uint64_t{1} << nodes) - 1;
    return result;
  }

  /// Precondition: neither a list nor null.
  constexpr Layout layout() const { return Layout(modes_); }

  constexpr bool operator==(const Tiler&) const = default;

 private:
  Tree<Mode> modes_;
  std::uint64_t lists_ = 0;  // bit n: node n is a list, not a mode of a layout
};

/// Prints the form above: [4, _].
std::string to_string(const Tiler& tiler);

}  // namespace vkmoye
