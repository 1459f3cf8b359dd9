#pragma once
// What the command line says of a relayout: the axes of an array in C's order, permuted.

#include <vector>

#include "vkmoye/gen/kernels/registry.hpp"
#include "vkmoye/gen/kernels/relayout_plan.hpp"

namespace vkmoye::gen {

KernelEntry relayout_row();

/// b = a.transpose(axes) as NumPy does it.
struct PermutedArray {
  Permutation layouts;
  std::vector<std::int64_t> shape;  // of b
};

/// What `request`, its shape and its option "permute", asks for. Throws KernelError where the option
/// does not name each axis of the shape once.
PermutedArray permuted_array(const Request& request);

}  // namespace vkmoye::gen
