// SPDX-License-Identifier: MIT
#pragma once
// What is read from shared memory and registers was written before, for every size:
//
//   for (block < n) { if (block > 0) { y = tile[..] }  tile[..] = x; barrier }
//
// A write comes before a read in round r if it precedes the read in the same round, or if it happens in a round before
// r of a loop around both. For registers, the write must be of the same invocation. For shared memory, it may be of any
// invocation of the workgroup: if there is no barrier between the two, they race, which races.hpp decides. The claim:
// every element that is read was written by a write that comes before.

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
