// SPDX-License-Identifier: MIT
#pragma once
// Sums, largest elements and their places, softmax, norms and gates, for the command line. rows/reference.hpp has
// their definitions.

#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation sums();
Operation largest_elements();
Operation softmaxes();
Operation norms();
Operation places_of_largest();
Operation gates();

}  // namespace vkmoye::bench
