// SPDX-License-Identifier: MIT
#pragma once
// What the command line says of a relayout: the axes of an array in C's order, permuted.

#include <optional>
#include <vector>

#include "vkmoye/gen/kernels/moves/relayout/plan.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> relayout_entries();

/// The shape that a request without one means.
inline const std::vector<std::int64_t> kRelayoutExample = {32, 64, 128};

/// b = a.transpose(axes) as NumPy does it.
struct PermutedArray {
  /// Nothing: a has no elements, and so no layout.
  std::optional<Permutation> layouts;
  std::vector<std::int64_t> shape;    // of b
  std::vector<std::int64_t> strides;  // in a, along the axes of b
};

/// What `request`, its shape and its option "permute", asks for. Throws KernelError where the option
/// does not name each axis of the shape once.
PermutedArray permuted_array(const KernelRequest& request);

}  // namespace vkmoye::gen
