// SPDX-License-Identifier: MIT
#pragma once
// A product as a workload. products/problem.hpp defines it, products/check.hpp checks its result.

#include <memory>

#include "workloads/operation.hpp"
#include "workloads/products/problem.hpp"

namespace vkmoye::bench {

/// The request for the kernel that computes `problem` with `size` {M, N, K}.
gen::KernelRequest request_of(const WorkloadSpec& spec, const GemmProblem& problem,
                              const Extents& size);

/// The workload of `problem` with `size` {M, N, K}. Throws ArgumentError like matrices_of.
std::unique_ptr<Workload> make_product(const WorkloadSpec& spec, const GemmProblem& problem,
                                       const Extents& size);

}  // namespace vkmoye::bench
