// SPDX-License-Identifier: MIT
#pragma once
// Times vendor libraries on the same product and data, in the same run. Each result is verified first: a wrong one
// has no time.

#include <string>

#include "baselines/baseline_run.hpp"
#include "vkmoye/gen/problems/products/options.hpp"

namespace vkmoye::bench {

/// Throws Unavailable.
Timing time_gemm_baseline(const std::string& name, const BaselineRun& run,
                          const gen::GemmOptions& problem, const Extents& size);

}  // namespace vkmoye::bench
