// SPDX-License-Identifier: MIT
#pragma once
// The access pattern of a kernel that moves elements: the same accesses to memory, without the exchange
// between threads.
//
//   tile[s] = src[a];  barrier;  dst[b] = tile[t]         each element goes where it belongs
//   own[0] = src[a];             dst[b] = own[0]          the same src[a] and dst[b], by the same thread
//
// Each thread stores the elements that it loaded itself, in the order in which it loaded them. Tiles, threads,
// widths, conditions and the order of workgroups are those of the kernel, so its time is that of these
// accesses alone. The contents of dst are not those that the kernel computes. `--baseline pattern` times it.

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// `kernel` without shared memory, barriers and subgroup operations. If a thread loads fewer elements than it
/// stores, it stores some twice; if it loads more, the rest are combined with the others, so that compilers
/// do not remove their loads.
/// Throws KernelError if `kernel` does not move one array into another of the same type, or cannot be split
/// into parts that each load before they store: because of a loop of unknown length, or of a path that only
/// loads or only stores.
ir::Kernel access_pattern(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
