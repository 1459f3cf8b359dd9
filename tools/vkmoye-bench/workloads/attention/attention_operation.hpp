// SPDX-License-Identifier: MIT
#pragma once
// The operation "attention": arrays of random numbers or of the user, the check, and the plan of each kernel.

#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation attentions();

}  // namespace vkmoye::bench
