#pragma once
// Options that `run` and `suite` share, and the loop over their rows.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "workloads/measure.hpp"

namespace vkmoye::bench {

/// Where rows go and on which device they are made.
struct OutputOptions {
  std::string device;
  std::string format = "table";
  std::string output;  // a file; empty: stdout

  void add_to(CLI::App& command);
};

/// Measures `problems` in order and reports each row as it is made; with a line of progress on
/// stderr where that is a terminal. Returns the exit status. Throws ArgumentError if the
/// file cannot be written. `summary`: the report ends with the ladders of these problems.
int run_problems(Device& device, const std::vector<Problem>& problems,
                 const MeasureOptions& options, const OutputOptions& output, bool summary = false);

}  // namespace vkmoye::bench
