// SPDX-License-Identifier: MIT
#pragma once
// The arrays of a user as a problem of attention.

#include "workloads/attention/problem.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {

/// Sets what follows from `given`: q, k and v, then lengths, mask, slopes and sinks, those that `options` have. Returns
/// {queries, keys, width}. Throws ArgumentError with every reason why they do not fit together.
Extents take_arrays(const WorkloadSpec& spec, const std::vector<GivenArray>& given,
                    AttentionOptions& options);

}  // namespace vkmoye::bench
