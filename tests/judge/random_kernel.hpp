// SPDX-License-Identifier: MIT
#pragma once
// Kernels out of the DSL whose shape a seed decides, and whose results are known.
//
//   random_kernel(17)     "transposed f32, tile 16x8, 32 threads, shared (16,8):(1,17), ring of 2 .."
//
//   through a tile        dst(c, r) = src(c, r), or dst(r, c): straight across, through registers,
//                         through a shared tile
//   along a ring          the same, tile after tile in a loop of as many rounds as the sizes ask, with
//                         one to three stages, each tile loaded in time, in advance or by registers
//   sums                  out(c, i) = sum over all tiles t of src(c, t * rows of a tile + i)
//   products              gemm of random config and form

#include "judge/subject.hpp"

namespace vkmoye::judge {

/// Throws KernelError if the verifier refuses it: a false alarm.
Subject random_kernel(std::uint64_t seed);

}  // namespace vkmoye::judge
