// SPDX-License-Identifier: MIT
#pragma once
// Follows every access to shared memory through one workgroup, for all sizes at once.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Why the kernel's use of shared memory is wrong: an index out of range or one that cannot be
/// followed, one element accessed by two threads, one of which writes, with no barrier between, an
/// element read that nothing wrote. Sizes and data are not known: conditions on them may hold or
/// not, loops over them may end after any round. Precondition: names and types are right.
std::vector<std::string> check_shared_memory(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
