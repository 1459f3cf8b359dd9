// SPDX-License-Identifier: MIT
#pragma once
// The program under test.

#include <string>
#include <vector>

#include "support/process.hpp"

namespace vkmoye::test {

/// Runs vkmoye-bench with `arguments`; see `run`.
inline Outcome bench(std::vector<std::string> arguments,
                     const std::vector<std::string>& environment = {}) {
  arguments.insert(arguments.begin(), VKMOYE_BENCH);
  return run(arguments, environment);
}

/// The same behind a redirection of the shell, such as "> /dev/full".
inline Outcome bench_redirected(const std::string& redirection,
                                std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"sh", "-c", "exec \"$0\" \"$@\" " + redirection, VKMOYE_BENCH});
  return run(arguments);
}

}  // namespace vkmoye::test
