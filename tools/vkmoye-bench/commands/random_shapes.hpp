// SPDX-License-Identifier: MIT
#pragma once
// Random problems of every family for `suite --cliffs`: extents are drawn log-uniformly, so that thin, flat, tiny and
// ragged shapes are as likely as squares.
//
//   reduce/sum --axis 0 f16 1048576x64;  relayout --permute 3,0,2,1 i8 7x300x12x501;  gemm/auto f16,f32 3x4099x17

#include <cstdint>

#include "commands/measure_all.hpp"
#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::bench {

/// The first `count` problems of `seed`, with sizes for `device`.
Workloads random_shapes(std::int64_t count, std::uint64_t seed, const DeviceCaps& device);

}  // namespace vkmoye::bench
