// SPDX-License-Identifier: MIT
#pragma once
// The float4 ladder of transposes: the gains and the costs of moving several elements at once.
//
//   plain    one vector load, then scalar stores a column apart
//   shared   vectors into shared memory and from there to dst; reads of the tile use only a few banks
//   padded   rows of the shared tile padded by one: no bank conflicts, but its vectors are no longer
//            aligned, so that only the load from src is a vector
//
// Source: the float4 ladder in CUDA, with edge tiles and alignment corrected: sizes that are not
// multiples of the vector take a scalar path in the same shader.

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

enum class VectorRung { plain, shared, padded };

/// As `transpose`, with 1024 threads for a tile of 32 rows and 32 vectors. Vectors have 4 elements; 2 for
/// types of 8 bytes.
ir::Kernel transpose_vector(ScalarType type, VectorRung rung, const std::string& name);

}  // namespace vkmoye::gen
