// SPDX-License-Identifier: MIT
#pragma once
// The registry entries of copies and transposes: the variants of the tutorials, and the best kernel of
// each family.

#include <cstdint>
#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> move_entries();

/// Whether transpose/auto uses relayout's kernel for `shape`, with the sizes baked: for an array of 2^17 elements or
/// more with at most 256 rows or columns that are not whole tiles of 64. This kernel is described if the request has
/// this shape and no options.
bool is_narrow_transpose(const std::vector<std::int64_t>& shape);

}  // namespace vkmoye::gen
