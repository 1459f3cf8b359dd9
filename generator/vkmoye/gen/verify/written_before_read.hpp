// SPDX-License-Identifier: MIT
#pragma once
// What is read from shared memory and registers was written before: followed through one workgroup, for all sizes.
//
//   sums = 0                             each invocation has written its registers
//   for (r < n) {                        no round is certain: what it writes counts in it, not after the loop
//     if (thread < m) { tile = x }       nor is this: it counts for the same thread in the same branch
//     else { tile = 0 }                  now it is certain
//     if (r + 1 < n) { next = x }        it counts in the next round
//   }
//
// An element that was written stays so. From some round on, indices and conditions repeat after as many rounds as the
// period of the loop; what was written before a read then, was written before the same read one period later. So
// one period is followed.
//
// A write that some paths miss counts as follows.
//
// - Inside a branch or a loop, a write counts until the end of that body: for all threads if they all take the same
//   path, otherwise only for the thread that wrote.
// - After two branches it counts if both write, or if it is known that the invocation takes the branch. After a loop
//   it counts if the number of rounds is known. The first round of a loop to max(data, 1) counts, too.
// - In a later statement of the same body under the same condition, or in a loop with the same end, it counts again:
//   names keep their values there. Where the condition fails, what was written in the other branch counts.
// - A loop to n has a round r only if r < n. So a write before the loop under if (r < n) counts in round r. A write
//   under if (r + 1 < n) in the round before counts as well.
// - In a loop to min(ceil(n / 64), m), the condition 64 r < n holds: what conditions and ends of loops around it imply
//   is no condition.
// - if (8 * r + t < n) s[t] = .. counts as written for a later read under 8 * r + t < n. In general, a condition is a
//   conjunction of bounds base + k < limit. Base and limit depend on arguments and the workgroup alone; k belongs to
//   the thread, and may grow with the counter of a loop, as 8 r does here. written_before_read keeps k for each write.
// - if (t < n) s[t] = .. counts for a later read under t + 4 < n: a read finds a write with the same base and limit
//   whose k is not larger. In a later round of a loop, the bound of the read has a larger k, too. A read also finds a
//   write whose base is 0, if the limits are equal and the k of the write is not larger.
// - if (t + 3 < n) s[t] = .. counts for a read under n % 4 == 0 && t < n, where t is a multiple of 4: if a condition
//   makes the limit a multiple of a number, a bound on a multiple of it holds up to the next multiple.
// - 64 * block_x + t < n has the base 64 * block_x: a base is 0 or a sum of multiples of the workgroup's coordinates.
//   One of these follows an extent and is at most 2^32 - 4096; the others and k together are below 4096. So the sum
//   does not wrap.

#include <set>
#include <string>
#include <vector>

#include "vkmoye/gen/proof/obligation.hpp"

namespace vkmoye::gen {

/// Claims for each array of shared memory or registers that "what is read from tile was written", in every launch. A
/// claim is proved, assumed by the author, or not known. The kernel is followed once; the first claim has the time.
/// Precondition: check_scope and check_shared_memory gave no reason.
std::vector<proof::Obligation> prove_reads(const ir::Kernel& kernel);

/// The arrays of which this is proved.
std::set<std::string> arrays_written_before_read(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
