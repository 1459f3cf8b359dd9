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

}  // namespace vkmoye::test
