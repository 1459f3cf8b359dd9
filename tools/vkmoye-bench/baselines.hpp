#pragma once
// How long others take for the same work on the same data, in the same run. Each result is
// compared before it is timed: a wrong one has no time.

#include <string>

#include "gemm_data.hpp"
#include "workload.hpp"

namespace vkmoye::bench {

/// Precondition: `run.buffers` are src and dst of a kernel that was right. Throws Unavailable.
Timing time_move_baseline(const std::string& name, const BaselineRun& run, const Problem& problem);

/// Throws Unavailable.
Timing time_gemm_baseline(const std::string& name, const BaselineRun& run, const Problem& problem);

}  // namespace vkmoye::bench
