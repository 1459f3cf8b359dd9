// SPDX-License-Identifier: MIT
#pragma once
// The float4 ladder of transposes: what moving several elements at once gains, and what it costs.
//
//   plain    one vector load, as many scalar stores a column apart
//   shared   vectors into shared memory and out to dst; the reads between meet in a few banks
//   padded   rows of shared memory padded by one: no two reads meet, but no vector is aligned any
//            more, so only the load from src is one
//
// Source: the float4 ladder in CUDA, with its partial tiles and alignments put right: a size that is
// no multiple of the vector takes a scalar path in the same shader.

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

enum class VectorRung { plain, shared, padded };

/// As `transpose`, by 1024 threads over a tile of 32 rows and 32 vectors. Vectors have 4
/// elements, of 8-byte types 2.
ir::Kernel transpose_vector(ScalarType type, VectorRung rung, const std::string& name);

}  // namespace vkmoye::gen
