// SPDX-License-Identifier: MIT
#pragma once
// Walks the statements in order with the names in scope and the guards that hold.

#include <set>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Why names, types, bounds of buffers and divergence are wrong, see verify.hpp.
std::vector<std::string> check_scope(const ir::Kernel& kernel);

/// The accesses of `kernel` to single elements of shared memory that bounds or enclosing conditions keep inside the
/// array, whatever the data. They belong to the kernel.
std::set<const ir::Element*> shared_elements_inside(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
