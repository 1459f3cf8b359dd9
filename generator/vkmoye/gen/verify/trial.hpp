// SPDX-License-Identifier: MIT
#pragma once
// Runs a kernel without data at a few small sizes, every workgroup of them: what holds for one
// workgroup at all sizes is not enough.
//
//   transpose/padded, tile 32x32      cols 49, rows 48      four workgroups, three of them at edges
//                                     cols 48, rows 48      vectors fit
//                                     cols 96, rows 49      a gap between tiles would show
//                                     cols 1, rows 96
//
// An extent that a loop walks along takes it twice around its ring of stages.
//
// Found here, with both invocations and the numbers: workgroups that write one element of a buffer, a
// buffer read where another invocation wrote it, elements of a result that nothing writes for
// sure, registers and shared memory read that not every path has written, coordinates outside.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// The sizes that are tried, small ones around the tiles of the grid; none where they follow from
/// nothing.
std::vector<Arguments> trial_sizes(const ir::Kernel& kernel);

/// Why the kernel is wrong at one of them; the sizes stand in each reason.
/// Precondition: names, types and bounds are right.
std::vector<std::string> try_sizes(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
