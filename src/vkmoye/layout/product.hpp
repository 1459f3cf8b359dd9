// SPDX-License-Identifier: MIT
#pragma once
// Repeat a layout.
//
//   A = (2,2):(1,2), B = (3,4):(4,1)      B says where the copies of A stand: 12 copies, row-major
//   logical_product   ((2,2),(3,4)):((1,2),(16,4))     (inside a copy, which copy)
//   blocked_product   ((2,3),(2,4)):((1,16),(2,4))     a matrix of blocks: mode i is (A_i, B_i)
//   raked_product     ((3,2),(4,2)):((16,1),(4,2))     interleaved: mode i is (B_i, A_i)
//
// Copies fill the gaps of A first, then follow it: copies 0 to 8 of 4:3 begin at 0 1 2 12 13 14
// 24 25 26, so that a mode of B may become several, and blocked_product(4:3, 9:1) is
// ((4,(3,3))):((3,(1,12))).
//
// CuTe: media/docs/cpp/cute/02_layout_algebra.md, "Product".

#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/by_mode.hpp"
#include "vkmoye/layout/complement.hpp"
#include "vkmoye/layout/composition.hpp"
#include "vkmoye/layout/divide.hpp"
#include "vkmoye/layout/modes.hpp"
#include "vkmoye/layout/ordered.hpp"

namespace vkmoye {

namespace detail {

/// Where copies of `a` may begin so that no two of them meet: at least `count` places.
constexpr Layout places_of_copies(const Layout& a, std::int64_t count) {
  const Layout places = complement(a, checked_mul(a.size(), count));
  if (places.size() >= count) return places;
  // A gap that is not a multiple of the span below it holds fewer copies, so the complement is taken
  // in a larger range, in which the last mode steps over all of `a`.
  return complement(a, checked_mul(checked_mul(a.cosize(), 2), count));
}

constexpr Layout multiply_by_layout(const Layout& a, const Layout& tile) {
  return make_layout(a, composition(places_of_copies(a, tile.cosize()), tile));
}

}  // namespace detail

/// Postcondition: mode 0 is a; mode 1 is R o tiler, one copy for each coordinate of the tiler, with R the
/// complement of `a` in size(a) * cosize(tiler), or in more where gaps are not a whole number of
/// copies. Copies of different offsets of the tiler are disjoint, and a greater offset begins
/// further on. By mode for a list; `_` keeps a mode.
/// Throws LayoutError if `a` overlaps itself, or if a composition does not exist; see complement, composition.
constexpr Layout logical_product(const Layout& a, const Tiler& tiler) try {
  return detail::by_mode(a, tiler, detail::multiply_by_layout);
} catch (const LayoutError& inner) {
  raise_from("logical_product", {a, tiler}, inner);
}

/// The two modes of zipped_product as separate layouts: first inside a copy, second which copy.
constexpr Halves copy_and_rest(const Layout& a, const Tiler& tiler) try {
  return detail::unzip(a, tiler, detail::multiply_by_layout);
} catch (const LayoutError& inner) {
  raise_from("zipped_product", {a, tiler}, inner);
}

/// Postcondition: ((all inside), (all which)), the function of logical_product for a layout as tiler.
constexpr Layout zipped_product(const Layout& a, const Tiler& tiler) {
  const Halves split = copy_and_rest(a, tiler);
  return make_layout(split.first, split.second);
}

/// Postcondition: (inside, which 0, which 1, ..), the function of zipped_product.
constexpr Layout tiled_product(const Layout& a, const Tiler& tiler) {
  return detail::spread_second(copy_and_rest(a, tiler));
}

/// Postcondition: (inside 0, inside 1, .., which 0, which 1, ..), the function of zipped_product.
constexpr Layout flat_product(const Layout& a, const Tiler& tiler) {
  const Halves split = copy_and_rest(a, tiler);
  return detail::concat_modes(split.first, split.second);
}

namespace detail {
/// Mode i is (block_i, which_i), or (which_i, block_i).
enum class First { block, which };

constexpr Layout product_by_rank(const Layout& block, const Layout& tiler, First first) {
  const int rank = block.rank() > tiler.rank() ? block.rank() : tiler.rank();
  const Layout both = multiply_by_layout(wrap(append(block, rank)), wrap(append(tiler, rank)));
  const Layout inside = both.mode(0), which = both.mode(1);
  TreeBuilder<Mode> builder;
  builder.open(rank);
  for (int i = 0; i < rank; ++i) {
    builder.open(2);
    builder.add((first == First::block ? inside : which).mode(i).tree());
    builder.add((first == First::block ? which : inside).mode(i).tree());
  }
  return Layout(builder.tree());
}
}  // namespace detail

/// The blocks stand side by side as the tiler says.
/// Postcondition: the rank is the greater of the two (the other is filled up with 1:0), the size the product
/// of both; mode i is (block_i, which_i). With x_i = b_i + size(block_i) * w_i for every mode,
/// result(x) is block(b) plus the place of copy tiler(w) in logical_product(block, tiler).
constexpr Layout blocked_product(const Layout& block, const Layout& tiler) try {
  return detail::product_by_rank(block, tiler, detail::First::block);
} catch (const LayoutError& inner) {
  raise_from("blocked_product", {block, tiler}, inner);
}

/// The blocks are interleaved, element j of all blocks side by side.
/// Postcondition: as blocked_product with mode i = (which_i, block_i) and x_i = w_i + size(tiler_i) * b_i.
constexpr Layout raked_product(const Layout& block, const Layout& tiler) try {
  return detail::product_by_rank(block, tiler, detail::First::which);
} catch (const LayoutError& inner) {
  raise_from("raked_product", {block, tiler}, inner);
}

/// `block` repeated until it fills `shape`; the copies are laid out in `order` (mode with the
/// smallest number first), column-major if left out. tile_to_shape((2,2):(2,1), (4,6)) is
/// (4,(2,3)):(2,(1,8)).
/// Postcondition: the rank is that of the shape, size of mode i that of shape_i; the function is that of
/// blocked_product(block, make_ordered_layout(copies along each mode, order)). Throws LayoutError unless
/// each mode of the block divides its mode of the shape, whose rank is at least the block's.
constexpr Layout tile_to_shape(const Layout& block, const IntTuple& shape,
                               const IntTuple& order) try {
  const Layout padded = wrap(append(block, shape.rank()));
  TreeBuilder<std::int64_t> copies, ones;
  copies.open(shape.rank());
  ones.open(shape.rank());
  for (int i = 0; i < shape.rank(); ++i) {
    const std::int64_t wanted = size(shape.mode(i)), inside = size(padded, i);
    if (wanted % inside != 0)
      raise("by mode", {}, "extent {} of mode {} is not a multiple of the block's {}",
            {wanted, i, inside});
    copies.leaf(wanted / inside);
    ones.leaf(1);
  }
  return coalesce(blocked_product(padded, make_ordered_layout(copies.tree(), order)), ones.tree());
} catch (const LayoutError& inner) {
  raise_from("tile_to_shape", {block, shape}, inner);
}
constexpr Layout tile_to_shape(const Layout& block, const IntTuple& shape) {
  std::int64_t next = 0;
  const IntTuple order =
      product_each(shape).map<std::int64_t>([&](std::int64_t) { return next++; });
  return tile_to_shape(block, shape, order);
}

}  // namespace vkmoye
