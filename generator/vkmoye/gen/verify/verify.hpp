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

/// The reasons why the kernel is wrong; empty means it is sound. Checked
/// - by names and types (scope.hpp): each name is defined before its use, once in its scope, with the
///   type that its use needs; reads and writes are allowed by the buffer's access; nothing is divided
///   by what may be 0; a barrier is reached by all threads or by none, a subgroup operation by all
///   lanes of a subgroup or by none;
/// - by guards (scope.hpp): each coordinate of a buffer lies below its extent, by a number or by an
///   enclosing guard `coordinate < extent`; vectors begin at multiples of their width;
/// - for all sizes (races.hpp): each index of a shared array depends on numbers, threads and loops
///   alone and is in range; no shared element is written by one thread and touched by another without
///   a barrier between. A condition that depends on sizes may hold or not; a loop whose trip count
///   does is followed twice around its longest ring of stages;
/// - at a few sizes (trial.hpp): no element of a buffer is written by one invocation and touched by
///   another, every element of a result is written, and nothing is read, from shared memory or
///   registers, that some path has not written.
/// Each line is looked at where those above it found nothing. A kernel as it came from
/// Builder::finish has been verified (Kernel::verified), and is not verified again.
std::vector<std::string> verify(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
