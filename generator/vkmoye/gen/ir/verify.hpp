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

namespace vkmoye::gen::ir {

/// Every reason why the kernel is wrong; empty means it is sound. Checked:
/// - each name is defined before its use, once in its scope, with the type that its use needs;
/// - each coordinate of a buffer lies below its extent, by a number or by an enclosing guard
///   `coordinate < extent`; reads and writes are allowed by the buffer's access;
/// - each index of a shared array depends on numbers, threads and loops alone and is in range;
/// - no shared element is written by one thread and touched by another without a barrier between,
///   nor read before anything was written to it;
/// - a barrier is reached by all threads or by none.
/// A condition that depends on run-time sizes may hold or not: both are considered. A loop whose
/// trip count is a run-time size is followed through three rounds, enough for its wrap-around.
std::vector<std::string> verify(const Kernel& kernel);

}  // namespace vkmoye::gen::ir
