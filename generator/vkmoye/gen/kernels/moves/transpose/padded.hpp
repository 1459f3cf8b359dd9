// SPDX-License-Identifier: MIT
#pragma once
// dst = transpose(src) through a shared tile: reads and writes are both contiguous.
// Source: the matrix transpose tutorial of MoYe.jl, with its padding corrected from (1,31) to (1,33).

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/moves/tile_config.hpp"

namespace vkmoye::gen {

/// src (cols, rows), dst (rows, cols), first mode contiguous; dst(r, c) = src(c, r). In C order:
/// dst[c][r] = src[r][c]. Rows and columns: at least 1.
/// Throws KernelError with every reason from `reasons_against(config, TileMove::transpose)`.
ir::Kernel transpose(const TileConfig& config = {}, const std::string& name = "transpose");

}  // namespace vkmoye::gen
