// SPDX-License-Identifier: MIT
#pragma once
// Runs a program and captures its output.

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace vkmoye::test {

struct Outcome {
  int status = -1;  // exit status; 128 + signal if a signal ended it
  std::string out, err;
};

/// `arguments[0]` is the program. `environment`: NAME=VALUE, in addition to the variables of the test.
/// `meanwhile` is called with the process id while the program runs.
Outcome run(const std::vector<std::string>& arguments,
            const std::vector<std::string>& environment = {},
            const std::function<void(pid_t)>& meanwhile = {});

}  // namespace vkmoye::test
