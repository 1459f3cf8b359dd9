// SPDX-License-Identifier: MIT
#pragma once
// The program under test.

#include <cstdlib>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace vkmoye::test {

/// Where it lies: as built, unless VKMOYE_TEST_BENCH names it on a machine that was sent the programs.
inline std::string bench_program() {
  const char* elsewhere = std::getenv("VKMOYE_TEST_BENCH");
  return elsewhere != nullptr ? elsewhere : VKMOYE_BENCH;
}

/// The folder of the libraries that stand for the vendor's; likewise VKMOYE_TEST_FAKE_CUDA.
inline std::string fake_cuda_folder() {
  const char* elsewhere = std::getenv("VKMOYE_TEST_FAKE_CUDA");
  return elsewhere != nullptr ? elsewhere : VKMOYE_FAKE_CUDA_FOLDER;
}

/// Runs vkmoye-bench with `arguments`; see `run`.
inline Outcome bench(std::vector<std::string> arguments,
                     const std::vector<std::string>& environment = {}) {
  arguments.insert(arguments.begin(), bench_program());
  return run(arguments, environment);
}

/// The same behind a redirection of the shell, such as "> /dev/full".
inline Outcome bench_redirected(const std::string& redirection,
                                std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"sh", "-c", "exec \"$0\" \"$@\" " + redirection, bench_program()});
  return run(arguments);
}

/// Whether there is lavapipe, by which a device is described that every machine has.
inline bool has_lavapipe() {
  static const bool found = bench({"devices"}).out.find("llvmpipe") != std::string::npos;
  return found;
}

}  // namespace vkmoye::test
