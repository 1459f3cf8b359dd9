// SPDX-License-Identifier: MIT
#pragma once
// What is read from shared memory and registers was written before, for every size:
//
//   for (block < n) { if (block > 0) { y = tile[..] }  tile[..] = x; barrier }
//
// A read in round r finds what a write left that comes before it in the same round, or in a round before r of a loop
// around both. Of registers it is a write of the same invocation; of shared memory one of any in the workgroup, since
// whoever writes without a barrier between races, which is decided elsewhere. The claim is that every
// element that is read was definitely written by one of these writes.

#include <set>

#include "vkmoye/gen/proof/obligation.hpp"

namespace vkmoye::gen::proof {

/// "what is read from tile was written"
std::string claim_of_reads(const std::string& array);

/// One obligation for each array of shared memory or registers, but for those that `others` decide. Precondition: names
/// and types are right.
std::vector<Obligation> prove_reads(const ir::Kernel& kernel,
                                    const std::set<std::string>& others = {});

}  // namespace vkmoye::gen::proof
