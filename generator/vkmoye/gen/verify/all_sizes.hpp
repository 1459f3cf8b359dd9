// SPDX-License-Identifier: MIT
#pragma once
// What is decided for all sizes at once, by sets of integers: see proof/results.hpp and proof/reads.hpp.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Why an element of a result is not written, or is touched by two invocations, or why something is read that was not
/// written; with the sizes at which this shows. What is about results and depends on more than linear functions of sizes
/// is refused, too, unless the author assumes it. Where isl gives up there is no reason: only the sizes of trial.hpp were
/// checked then. Precondition: names, types and bounds are right.
std::vector<std::string> check_all_sizes(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
