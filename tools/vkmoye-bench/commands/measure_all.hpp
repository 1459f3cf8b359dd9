// SPDX-License-Identifier: MIT
#pragma once
// The loop over the workloads of `run` and `suite`.

#include "commands/options.hpp"

namespace vkmoye::bench {

/// Measures `workloads` in order, with options.measure, and reports each result as soon as it is there, in the format
/// and to the file of `options`; shows progress on stderr. If a signal ends the program, the report of the results so
/// far is completed. Returns the exit status. Throws ArgumentError if the file cannot be written.
int measure_all(Executor& executor, const Workloads& workloads, const CommandOptions& options,
                Summary summary = Summary::none);

}  // namespace vkmoye::bench
