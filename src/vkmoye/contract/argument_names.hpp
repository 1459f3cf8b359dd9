// SPDX-License-Identifier: MIT
#pragma once
// The names of a kernel's arguments.
//
//   copy: src (cols, rows) with strides (1, ld), grid ceil(cols / 32) x ceil(rows / 32), push constant scale
//   extent_names       cols, ld, rows
//   argument_names     cols, ld, rows, scale

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// The names of the arguments in the extents and strides of the bindings, and in the grid.
std::set<std::string> extent_names(const KernelInterface& kernel);

/// The arguments that a launch passes, in alphabetical order: all but the specialised ones.
std::vector<std::string> argument_names(const KernelInterface& kernel);

/// How the arguments of a launch, specialised ones included, differ from those of the kernel.
struct WrongNames {
  std::vector<std::string> missing;  // "rows", in alphabetical order
  std::vector<std::string> unknown;  // "unknown argument 'row', did you mean 'rows'?"
  /// "argument 'rows' is missing" for each that is missing, then the unknown ones.
  std::vector<std::string> reasons() const;
};
/// The names that `kernel` takes and `arguments` lack, and those that it does not take.
WrongNames wrong_names(const KernelInterface& kernel, const Arguments& arguments);

/// Why `argument` is not a whole number in min..max: "argument rows = -2 is outside 0..4095", "argument rows = 2.5 is
/// not a whole number". Empty if it is one.
std::string reason_against_whole(const std::string& name, const Argument& argument,
                                 std::int64_t min, std::int64_t max);

}  // namespace vkmoye
