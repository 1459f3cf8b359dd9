// SPDX-License-Identifier: MIT
#pragma once
// Sums, largest elements, softmax and norms of the rows of a matrix, as the command line sees them;
// what is right is said in rows/reference.hpp.

#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation sums();
Operation largest_elements();
Operation softmaxes();
Operation norms();

}  // namespace vkmoye::bench
