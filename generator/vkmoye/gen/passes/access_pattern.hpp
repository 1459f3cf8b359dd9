// SPDX-License-Identifier: MIT
#pragma once
// What memory alone makes of a kernel that moves elements: its own accesses to memory, nothing turned
// between.
//
//   tile[s] = src[a];  barrier;  dst[b] = tile[t]         each element goes where it belongs
//   own[0] = src[a];             dst[b] = own[0]          the same src[a] and dst[b], by the same thread
//
// Each thread stores what it loaded itself, in the order in which it loaded it. Tiles, threads, widths,
// conditions and the order of workgroups are the kernel's, so it takes as long as those accesses take;
// what comes to stand in dst is not what the kernel computes. `--baseline pattern` times it.

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// `kernel` without shared memory, barriers and what lanes tell each other. Where a thread loads fewer
/// elements than it stores, it stores some twice; where it loads more, those left over are combined with
/// the others, so that no compiler leaves their loads out.
/// Throws KernelError where it is no move of one array into another of its type, or loads and stores
/// do not fall into parts that each load first: in loops of a length that is not known, or around one
/// that does both.
ir::Kernel access_pattern(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
