// SPDX-License-Identifier: MIT
#pragma once
// The registry's rows of what is computed of the rows of a matrix: sums, largest elements, softmax,
// norms.

#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/kernels/rows/reduce.hpp"
#include "vkmoye/gen/kernels/rows/rms_norm.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> row_entries();

// What a request for one of them comes to, fitted to its shape: who checks a result asks here how it
// was added up. Options that it does not have are left out; describing it refuses them.

ReduceConfig reduce_config_of(const KernelRequest& request);
ThreadsConfig softmax_config_of(const KernelRequest& request);
RmsNormConfig rms_norm_config_of(const KernelRequest& request);

}  // namespace vkmoye::gen
