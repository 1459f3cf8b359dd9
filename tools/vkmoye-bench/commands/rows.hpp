// SPDX-License-Identifier: MIT
#pragma once
// The loop over the rows of `run` and `suite`.

#include <memory>
#include <vector>

#include "commands/options.hpp"

namespace vkmoye::bench {

using Workloads = std::vector<std::unique_ptr<Workload>>;

/// Measures `workloads` in order and reports each row as it is made, where `given` says; with a line
/// of progress on stderr where that is a terminal. What ends the program with a signal leaves a
/// complete report of the rows so far. Returns the exit status. Throws ArgumentError if the file
/// cannot be written. `summary`: the report ends with the ladders of these workloads.
int run_rows(Executor& executor, const Workloads& workloads, MeasureOptions options,
             const Given& given, bool summary = false);

}  // namespace vkmoye::bench
