// SPDX-License-Identifier: MIT
#pragma once
// Finds what is wrong with a kernel before any compiler sees it.
//
// A shared access is checked exactly: its index is evaluated for every thread of a workgroup, and
// every address remembers who wrote and who read it since the last barrier. Worked example, a
// transpose through shared memory without its barrier:
//
//   race in shared tile: 'parallelize(tile, (32,8):(1,32))' writes tile[33] in thread 32
//   and 'parallelize(transpose(tile), (32,8):(1,32))' reads it in thread 1, with no barrier between
//
// The copy through the same tile is accepted: there each thread reads only what it wrote itself.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// The reasons why the kernel is wrong; empty: it was accepted. README.md of this folder says what that means.
/// - Names and types (scope.hpp): each name is defined before its use, once in its scope, with the type that its use
///   needs; buffers are read and written as they are declared; nothing is divided by what may be 0; a barrier is
///   reached by all threads or by none, a subgroup operation by all lanes of a subgroup or by none.
/// - Buffers (scope.hpp): each coordinate lies below its extent, by its bound or by an enclosing guard; vectors begin
///   at multiples of their width.
/// - Shared memory (races.hpp), for all sizes: each index is in range; one from data is kept there by a condition, a
///   minimum or an assumption; no element is written by one thread and touched by another without a barrier between.
/// - At five sizes (trial.hpp): no element of a buffer is written by one invocation and touched by another, each
///   element of a result is written, nothing is read that some path has not written.
/// - For all sizes (proof/results.hpp, written_before_read.hpp): the same three claims. What is not proved is refused,
///   unless the author assumes it.
/// In a kernel that was written by hand, only the declarations are checked.
/// A check runs only if those before it found nothing. A kernel from Builder::finish has been verified
/// (Kernel::verified), and is not verified again; nor is a kernel that is identical to one that was accepted before
/// (accepted_kernels.hpp).
std::vector<std::string> verify(const ir::Kernel& kernel);

/// Whether the `reasons` from verify name no fault, but only claims that are not proved and that an author may assert.
bool are_unproved(const std::vector<std::string>& reasons);

}  // namespace vkmoye::gen
