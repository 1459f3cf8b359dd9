// SPDX-License-Identifier: MIT
#pragma once
// dst = src by a TiledCopy, straight from memory to memory: each thread holds a block of values, moved
// one by one or as vectors. Source: MoYe.jl, tiled copy; its non-coalesced layout is kept because a
// layout alone shows what is wrong with it.
//
//   values       moved as        neighbouring threads touch
//   1            elements        neighbours
//   16 bytes     one vector      neighbouring vectors
//   8 + 8 bytes  two vectors     every second vector: half of each request is wasted

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

enum class TiledValues { single, vector, split_vector };

/// As `copy`, by threads (32,8). Vectors have 16 bytes; split ones half as many, twice.
ir::Kernel copy_tiled(ScalarType type, TiledValues values, const std::string& name);

}  // namespace vkmoye::gen
