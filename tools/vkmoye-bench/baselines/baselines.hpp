// SPDX-License-Identifier: MIT
#pragma once
// How long others take for the same work on the same data, in the same run. Each result is
// compared before it is timed: a wrong one has no time. But for `pattern`, which does other work: the
// kernel's own accesses to memory, see access_pattern.hpp.

#include <string>

#include "workloads/moves.hpp"
#include "workloads/products/problem.hpp"

namespace vkmoye::bench {

/// Of elements of `type` that move as `map` says, between the two buffers of `run`. Writes into the
/// second. Throws Unavailable.
Timing time_move_baseline(const std::string& name, const BaselineRun& run, ScalarType type,
                          const MoveMap& map);

/// Throws Unavailable.
Timing time_gemm_baseline(const std::string& name, const BaselineRun& run,
                          const GemmProblem& problem, const Extents& size);

/// Our fastest copy between two buffers of its own that moves `bytes` in all, read and written: for
/// operations whose arrays are none to copy. Throws Unavailable.
Timing time_copy_of(std::uint64_t bytes, const BaselineRun& run);

}  // namespace vkmoye::bench
