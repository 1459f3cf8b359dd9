// SPDX-License-Identifier: MIT
#pragma once
// Random kernels, written with the DSL from a seed, whose results are known.
//
//   random_kernel(17)     "transposed f32, tile 16x8, 32 threads, shared (16,8):(1,17), ring of 2 .."
//
//   through a tile        dst(c, r) = src(c, r), or dst(r, c): directly, through registers, or through a
//                         shared tile
//   along a ring          the same for several tiles in a loop over the size, with one to three stages; each
//                         tile is loaded when it is needed, in advance, or through registers
//   sums                  out(c, i) = sum over all tiles t of src(c, t * rows of a tile + i)
//   products              gemm of random config and form

#include "judge/judged_kernel.hpp"

namespace vkmoye::judge {

/// Throws KernelError if the verifier rejects it, which would be a false alarm.
Subject random_kernel(std::uint64_t seed);

}  // namespace vkmoye::judge
