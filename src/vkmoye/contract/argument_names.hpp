// SPDX-License-Identifier: MIT
#pragma once
// The names of a kernel's arguments.
//
//   copy: src (cols, rows) with strides (1, ld), grid ceil(cols / 32) x ceil(rows / 32), push constant scale
//   extent_names       cols, ld, rows
//   argument_names     cols, ld, rows, scale

#include <set>
#include <string>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// The names of the arguments in the extents and strides of the bindings, and in the grid.
std::set<std::string> extent_names(const KernelInterface& kernel);

/// The arguments that a launch passes, in alphabetical order: all but the specialised ones.
std::vector<std::string> argument_names(const KernelInterface& kernel);

/// The arguments of a launch, specialised ones too, that `arguments` lacks, in alphabetical order.
std::vector<std::string> missing_names(const KernelInterface& kernel, const Arguments& arguments);

/// "argument 'rows' is missing", for each of `missing`, and "unknown argument 'row', did you mean 'rows'?", for each of
/// `arguments` that the kernel does not have.
std::vector<std::string> reasons_against_names(const KernelInterface& kernel,
                                               const Arguments& arguments,
                                               const std::vector<std::string>& missing);

}  // namespace vkmoye
