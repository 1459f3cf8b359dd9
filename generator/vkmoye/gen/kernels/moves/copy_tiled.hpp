// SPDX-License-Identifier: MIT
#pragma once
// dst = src by a TiledCopy, directly from memory to memory: each thread has a block of values, moved one
// by one or as vectors. Source: MoYe.jl, tiled copy; its non-coalesced variant is kept because the layout
// alone shows the problem.
//
//   values       moved as        neighbouring threads access
//   1            elements        neighbouring elements
//   16 bytes     one vector      neighbouring vectors
//   8 + 8 bytes  two vectors     every second vector: half of each request is wasted

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

enum class TiledValues { single, vector, split_vector };

/// As `copy`, with threads (32,8). Vectors have 16 bytes; split vectors are two of 8 bytes.
ir::Kernel copy_tiled(ScalarType type, TiledValues values, const std::string& name);

}  // namespace vkmoye::gen
