#pragma once
// How long others take for the same work on the same data, in the same run. Each result is
// compared before it is timed: a wrong one has no time.

#include <string>
#include <vector>

#include "workloads/gemm_data.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// Whether the baseline called `name` does what kernels of `operation` do.
bool applies(const std::string& name, gen::Operation operation);

/// Throws ArgumentError if one of `names` applies to none of `entries`.
void refuse_useless_baselines(const std::vector<std::string>& names,
                              const std::vector<const gen::KernelEntry*>& entries);

/// Precondition: `name` applies, and `run.buffers` are src and dst of the kernel. Writes into dst. Throws
/// Unavailable.
Timing time_move_baseline(const std::string& name, const BaselineRun& run, const Problem& problem);

/// Precondition: `name` applies. Throws Unavailable.
Timing time_gemm_baseline(const std::string& name, const BaselineRun& run, const Problem& problem);

}  // namespace vkmoye::bench
