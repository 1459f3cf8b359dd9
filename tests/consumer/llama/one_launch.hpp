// SPDX-License-Identifier: MIT
#pragma once
// The steps of a layer as one launch, whose workgroups wait for each other between them.
//
//   several launches     product  rotation  attention  product  silu  product         each waits for the one before
//   one launch           product; rotation; attention; product; silu; product         a counter in memory at each ;
//
// A token's steps take some microseconds each, and a launch that waits for another costs about four. One that waits at
// a counter costs one to two.

#include <cstdint>
#include <vector>

#include "steps.hpp"

namespace llama {

/// `steps`, where those of each layer are one step of `groups` workgroups. Throws vkmoye::KernelError if the steps of a
/// layer cannot be one kernel.
std::vector<Step> with_layers_as_one(const std::vector<Step>& steps, Plans& plans,
                                     std::int64_t groups);

}  // namespace llama
