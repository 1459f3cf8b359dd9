// SPDX-License-Identifier: MIT
#pragma once
// The plan of a product problem: with operands from files, with operands packed beforehand, or by the chosen kernel.
//
//   gemm/packed --packed b      pack B      runs once and is not timed: weights
//                               pack A      is timed: activations
//                               multiply
//   gemm/auto                   the plan of the first kernel that is not refused
//
// An operand from a packed file needs no packing step.

#include "vkmoye/gen/kernels/products/choice/gemm_plan.hpp"
#include "vkmoye/gen/problems/products/gemm_problem.hpp"
#include "vkmoye/gen/problems/products/given_arrays.hpp"

namespace vkmoye::gen {

/// The product for which a kernel is chosen.
GemmProduct product_of(const GemmOptions& options, const Extents& size);

/// `options` computed by the kernel of `choice`: with its slices of k.
GemmOptions options_by(const GemmChoice& choice, const GemmOptions& options);

/// The plan of `problem` by `entry`. The problem's files determine the parts of C and the steps of k, unless options of
/// the request do. Throws KernelError if the order of the device is not a layout, ArgumentError if a file has another
/// order or other blocks.
KernelPlan plan_of_product(const KernelEntry& entry, const KernelRequest& request,
                           const GemmProblem& problem, const PlanOptions& options);

/// The plan of the kernel that gemm/auto chooses for `problem`, see choose_gemm: the first that `options.refuse` does
/// not reject, or, without `options.refuse`, that the device can run. Throws KernelError with every reason.
ChosenPlan choose_plan(const KernelRequest& request, const GemmProblem& problem,
                       const PlanOptions& options);

/// The plan that packs an operand on the device of its request, from array 0 to array 1, and the packed operand.
/// Throws KernelError with every reason.
struct PackPlan {
  KernelPlan plan;
  PackedOperand operand;
};
PackPlan pack_plan(const OperandToPack& given);

}  // namespace vkmoye::gen
