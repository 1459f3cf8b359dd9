// SPDX-License-Identifier: MIT
#pragma once
// dst = transpose(src) without shared memory: one side of each move runs along contiguous memory,
// the other jumps from row to row. Kept for what they teach: how much the jumps cost, and on which
// side. Sources: AMD's HIP matrix transpose (read-contiguous, write-contiguous); the first rung of
// the float4 ladder is the read-contiguous one.

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/moves/tile_config.hpp"

namespace vkmoye::gen {

/// Which side of the move neighbouring threads make contiguous.
enum class Contiguous { read, write };

/// As `transpose`; of `config`, pad and shared do not count.
/// Throws KernelError with every reason from `reasons_against(config, true)`.
ir::Kernel transpose_direct(const TileConfig& config, Contiguous side, const std::string& name);

}  // namespace vkmoye::gen
