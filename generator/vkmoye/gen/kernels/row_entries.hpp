// SPDX-License-Identifier: MIT
#pragma once
// The registry entries of operations on the rows of a matrix: sum, maximum and its place, largest elements,
// softmax, norm, gate, embedding, rotary embedding.

#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> row_entries();

}  // namespace vkmoye::gen
