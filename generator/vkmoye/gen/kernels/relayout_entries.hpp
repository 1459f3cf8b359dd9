// SPDX-License-Identifier: MIT
#pragma once
// The registry entry of relayout. On the command line, it permutes the axes of an array in C order.

#include <optional>
#include <vector>

#include "vkmoye/gen/kernels/moves/relayout/schedule.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> relayout_entries();

/// The shape used for a request without one.
inline const std::vector<std::int64_t> kRelayoutExample = {32, 64, 128};

/// b = a.transpose(axes), as in NumPy.
struct PermutedArray {
  /// nullopt if a has no elements, and so no layout.
  std::optional<Permutation> layouts;
  std::vector<std::int64_t> shape;    // shape of b
  std::vector<std::int64_t> strides;  // in a, along the axes of b
};

/// The arrays of a relayout, from the shape and the option "permute". Throws KernelError unless the option contains
/// each axis of the shape once.
PermutedArray permuted_array(const ElementsForm& form, const Options& options);

}  // namespace vkmoye::gen
