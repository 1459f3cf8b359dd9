// SPDX-License-Identifier: MIT
#pragma once
// The arrays of a user as a problem of attention.

#include "vkmoye/gen/problems/attention/options.hpp"
#include "vkmoye/gen/problems/operation.hpp"

namespace vkmoye::gen {

/// Sets what follows from `given`: q, k and v, then lengths, mask, slopes and sinks, if `options` have them. Returns
/// {queries, keys, width}. Throws ArgumentError with every reason why they do not fit together.
Extents take_arrays(const ProblemText& text, const std::vector<GivenArray>& given,
                    AttentionOptions& options);

}  // namespace vkmoye::gen
