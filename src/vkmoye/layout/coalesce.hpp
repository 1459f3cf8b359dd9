// SPDX-License-Identifier: MIT
#pragma once
// Writes a layout with fewer modes: coalesce gives the same function, filter keeps only the distinct offsets.
//
//   coalesce (2,(1,6)):(1,(6,2))  =  12:1           extents of 1 are removed, 6:2 is merged
//   coalesce (2,4):(1,4)          =  (2,4):(1,4)    stride 4 does not continue 2:1
//   filter   (2,4):(0,1)          =  4:1            stride 0 goes too: only distinct offsets remain

#include <cstdint>

#include "vkmoye/layout/tiler.hpp"

namespace vkmoye {

/// A layout without nesting, for intermediate results: no checks, no copies.
struct FlatModes {
  Mode modes[kMaxLeaves];
  int count = 0;

  /// Adds a mode at the end. Throws LayoutError if there are kMaxLeaves already.
  constexpr void push(const Mode& mode) {
    if (count == kMaxLeaves) raise("layout", {}, "it would have more than {} leaves", {kMaxLeaves});
    modes[count++] = mode;
  }
  constexpr const Mode* begin() const { return modes; }
  constexpr const Mode* end() const { return modes + count; }

  /// 1:0 for no modes, a leaf for one, else a tuple.
  constexpr void add_to(TreeBuilder<Mode>& builder) const {
    if (count == 0) return builder.leaf(Mode{1, 0});
    if (count > 1) builder.open(count);
    for (const Mode& mode : *this) builder.leaf(mode);
  }
  constexpr Layout layout() const {
    TreeBuilder<Mode> builder;
    add_to(builder);
    return Layout(builder.tree());
  }
};

/// Whether coalesced_modes drops a last leaf of extent 1. Indices past the end continue along the stride of a kept one.
enum class LastLeaf { dropped, kept };

/// The modes of `layout` joined where one continues the other, without modes of extent 1. With LastLeaf::kept, the
/// result has at least one mode: 1:0 if the layout has no leaves.
constexpr FlatModes coalesced_modes(const Layout& layout, LastLeaf last_leaf = LastLeaf::dropped) {
  FlatModes result;
  const auto leaves = layout.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Mode& mode = leaves[i];
    if (mode.extent == 1 && !(last_leaf == LastLeaf::kept && i + 1 == leaves.size())) continue;
    if (result.count > 0) {
      Mode& last = result.modes[result.count - 1];
      if (product_equals(last.extent, last.stride, mode.stride)) {
        last.extent *= mode.extent;
        continue;
      }
    }
    result.push(mode);
  }
  if (last_leaf == LastLeaf::kept && result.count == 0) result.push({1, 0});
  return result;
}

/// Postcondition: the same size and the same offset at every 1-D index, depth <= 1, no mode of extent 1
/// (1:0 if nothing else is left), and no mode that continues the one before it.
/// CuTe, MoYe.jl: coalesce.
constexpr Layout coalesce(const Layout& layout) { return coalesced_modes(layout).layout(); }

namespace detail {
constexpr void coalesce_by(const Layout& layout, const IntTuple& profile, Cursor at,
                           TreeBuilder<Mode>& out, const Layout& whole, const IntTuple& all) {
  if (profile.is_leaf(at)) return coalesced_modes(layout).add_to(out);
  const int modes = profile.rank(at);
  if (modes > layout.rank())
    raise("coalesce", {whole, all}, "the profile has {} modes where the layout has {}",
          {modes, layout.rank()});
  out.open(layout.rank());
  at = profile.first(at);
  for (int i = 0; i < layout.rank(); ++i) {
    if (i >= modes) {
      out.add(layout.mode(i).tree());
      continue;
    }
    coalesce_by(layout.mode(i), profile, at, out, whole, all);
    at = profile.next(at);
  }
}
}  // namespace detail

/// Coalesces each mode that `profile` has a leaf for, so that the result keeps that nesting:
/// coalesce((2,(1,6)):(1,(6,2)), (1,1)) is (2,6):(1,2). Modes past the profile stay as they are.
/// Postcondition: same offset at every 1-D index; rank kept. Throws LayoutError if the profile has more modes.
constexpr Layout coalesce(const Layout& layout, const IntTuple& profile) {
  TreeBuilder<Mode> builder;
  detail::coalesce_by(layout, profile, {}, builder, layout, profile);
  return Layout(builder.tree());
}

/// Postcondition: as `layout`, but every leaf of stride 0 has extent 1. CuTe: filter_zeros.
constexpr Layout filter_zeros(const Layout& layout) {
  return Layout(layout.tree().map<Mode>([](const Mode& mode) {
    return mode.stride == 0 ? Mode{1, 0} : mode;
  }));
}

/// Postcondition: the offsets of `layout` without the repetitions that stride 0 makes, coalesced; size is
/// the product of the extents whose stride is not 0. CuTe: filter.
constexpr Layout filter(const Layout& layout) { return coalesce(filter_zeros(layout)); }

}  // namespace vkmoye
