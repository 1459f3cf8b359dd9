// SPDX-License-Identifier: MIT
#pragma once
// Times other implementations of a copy, transpose or relayout on the same data, in the same run. Each result is
// verified first: a wrong one has no time. The exception is `pattern`, which performs only the memory accesses of the
// kernel, see access_pattern.hpp.

#include <cstdint>
#include <string>

#include "baselines/baseline_run.hpp"
#include "vkmoye/gen/problems/moves/moves.hpp"

namespace vkmoye::bench {

/// Times moving elements of `type` according to `map` from the first buffer of `run` to the second. Throws
/// Unavailable.
Timing time_move_baseline(const std::string& name, const BaselineRun& run, ScalarType type,
                          const gen::MoveMap& map);

/// Times a copy that reads and writes `bytes` in total, in buffers of its own: for copies that convert. Throws
/// Unavailable.
Timing time_bytes_baseline(const std::string& name, const BaselineRun& run, std::uint64_t bytes);

}  // namespace vkmoye::bench
