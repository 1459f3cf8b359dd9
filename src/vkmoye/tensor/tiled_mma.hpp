// SPDX-License-Identifier: MIT
#pragma once
// Which thread multiplies what: a multiply-add of one element, repeated over threads and values.
//
//   make_tiled_mma((2,2), 2, 1)      4 threads, each 2 rows of C in one piece: a tile of (4,2)
//
//          n  0 1
//     m 0     0 2       C(m, n) belongs to the thread printed there. Of A(m, k), a thread takes
//       1     0 2       the rows of its C for every k, so threads 0 and 2 read the same; likewise
//       2     1 3       of B(n, k).
//       3     1 3
//
// A larger tile is this one repeated: its rest modes count the repetitions.
//
// CuTe: make_tiled_mma (include/cute/atom/mma_atom.hpp) with UniversalFMA, `values` in place of a
// permutation of M and N. MoYe.jl: make_tiled_mma, tutorial on TiledMMA.

#include <cstdint>

#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye {

struct TiledMma {
  Layout threads;          // (TM, TN) -> thread
  std::int64_t values[2];  // rows and columns of C that a thread has in one piece
  TiledCopy c;             // (thread, (VM, VN)) -> the tile of C, TM * VM by TN * VN

  /// Rows of one repetition: of C and A for mode 0, of C (columns) and B for mode 1.
  constexpr std::int64_t extent(int mode) const { return c.tiler.leaf(mode); }

  /// Maps (thread along that mode, value) to a row of the operand: A is mode 0, B is mode 1.
  constexpr TiledCopy operand(int mode) const {
    return {make_layout({size(threads, mode), values[mode]}, {values[mode], 1}),
            IntTuple{extent(mode)}};
  }
};

/// `threads`: rank 2, numbers the threads; the modes may be nested, which puts neighbours where the
/// hardware wants them. `vm`, `vn`: as above.
/// Postcondition: size(c.layout_tv) == extent(0) * extent(1), each element of C has one owner.
/// Throws LayoutError if `threads` is not compact: then some thread has no place.
constexpr TiledMma make_tiled_mma(const Layout& threads, std::int64_t vm = 1,
                                  std::int64_t vn = 1) try {
  if (threads.rank() != 2) raise("threads", {threads}, "rank {} is not 2", {threads.rank()});
  if (!is_compact(threads))
    raise("threads", {threads}, "they are not numbered 0 to {}, each once", {threads.size() - 1});
  if (vm < 1 || vn < 1) raise("values", {vm, vn}, "a thread has at least one row and one column");
  const Layout places = right_inverse(threads);  // thread -> tm + TM * tn
  const std::int64_t tm = size(threads, 0), tn = size(threads, 1);
  const std::int64_t rows = checked_mul(tm, vm), columns = checked_mul(tn, vn);
  const Layout first = composition(make_layout({tm, tn}, {vm, checked_mul(vn, rows)}), places);
  const Layout values = make_layout({vm, vn}, {1, rows});
  return {threads, {vm, vn}, {make_layout(first, values), {rows, columns}}};
} catch (const LayoutError& inner) {
  raise_from("make_tiled_mma", {threads}, inner);
}

}  // namespace vkmoye
