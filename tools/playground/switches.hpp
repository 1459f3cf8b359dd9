// SPDX-License-Identifier: MIT
#pragma once
// The barriers and the guards of a kernel, numbered in the order of the text, and the kernel without one of them.

#include <cstddef>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::playground {

struct Switch {
  enum class Kind { barrier, guard };
  Kind kind;
  std::string text;  // "barrier()", or the condition: "src_col < cols"
};

/// In the order of the text. A guard is an if whose condition compares an index.
std::vector<Switch> switches_of(const gen::ir::Kernel& kernel);

/// The kernel without those barriers, and with true in place of the conditions of those guards; the numbers are places
/// in switches_of. It is not verified.
gen::ir::Kernel without(const gen::ir::Kernel& kernel, const std::vector<std::size_t>& numbers);

}  // namespace vkmoye::playground
