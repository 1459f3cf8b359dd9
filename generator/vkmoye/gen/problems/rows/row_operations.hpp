// SPDX-License-Identifier: MIT
#pragma once
// Sums, largest elements and their columns, the first k of them, softmax, norms, gates and rotary embedding;
// rows/reference.hpp has their definitions.

#include <vector>

#include "vkmoye/gen/problems/operation.hpp"

namespace vkmoye::gen {

std::vector<Operation> row_operations();

}  // namespace vkmoye::gen
