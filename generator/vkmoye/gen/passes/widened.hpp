// SPDX-License-Identifier: MIT
#pragma once
// A kernel in workgroups of more threads than it has: the others do the same as the first ones, but do not store.
//
//   128 threads in 256       uint thread = gl_LocalInvocationIndex % 128u;
//                            if (gl_LocalInvocationIndex < 128u) dst[thread] = ..;
//
// Of a buffer that the kernel also writes, the others do not read either: they have 0 in place of what is there.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Why `kernel` cannot have workgroups of `threads` threads: its own do not divide them, or not into subgroups; it
/// counts subgroups whose size it leaves open; it has atomic operations; or it overwrites matrices that it loads. Empty
/// if it can.
std::vector<std::string> reasons_against_widening(const ir::Kernel& kernel, std::uint32_t threads);

/// `kernel` with workgroups of `threads` threads. Precondition: there are no reasons against it.
ir::Kernel widened(const ir::Kernel& kernel, std::uint32_t threads);

}  // namespace vkmoye::gen
