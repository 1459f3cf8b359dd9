// SPDX-License-Identifier: MIT
#pragma once
// A kernel whose workgroups count down, as one whose workgroups count up.
//
//   uint row_tile = (rows + 63) / 64 - 1 - block_x;       grid: ceil(rows / 64) workgroups along x
//   uint row_tile = block_x;                              the same set of tiles, so the same results
//
// What holds for all workgroups together does not depend on which of them takes which tile, and tiles.hpp reads the
// second form.

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// `kernel` with a name for the number of workgroups - 1 - block as a name for the block, along each dimension of the
/// grid along which no statement uses the block for something else.
ir::Kernel with_forward_workgroups(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
