// SPDX-License-Identifier: MIT
#pragma once
// dst = transpose(src) without shared memory: one side is accessed contiguously, the other with a stride
// of one row. The kernels are kept as examples: they show how much strided accesses cost, and on which
// side. Sources: AMD's HIP matrix transpose (read-contiguous, write-contiguous); the first step of the
// float4 ladder is the read-contiguous one.

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/moves/tile_config.hpp"

namespace vkmoye::gen {

/// The side that neighbouring threads access contiguously.
enum class Contiguous { read, write };

/// As `transpose`; `pad` and `shared` of `config` are ignored.
/// Throws KernelError with every reason from `reasons_against(config, TileMove::transpose)`.
ir::Kernel transpose_direct(const TileConfig& config, Contiguous side, const std::string& name);

}  // namespace vkmoye::gen
