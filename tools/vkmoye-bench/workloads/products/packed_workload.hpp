// SPDX-License-Identifier: MIT
#pragma once
// Products whose operands are packed first: a plan of up to three kernels.
//
//   gemm/packed --packed b      pack B      once, no part of the time: weights
//                               pack A      plain activations
//                               multiply
//
// An operand that comes from a file is packed already: its step is not there.

#include <optional>

#include "vkmoye/gen/kernels/products/choice/plan.hpp"
#include "workloads/products/problem.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// The matrices whose order in lanes a product of packed operands depends on.
std::vector<gen::ProbedMatrix> packed_probes(const gen::KernelRequest& request);

/// Whether A (`which` 0) or B is packed before the time that is taken.
bool is_packed_beforehand(const GemmProblem& problem, std::size_t which);

/// The whole plan. Parts of C and steps of k are those of the problem's files, unless the request has
/// options for them. Throws KernelError where the device's lanes hold no layout, ArgumentError where a file
/// has another order or other blocks. `packs` false: without the steps that pack, for which the device's
/// order is needed.
gen::KernelPlan packed_plan(const gen::KernelEntry& entry, const gen::KernelRequest& request,
                            const GemmProblem& problem, const Extents& size, bool packs);

/// One operand of a product that `pack` is given as an array.
struct OperandToPack {
  gen::KernelRequest request;  // of the product
  GemmProblem problem;
  Extents size;  // {M, N, K}; what the operand does not have is 0
  bool is_a = false;
  std::optional<std::int64_t> batch = {};
};

/// What packs it on the device of its request, array 0 into array 1, and what comes of it. Throws
/// KernelError with every reason.
struct PackPlan {
  Plan plan;
  PackedOperand operand;
};
PackPlan pack_plan(const OperandToPack& given);

}  // namespace vkmoye::bench
