// SPDX-License-Identifier: MIT
#pragma once
// Times other implementations of a problem on the same data, in the same run. Each result is verified first: a wrong
// one has no time.
//
//   copy                      vkmoye's copy of as many bytes as the problem reads and writes
//   vkcmdcopy, cudamemcpy     the driver's copy, CUDA's
//   cublas, openblas          products; cublas transposes, too
//   pattern                   the memory accesses of the kernel without rearranging the elements: a bound, no result
//   peak                      multiply-adds from registers: a bound on the speed of a product, no result

#include <string>
#include <vector>

#include "baselines/copy.hpp"
#include "vkmoye/gen/problems/problem.hpp"

namespace vkmoye::bench {

inline constexpr const char* kPatternBaseline = "pattern";
inline constexpr const char* kPeakBaseline = "peak";

/// The baselines of an operation that are not kernels.
std::vector<std::string> baselines_of(const std::string& operation);

/// Times the baseline `name`, one of these, for `problem`. Throws Unavailable if it cannot run.
Timing time_baseline(const std::string& name, const gen::Problem& problem, const BaselineRun& run);

}  // namespace vkmoye::bench
