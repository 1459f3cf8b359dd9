// SPDX-License-Identifier: MIT
#pragma once
// The registry entries of each family of kernels; that of relayout is in relayout_entries.hpp.

#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

/// Copies and transposes: the variants of the tutorials, and the best kernel of each.
std::vector<KernelEntry> move_entries();
/// Operations on the rows of a matrix: sum, maximum and its place, largest elements, softmax, norm, gate, embedding,
/// rotary embedding.
std::vector<KernelEntry> row_entries();
std::vector<KernelEntry> attention_entries();
/// Matrix products.
std::vector<KernelEntry> product_entries();

}  // namespace vkmoye::gen
