// SPDX-License-Identifier: MIT
#pragma once
// Times vendor libraries on the same product and data, in the same run. Each result is verified first: a wrong one
// has no time.

#include <string>

#include "workloads/products/problem.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// Throws Unavailable.
Timing time_gemm_baseline(const std::string& name, const BaselineRun& run,
                          const GemmProblem& problem, const Extents& size);

}  // namespace vkmoye::bench
