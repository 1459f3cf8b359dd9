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

#include <cstddef>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// The sizes that are tried, small ones around the tiles of the grid; none where they follow from
/// nothing. They fulfil what assumptions_of_launch has, where such sizes are found near by.
std::vector<Arguments> trial_sizes(const ir::Kernel& kernel);

/// " (m = 3, n = 4)", for messages.
std::string text_of(const Arguments& sizes);

struct TrialReport {
  std::vector<std::string> reasons = {};  // why the kernel is wrong, with the sizes
  bool is_whole = true;                   // every workgroup was followed to its end
  bool is_launch = true;           // false: arguments that no launch takes, as the reason says
  bool breaks_assumption = false;  // of the author: that is why no launch takes them
};
/// Precondition: as of try_sizes.
TrialReport try_at(const ir::Kernel& kernel, const Arguments& sizes);

struct Trials {
  std::vector<std::string> reasons =
      {};  // why the kernel is wrong at one of the sizes, which each reason ends with
  std::size_t whole = 0,
              in_part = 0;  // launches in which nothing is wrong, by TrialReport::is_whole
  bool are_all =
      false;  // these are all launches that the kernel can have: no argument decides an index
};
/// Runs the kernel at trial_sizes, until it is wrong. Precondition: names, types and bounds are right.
Trials try_sizes(const ir::Kernel& kernel);

/// Why trial_sizes are none that a launch can have, without running it: a stride that is too small, say.
std::vector<std::string> check_launches(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
