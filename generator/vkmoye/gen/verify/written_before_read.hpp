// SPDX-License-Identifier: MIT
#pragma once
// What is read from shared memory and registers was written before: followed through one workgroup, for all sizes.
//
//   sums = 0                             each invocation has written its registers
//   for (r < n) {                        no round is certain: what it writes counts in it, not after the loop
//     if (thread < m) { tile = x }       nor is this: it counts for the same thread in the same branch
//     else { tile = 0 }                  now it is certain
//     if (r + 1 < n) { next = x }        it counts in the next round
//   }
//
// An element that was written stays so. From some round on, indices and conditions repeat after as many rounds as the
// period of the loop; what was written before a read then, was written before the same read one period later. So
// one period is followed.

#include <set>
#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/verify/tiles.hpp"

namespace vkmoye::gen {

/// The arrays of shared memory and registers whose elements are written before they are read, in every launch. For
/// others this is not known. Precondition: check_scope and check_shared_memory gave no reason.
std::set<std::string> arrays_written_before_read(const ir::Kernel& kernel);

/// Whether in every launch each workgroup writes the elements of its tile that the array has. False: it is not known.
bool is_tile_written(const ir::Kernel& kernel, const Tile& tile);

}  // namespace vkmoye::gen
