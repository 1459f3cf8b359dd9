// SPDX-License-Identifier: MIT
#pragma once
// Sums, largest elements, softmax and norms of the rows of a matrix, for the command line. rows/reference.hpp has
// their definitions.

#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation sums();
Operation largest_elements();
Operation softmaxes();
Operation norms();

}  // namespace vkmoye::bench
