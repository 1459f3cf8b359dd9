// SPDX-License-Identifier: MIT
#pragma once
// Rearranges the modes of a layout. Elements keep their offsets.
//
//   L = (2,(3,4),5):(60,(1,3),12)
//   select(L, {2,0})  (5,2):(12,60)                 take(L, 0, 2)   (2,(3,4)):(60,(1,3))
//   group(L, 1, 3)    (2,((3,4),5)):(60,((1,3),12)) flatten(L)      (2,3,4,5):(60,1,3,12)
//   append(L, 4)      (2,(3,4),5,1):(60,(1,3),12,0)
//   wrap(4:3)         (4):(3)                       wrap(L) is L
//
// Names and meaning: CuTe, include/cute/layout.hpp and algorithm/tuple_algorithms.hpp.

#include <concepts>
#include <initializer_list>

#include "vkmoye/layout/layout.hpp"

namespace vkmoye {

/// The two modes swapped: (i,j) of the result is (j,i) of the layout. Throws LayoutError unless rank is 2.
constexpr Layout transpose(const Layout& layout) {
  if (layout.is_leaf() || layout.rank() != 2)
    raise("transpose", {layout}, "it has {} modes, not 2", {layout.rank()});
  return make_layout(layout.mode(1), layout.mode(0));
}

/// The layout as a tuple of its modes: a bare 4:3 becomes (4):(3), a tuple stays. Wherever modes are
/// counted after a composition the argument must be one: composition(a, (4):(3)) has one mode, while
/// composition(a, 4:3) may have as many as 4:3 meets in `a`.
constexpr Layout wrap(const Layout& layout) {
  return layout.is_leaf() ? make_layout(layout) : layout;
}

namespace detail {
constexpr void check_range(const char* operation, const Layout& layout, int begin, int end) {
  if (begin < 0 || begin > end || end > layout.rank())
    raise(operation, {layout}, "modes {} to {} of {}", {begin, end, layout.rank()});
}
}  // namespace detail

/// Modes begin..end-1, as a tuple.
constexpr Layout take(const Layout& layout, int begin, int end) {
  detail::check_range("take", layout, begin, end);
  TreeBuilder<Mode> builder;
  builder.open(end - begin);
  for (int i = begin; i < end; ++i) builder.add(layout.tree(), layout.tree().mode_cursor(i));
  return Layout(builder.tree());
}

/// The named modes in this order, as a tuple.
constexpr Layout select(const Layout& layout, std::span<const int> modes) {
  TreeBuilder<Mode> builder;
  builder.open(static_cast<int>(modes.size()));
  for (int i : modes) {
    detail::check_range("select", layout, i, i + 1);
    builder.add(layout.tree(), layout.tree().mode_cursor(i));
  }
  return Layout(builder.tree());
}
constexpr Layout select(const Layout& layout, std::initializer_list<int> modes) {
  return select(layout, std::span<const int>(modes.begin(), modes.size()));
}

/// Modes begin..end-1 become one mode, a tuple of them. The function of the 1-D index stays.
constexpr Layout group(const Layout& layout, int begin, int end) {
  detail::check_range("group", layout, begin, end);
  TreeBuilder<Mode> builder;
  builder.open(layout.rank() - (end - begin) + 1);
  for (int i = 0; i < begin; ++i) builder.add(layout.mode(i).tree());
  builder.open(end - begin);
  for (int i = begin; i < end; ++i) builder.add(layout.mode(i).tree());
  for (int i = end; i < layout.rank(); ++i) builder.add(layout.mode(i).tree());
  return Layout(builder.tree());
}

/// Appends or prepends modes `filler` until there are `modes` of them; a layout of
/// that rank is returned as it is. Throws LayoutError if there are more already.
constexpr Layout append(const Layout& layout, int modes, const Layout& filler = {}) {
  if (modes < layout.rank())
    raise("append", {layout}, "{} modes are more than {}", {layout.rank(), modes});
  if (modes == layout.rank()) return layout;
  TreeBuilder<Mode> builder;
  builder.open(modes);
  for (int i = 0; i < layout.rank(); ++i) builder.add(layout.mode(i).tree());
  for (int i = layout.rank(); i < modes; ++i) builder.add(filler.tree());
  return Layout(builder.tree());
}
constexpr Layout prepend(const Layout& layout, int modes, const Layout& filler = {}) {
  if (modes < layout.rank())
    raise("prepend", {layout}, "{} modes are more than {}", {layout.rank(), modes});
  if (modes == layout.rank()) return layout;
  TreeBuilder<Mode> builder;
  builder.open(modes);
  for (int i = layout.rank(); i < modes; ++i) builder.add(filler.tree());
  for (int i = 0; i < layout.rank(); ++i) builder.add(layout.mode(i).tree());
  return Layout(builder.tree());
}

/// Mode i exchanged for `mode`. A leaf is replaced whole.
constexpr Layout replace(const Layout& layout, int i, const Layout& mode) {
  detail::check_range("replace", layout, i, i + 1);
  if (layout.is_leaf()) return mode;
  TreeBuilder<Mode> builder;
  builder.open(layout.rank());
  for (int k = 0; k < layout.rank(); ++k) builder.add(k == i ? mode.tree() : layout.mode(k).tree());
  return Layout(builder.tree());
}

namespace detail {
template <class Leaf>
constexpr Tree<Leaf> flatten(const Tree<Leaf>& tree) {
  if (tree.is_leaf()) return tree;
  TreeBuilder<Leaf> builder;
  builder.open(tree.leaf_count());
  for (const Leaf& leaf : tree.leaves()) builder.leaf(leaf);
  return builder.tree();
}
template <class Leaf, class Other>
constexpr Tree<Leaf> nest_like(const Tree<Leaf>& flat, const Tree<Other>& profile) {
  int i = 0;
  return profile.template map<Leaf>([&](const Other&) { return flat.leaf(i++); });
}
}  // namespace detail

/// All leaves side by side; a leaf stays a leaf. Postcondition: same offset at every 1-D index.
constexpr Layout flatten(const Layout& layout) { return Layout(detail::flatten(layout.tree())); }

/// The leaves nested like `profile`, whose numbers do not matter: the inverse of flatten.
/// Throws LayoutError unless it has as many leaves.
constexpr Layout unflatten(const Layout& layout, const IntTuple& profile) {
  if (layout.tree().leaf_count() != profile.leaf_count())
    raise("unflatten", {layout, profile}, "{} leaves cannot be nested as {}",
          {layout.tree().leaf_count(), profile.leaf_count()});
  return Layout(detail::nest_like(layout.tree(), profile));
}

}  // namespace vkmoye
