// SPDX-License-Identifier: MIT
#pragma once
// What is decided for all sizes at once, by sets of integers: see proof/results.hpp and proof/reads.hpp.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Decides three claims for every size: each element of a result is written; no two invocations touch the same element
/// of a buffer, unless both read it or both access it atomically; whatever is read was written before. Returns a reason
/// for each claim that fails, with sizes at which it fails. A claim about results that depends on more than linear
/// functions of sizes is also a reason, unless the author assumes it. A claim for which isl takes too many steps gives
/// no reason: it is checked only at the sizes of trial.hpp. Precondition: names, types and bounds are right.
std::vector<std::string> check_all_sizes(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
