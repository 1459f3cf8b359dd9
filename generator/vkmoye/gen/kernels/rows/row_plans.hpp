// SPDX-License-Identifier: MIT
#pragma once
// Plans of operations on the rows of a matrix: one kernel, or, for few long rows, one for slices of the rows and one
// that combines them.
//
//   softmax of 3 rows of 6,695,695 columns    3 workgroups in one kernel
//                                             3 x 342 in softmax/slices, then 3 x 1,635 in softmax/combine

#include <cstdint>

#include "vkmoye/gen/ir/kernel_plan.hpp"

namespace vkmoye::gen {

/// The number of slices into which each row of `length` elements is cut: 1 if `workgroups`, those for whole rows,
/// occupy a device, or if the rows are short. `block`: elements of a row that a workgroup reads at once.
std::int64_t slices_of_rows(std::int64_t workgroups, std::int64_t length, std::int64_t block);

/// The plan of `slices`, whose results are scratch arrays, and `combine`, which reads them. The caller's arrays are
/// the inputs of `slices`, then the other bindings of `combine`, in their order. `arguments`: of both kernels.
/// Throws like element_count.
KernelPlan plan_of_slices(ir::Kernel slices, ir::Kernel combine, const Arguments& arguments);

}  // namespace vkmoye::gen
