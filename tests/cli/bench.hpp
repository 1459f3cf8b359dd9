// SPDX-License-Identifier: MIT
#pragma once
// Runs the program under test.

#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "support/expect.hpp"
#include "support/process.hpp"

namespace vkmoye::test {

/// Its path: that of the build, or VKMOYE_TEST_BENCH if the programs were copied to another machine.
inline std::string bench_program() {
  const char* elsewhere = std::getenv("VKMOYE_TEST_BENCH");
  return elsewhere != nullptr ? elsewhere : VKMOYE_BENCH;
}

/// The folder of the fake vendor libraries; the environment variable VKMOYE_TEST_FAKE_CUDA overrides it.
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

/// Runs vkmoye-bench with a redirection of the shell, such as "> /dev/full".
inline Outcome bench_redirected(const std::string& redirection,
                                std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"sh", "-c", "exec \"$0\" \"$@\" " + redirection, bench_program()});
  return run(arguments);
}

/// What a command printed, which must have succeeded.
inline std::string output_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  return outcome.out;
}
inline std::string output_of(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment = {}) {
  SCOPED_TRACE(testing::PrintToString(arguments));
  return output_of(bench(arguments, environment));
}

/// Expects that a command ended with `status`, and a message that `why` matches, or contains if it is text.
template <class Why>
void expect_refused(const Outcome& outcome, const Why& why, int status = 2) {
  EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
  if constexpr (std::is_convertible_v<Why, std::string>) {
    EXPECT_THAT(outcome.err, HasSubstr(why));
  } else {
    EXPECT_THAT(outcome.err, why);
  }
}
template <class Why>
void expect_refused(const std::vector<std::string>& arguments, const Why& why, int status = 2) {
  SCOPED_TRACE(testing::PrintToString(arguments));
  expect_refused(bench(arguments), why, status);
}

/// Whether lavapipe is installed; tests describe kernels for it, since every machine can have it.
inline bool has_lavapipe() {
  static const bool found = bench({"devices"}).out.find("llvmpipe") != std::string::npos;
  return found;
}

}  // namespace vkmoye::test
