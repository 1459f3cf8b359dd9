// SPDX-License-Identifier: MIT
#pragma once
// Rows of a table by indices, for the command line: NumPy's table[indices], with rows of zeros for indices outside.
// Results are exact, or the nearest number of the result's type.

#include "vkmoye/gen/problems/operation.hpp"

namespace vkmoye::gen {

Operation lookups();

}  // namespace vkmoye::gen
