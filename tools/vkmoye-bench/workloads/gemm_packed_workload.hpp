#pragma once
// Products whose operands are packed first: a plan of up to three kernels.
//
//   gemm/packed --packed b      pack B      once, no part of the time: weights
//                               pack A      plain activations
//                               multiply

#include "workloads/gemm_problem.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// The matrices whose order in lanes a product of packed operands depends on.
std::vector<gen::ProbedMatrix> packed_probes(const gen::KernelRequest& request);

/// The product alone: bindings are packed operands and C.
Step packed_step(const gen::KernelEntry& entry, const gen::KernelRequest& request,
                 const GemmProblem& problem, const Extents& size);

/// The whole plan; `arrays`: those of a kernel that takes plain operands. Throws KernelError where the device's lanes hold
/// no layout.
Plan packed_plan(const gen::KernelEntry& entry, const gen::KernelRequest& request,
                 const GemmProblem& problem, const Extents& size, std::vector<Array> arrays);

}  // namespace vkmoye::bench
