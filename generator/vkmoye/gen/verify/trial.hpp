// SPDX-License-Identifier: MIT
#pragma once
// Runs a kernel without data at a few small sizes, every workgroup of them: what holds for one
// workgroup at all sizes is not enough.
//
//   transpose/padded, tile 32x32      cols 49, rows 48      four workgroups, three of them at edges
//                                     cols 48, rows 48      vectors fit
//                                     cols 96, rows 49      a gap between tiles would show
//                                     cols 1, rows 96       a single column
//                                     cols 63, rows 33      one element less or more than whole tiles
//
// An extent that a loop walks along is long enough for two turns of its ring of stages.
//
// Found here, with both invocations and the numbers: workgroups that write one element of a buffer, a
// buffer read where another invocation wrote it, elements of a result that nothing writes for
// sure, registers and shared memory read that not every path has written, coordinates outside.
//
// trial_sizes.cpp chooses the sizes.

#include <cstddef>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// The sizes that are tried: small ones around the tiles of the grid, without duplicates. A kernel without
/// arguments has one, which is empty. The sizes satisfy assumptions_of_launch(kernel), if such sizes are found.
std::vector<Arguments> trial_sizes(const ir::Kernel& kernel);

/// `sizes` with steps from row to row that are no smaller than what they step over. They do not matter to a proof,
/// which knows elements by their coordinates, but a launch needs them.
Arguments with_strides(const ir::Kernel& kernel, Arguments sizes);

/// " (m = 3, n = 4)", for messages.
std::string text_of(const Arguments& sizes);

struct TrialReport {
  std::vector<std::string> reasons = {};  // why the kernel is wrong, with the sizes
  bool is_whole = true;                   // every workgroup was followed to its end
  bool is_launch = true;           // false: no launch takes these arguments, as the reason says
  bool breaks_assumption = false;  // no launch takes them because of an assumption of the author
};
/// Runs the kernel at `sizes`. The twin lets two equal conditions on data hold and fail independently, and a loop whose
/// end is data have no round. So if it finds something, and some condition depends on data, it runs again with those
/// arrays as written of which arrays_written_before_read says so. The precondition is that of try_sizes.
TrialReport try_at(const ir::Kernel& kernel, const Arguments& sizes);

struct Trials {
  /// Why the kernel is wrong at one of the sizes; each reason ends with them.
  std::vector<std::string> reasons = {};
  /// The launches in which nothing is wrong, by TrialReport::is_whole.
  std::size_t whole = 0, in_part = 0;
  /// Whether these are all launches that the kernel can have: no argument decides an index.
  bool are_all = false;
};
/// Runs the kernel at trial_sizes, until it is wrong. Precondition: names, types and bounds are right.
Trials try_sizes(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
