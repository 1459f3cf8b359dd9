// SPDX-License-Identifier: MIT
#pragma once
// Products of packed operands: a plan of up to three kernels.
//
//   gemm/packed --packed b      pack B      runs once and is not timed: weights
//                               pack A      is timed: activations
//                               multiply
//
// An operand from a packed file needs no such step.

#include <optional>

#include "vkmoye/gen/kernels/products/choice/gemm_plan.hpp"
#include "workloads/products/problem.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// The matrices whose order in lanes the product depends on.
std::vector<gen::ProbedMatrix> packed_probes(const gen::KernelEntry& entry,
                                             const gen::KernelRequest& request);

/// Whether A (`which` 0) or B is packed before the timing starts.
bool is_packed_beforehand(const GemmProblem& problem, std::size_t which);

/// The whole plan. The parts of C and the steps of k are those of the problem's files, unless the request has options
/// for them. Throws KernelError if the order of the device is not a layout, ArgumentError if a file has another order
/// or other blocks. `packs` false: without the steps that pack, which need the order of the device.
gen::KernelPlan packed_plan(const gen::KernelEntry& entry, const gen::KernelRequest& request,
                            const GemmProblem& problem, const Extents& size, bool packs);

/// An operand of a product that `pack` takes as an array.
struct OperandToPack {
  const gen::KernelEntry* entry = nullptr;
  gen::KernelRequest request;  // the request for the product
  GemmProblem problem;
  Extents size;  // {M, N, K}; the extent that the operand does not have is 0
  bool is_a = false;
  std::optional<std::int64_t> batch = {};
};

/// The plan that packs an operand on the device of its request, from array 0 to array 1, and the packed operand.
/// Throws KernelError with every reason.
struct PackPlan {
  RunPlan plan;
  PackedOperand operand;
};
PackPlan pack_plan(const OperandToPack& given);

}  // namespace vkmoye::bench
