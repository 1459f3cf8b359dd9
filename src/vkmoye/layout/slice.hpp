// SPDX-License-Identifier: MIT
#pragma once
// Fix some coordinates, keep the others.
//
//   L = (4,8):(1,4)
//   slice((_,3), L) = (4):(1)                     the rows of column 3 ...
//   slice_and_offset((_,3), L) = (4):(1), 12      ... and where they start
//   dice((1,_), L) = (4):(1)                      the modes at numbers instead, `_` dropped
//
// `_` marks the modes that slice keeps and dice drops. A kept mode stays whole, however
// nested; the levels above it are flattened: (_,(1,_)) of (3,(4,5)) leaves (3,5).
//
// CuTe: slice, dice, slice_and_offset (include/cute/layout.hpp, int_tuple.hpp).

#include <cstdint>
#include <string>

#include "vkmoye/layout/layout.hpp"

namespace vkmoye {

/// A layout and where its element 0 is: element i is at offset + layout(i).
struct OffsetLayout {
  Layout layout;
  std::int64_t offset = 0;

  /// The offset of `coordinate`, counted from where the whole layout begins.
  constexpr std::int64_t operator()(const IntTuple& coordinate) const {
    return checked_add(offset, layout(coordinate));
  }
  constexpr bool operator==(const OffsetLayout&) const = default;
};

/// 12 + (4):(1).
std::string to_string(const OffsetLayout& layout);

namespace detail {

/// Where the coordinate has `_`, or where it has a number.
enum class Kept { blanks, numbers };

/// Keeps these subtrees of `layout`, checking the nesting. Returns how many.
constexpr int keep(const char* operation, const IntTuple& coordinate, Cursor& theirs,
                   const Layout& layout, Cursor& mine, Kept which, TreeBuilder<Mode>& out) {
  const Tree<Mode>& tree = layout.tree();
  if (coordinate.is_leaf(theirs)) {
    const bool kept = (coordinate.leaf(theirs.leaf) != _) == (which == Kept::numbers);
    if (kept) out.add(tree, mine);
    theirs = coordinate.next(theirs);
    mine = tree.next(mine);
    return kept ? 1 : 0;
  }
  const int modes = coordinate.rank(theirs);
  if (tree.is_leaf(mine))
    raise(operation, {coordinate, layout}, "the coordinate is nested deeper than the layout");
  if (tree.rank(mine) != modes)
    raise(operation, {coordinate, layout}, "the coordinate has {} modes where the layout has {}",
          {modes, tree.rank(mine)});
  theirs = coordinate.first(theirs);
  mine = tree.first(mine);
  int count = 0;
  for (int i = 0; i < modes; ++i)
    count += keep(operation, coordinate, theirs, layout, mine, which, out);
  return count;
}

constexpr Layout keep(const char* operation, const IntTuple& coordinate, const Layout& layout,
                      Kept which) {
  Cursor theirs, mine;
  TreeBuilder<Mode> builder;
  if (coordinate.is_leaf()) {
    const bool kept = (coordinate.leaf(0) != _) == (which == Kept::numbers);
    return kept ? layout : Layout(Tree<Mode>());
  }
  const int place = builder.open(0);
  builder.set_rank(place, keep(operation, coordinate, theirs, layout, mine, which, builder));
  return Layout(builder.tree());
}

}  // namespace detail

/// The modes at `_`, as a tuple (():() if there is none); for the coordinate `_`, all of `layout`.
/// Throws LayoutError if the coordinate is nested deeper than the layout or has other ranks.
constexpr Layout slice(const IntTuple& coordinate, const Layout& layout) {
  return detail::keep("slice", coordinate, layout, detail::Kept::blanks);
}

/// The modes at numbers. Postcondition: dice keeps exactly the modes that slice drops.
constexpr Layout dice(const IntTuple& coordinate, const Layout& layout) {
  return detail::keep("dice", coordinate, layout, detail::Kept::numbers);
}

/// Postcondition: result.layout == slice(coordinate, layout), result.offset is layout's offset at the
/// coordinate with 0 for every `_`: result(i) is layout at the coordinate with i put in for `_`.
constexpr OffsetLayout slice_and_offset(const IntTuple& coordinate, const Layout& layout) {
  const IntTuple start = coordinate.map<std::int64_t>(
      [](std::int64_t index) { return index == _ ? std::int64_t{0} : index; });
  return {slice(coordinate, layout), layout(start)};
}

/// The layout seen from `coordinate` on: same modes, offset moved. Postcondition: result(c) is the layout at
/// coordinate + c, where that is inside. CuTe: domain_offset.
constexpr OffsetLayout domain_offset(const IntTuple& coordinate, const Layout& layout) {
  return {layout, layout(coordinate)};
}

}  // namespace vkmoye
