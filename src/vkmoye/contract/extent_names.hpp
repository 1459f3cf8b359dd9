// SPDX-License-Identifier: MIT
#pragma once
// The arguments that decide the sizes of a kernel's arrays and its grid.

#include <set>
#include <string>

#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// The names of the arguments in the extents and strides of the bindings, and in the grid.
std::set<std::string> extent_names(const KernelInterface& kernel);

}  // namespace vkmoye
