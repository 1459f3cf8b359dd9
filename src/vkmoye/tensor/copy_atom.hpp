// SPDX-License-Identifier: MIT
#pragma once
// One access of a tiled copy, and the part of a tensor that one thread copies.
//
//   copy = make_tiled_copy(universal_copy(4, 4), (2,3):(3,1), (2,3):(1,2))     tiles of (4,9)
//   mine = get_slice(copy, 1)
//   partition_S(mine, (4,9):(1,4))    ((1,(2,3)),1,1):((1,(1,4)),0,0) from 12 on:
//        12 13 16 17 20 21            (CPY, CPY_M, CPY_N), CPY = (one access, accesses)
//   with universal_copy(8, 4)         ((2,3),1,1):((1,4),0,0): three accesses of two elements
//
// Universal copies have 1 to 16 bytes, and split source and destination in the same way. How wide the
// accesses of two layouts may be is proven by `widest_copy`. Accesses of one element are always
// valid; use them if the sizes are not known until run time.
//
// MoYe.jl: CopyAtom, UniversalCopy, get_slice, partition_S, partition_D, retile (manual, TiledCopy).
// CuTe: Copy_Atom, ThrCopy (include/cute/atom/copy_atom.hpp).

#include <bit>
#include <cstdint>
#include <numeric>

#include "vkmoye/layout/analysis.hpp"
#include "vkmoye/layout/modes.hpp"
#include "vkmoye/tensor/access_width.hpp"
#include "vkmoye/tensor/partition.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye {

/// Moves `bytes` at once; elements have `element_bytes`.
struct CopyAtom {
  std::int64_t bytes = 1;
  std::int64_t element_bytes = 1;

  constexpr std::int64_t elements() const { return bytes / element_bytes; }
  constexpr bool operator==(const CopyAtom&) const = default;
};

/// Throws LayoutError unless `bytes` is a power of two up to 16 and a whole number of elements.
constexpr CopyAtom universal_copy(std::int64_t bytes, std::int64_t element_bytes) {
  if (bytes < 1 || bytes > kWidestCopy || !std::has_single_bit(static_cast<std::uint64_t>(bytes)))
    raise("universal_copy", {bytes, element_bytes}, "{} bytes: not a power of two up to {}",
          {bytes, kWidestCopy});
  if (element_bytes < 1 || bytes % element_bytes != 0)
    raise("universal_copy", {bytes, element_bytes},
          "{} bytes: not a multiple of the element size {}", {bytes, element_bytes});
  return {bytes, element_bytes};
}

/// The copy make_tiled_copy(threads, values), with accesses of `atom`: each run of atom.elements()
/// values of a thread is one access. Throws LayoutError if these runs do not divide the values.
constexpr TiledCopy make_tiled_copy(const CopyAtom& atom, const Layout& threads,
                                    const Layout& values) {
  TiledCopy copy = make_tiled_copy(threads, values);
  if (values.size() % atom.elements() != 0)
    raise("make_tiled_copy", {threads, values}, "accesses of {} elements do not divide {} values",
          {atom.elements(), values.size()});
  copy.atom_elements = atom.elements();
  return copy;
}

/// A tiled copy as one thread sees it.
struct ThreadCopy {
  TiledCopy copy;
  std::int64_t thread = 0;
};

/// Throws LayoutError unless the copy has a thread of that number.
constexpr ThreadCopy get_slice(const TiledCopy& copy, std::int64_t thread) {
  const std::int64_t threads = size(copy.layout_tv, 0);
  if (thread < 0 || thread >= threads)
    raise("get_slice", {copy.layout_tv, thread}, "the copy has {} threads", {threads});
  return {copy, thread};
}

/// A register tensor (values, tiles..) seen as (CPY, tiles..) by a copy of another width, with
/// CPY = (one access, accesses). Throws LayoutError if an access does not divide the values.
constexpr Layout retile(const TiledCopy& copy, const Layout& fragment) {
  const Halves accesses = tile_and_rest(fragment.mode(0), Tiler(copy.atom_elements));
  const Layout values = make_layout(make_layout(accesses.first, accesses.second));
  return fragment.rank() == 1 ? values
                              : detail::concat_modes(values, take(fragment, 1, fragment.rank()));
}

namespace detail {

/// (thread, (values, tiles..)) -> offset in `tensor`.
constexpr Split tiles_by_thread(const TiledCopy& copy, const Layout& tensor) {
  const Split tiles = tile_split(tensor, copy.tiler);
  if (!product_equals(tiles.kept.size(), tiles.chosen.size(), tensor.size()))
    raise("partition", {tensor, copy.tiler}, "the tile does not divide the tensor");
  const Layout owned = composition(tiles.kept, copy.layout_tv);  // (thread, value)
  return {detail::concat_modes(make_layout(owned.mode(1)), tiles.chosen), owned.mode(0)};
}

}  // namespace detail

/// The elements of `tensor` that the thread reads: (CPY, tiles along each mode..). Postcondition: over all threads,
/// each element of the tensor once. Throws LayoutError unless the copy's tile divides the tensor.
constexpr OffsetLayout partition_S(const ThreadCopy& mine, const Layout& tensor) {
  const Split parts = detail::tiles_by_thread(mine.copy, tensor);
  return {retile(mine.copy, parts.kept), parts.chosen(mine.thread)};
}

/// The elements that the thread writes: a universal copy leaves every element with the thread that read it.
constexpr OffsetLayout partition_D(const ThreadCopy& mine, const Layout& tensor) {
  return partition_S(mine, tensor);
}

/// The widest atom that can move the values of every thread from `source` to `destination`, whose
/// bases are aligned to that many bytes: an access takes values that follow each other and are
/// neighbours in both. 1 element at least.
constexpr CopyAtom widest_copy(const TiledCopy& copy, const Layout& source,
                               std::int64_t source_alignment, const Layout& destination,
                               std::int64_t destination_alignment, std::int64_t element_bytes) {
  const auto side = [&](const Layout& tensor, std::int64_t alignment) {
    const Split parts = detail::tiles_by_thread(copy, tensor);
    return CopySide{parts.kept, parts.chosen, {}, std::gcd(alignment, kWidestCopy)};
  };
  const CopySide from = side(source, source_alignment),
                 to = side(destination, destination_alignment);
  const std::int64_t in_order = contiguous_run(from.values);
  return universal_copy(
      std::gcd(widest_copy(from, to, element_bytes).together, in_order) * element_bytes,
      element_bytes);
}

}  // namespace vkmoye
