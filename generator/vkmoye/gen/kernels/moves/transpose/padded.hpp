// SPDX-License-Identifier: MIT
#pragma once
// dst = transpose(src) through a shared tile: reads and writes both run along contiguous memory.
// Source: the matrix transpose tutorial of MoYe.jl, with its padding put right, (1,33) for (1,31).

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/moves/tile_config.hpp"

namespace vkmoye::gen {

/// src (cols, rows), dst (rows, cols), first mode contiguous; dst(r, c) = src(c, r). In C's order:
/// dst[c][r] = src[r][c]. Any number of rows and columns from 1.
/// Throws KernelError with every reason from `reasons_against(config, true)`.
ir::Kernel transpose(const TileConfig& config = {}, const std::string& name = "transpose");

}  // namespace vkmoye::gen
