// SPDX-License-Identifier: MIT
#pragma once
// What a launch leaves in its buffers, for every size that it can have:
//
//   one writer    no element of a buffer that one invocation writes is touched by another
//   covered       each element of a buffer that is only written is written
//
// A pair of invocations is a point of two copies of the variables, with equal arguments. The claim: no point has equal
// elements and different invocations. Barriers order shared memory only, so rounds do not matter.

#include <string>

#include "vkmoye/gen/proof/obligation.hpp"

namespace vkmoye::gen::proof {

/// "no invocation touches what another writes in dst", "each element of dst is written".
std::string claim_of_one_writer(const std::string& array);
std::string claim_of_coverage(const std::string& array);

/// The obligations of the results of `kernel`, for each array in this order. Precondition: its names and types are
/// right.
std::vector<Obligation> prove_results(const ir::Kernel& kernel);

}  // namespace vkmoye::gen::proof
