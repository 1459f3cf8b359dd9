// SPDX-License-Identifier: MIT
#pragma once
// dst = src through a shared tile. Source: the copy kernel of the transpose tutorial of MoYe.jl.

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/moves/tile_config.hpp"

namespace vkmoye::gen {

/// src and dst (cols, rows), first mode contiguous; dst(c, r) = src(c, r). In C order:
/// dst[r][c] = src[r][c]. Rows and columns: at least 1.
/// Throws KernelError with every reason from `reasons_against(config, TileMove::copy)`.
ir::Kernel copy(const TileConfig& config = {}, const std::string& name = "copy");

}  // namespace vkmoye::gen
