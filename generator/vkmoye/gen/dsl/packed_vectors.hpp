// SPDX-License-Identifier: MIT
#pragma once
// Shared arrays whose elements are accessed both one by one and in vectors of packed words.
//
//   tile[8 i .. 8 i + 7] of f16        uvec4: eight elements in four words
//   tile[33 j + i]                     a single element: it cannot be stored into a word that others share
//
// A shader declares such an array with vectors of 4 elements, f16vec4, whose components can be accessed. Vectors of 8
// elements are then accessed in two parts.

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Splits the loads and stores in packed vectors of each shared array of `kernel` that is also accessed by single
/// elements into the widest ones that are not packed. Arrays that matrices are loaded from or stored to in packed
/// vectors stay as they are; finish() then rejects them.
void split_packed_vectors(ir::Kernel& kernel);

}  // namespace vkmoye::gen
