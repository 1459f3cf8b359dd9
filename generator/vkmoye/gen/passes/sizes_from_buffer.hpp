// SPDX-License-Identifier: MIT
#pragma once
// Sizes that only the device knows, such as the number of visible objects or of tokens that are kept: a kernel takes
// them from a buffer, without the host reading them back.
//
//   with_sizes_from_buffer(copy/simple, {"rows"}, {{"cols", 64}, {"rows", 1000}})
//   arrays    0 src   1 dst   2 sizes   3 status
//   scratch   4 command   5 checked
//   step 0    sizes/check    rows <= 1000?   command = ceil(cols / 32) x ceil(rows / 32) x 1, checked = rows
//   step 1    copy/simple    as many groups as `command` has, with rows from `checked`
//
// The caller's arrays have the size that the maxima need. If a size is above its maximum, `status` says which one, no
// group of step 1 runs, and the results stay as they were.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel_plan.hpp"

namespace vkmoye::gen {

/// The plan that runs `kernel` with the sizes `names` from the array `sizes`, one u32 for each in this order. `maxima`
/// has the maximum of each of them, which is at least 1, and the values of all other arguments; missing strides are
/// compact for the maxima. The first step checks each size against its maximum and against those assumptions of the
/// kernel that only arguments decide. To `status`, one u32, it writes 0 if it accepts them, else 1 + the index of the
/// first size that is above its maximum or occurs in a broken assumption. If one size is 0 and the grid depends on it,
/// no group of the second step runs.
/// Throws ArgumentError with every reason: a name that is not an extent of an array or of the grid; an extent on which
/// a stride depends, so that elements would lie elsewhere for each size; missing, unknown or invalid values; a shader
/// that was written by hand.
/// The kernels are not verified here; `compile` does that.
KernelPlan with_sizes_from_buffer(const ir::Kernel& kernel, const std::vector<std::string>& names,
                                  const Arguments& maxima);

}  // namespace vkmoye::gen
