// SPDX-License-Identifier: MIT
#pragma once
// The operations of vkmoye.

#include <vector>

#include "vkmoye/gen/problems/operation.hpp"

namespace vkmoye::gen {

/// All, in the order in which their options are listed.
const std::vector<Operation>& operations();

}  // namespace vkmoye::gen
