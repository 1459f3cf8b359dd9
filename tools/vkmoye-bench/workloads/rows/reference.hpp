// SPDX-License-Identifier: MIT
#pragma once
// What kernels must make of the rows of a matrix, and how far off they may be: from the precision that
// the Vulkan specification gives operations ("Precision and Operation of SPIR-V Instructions").
//
//   e      2^-23, the relative error of one operation on f32 that is rounded, in any direction (2^-52: f64)
//   D      min(n, n / threads + 40): the roundings on the way of a value into a sum of n: of those that
//          a thread adds up, then of up to 128 lanes two by two, then of up to 32 subgroups; adding 0
//          rounds nothing
//
//   sum       |r - sum x| <= e D sum |x|. Of integers nothing: they wrap.
//   largest   nothing
//   softmax   x - m is off by e |x - m|, exp by 3 + 2 |x - m| units, so each exponential by
//             a = 3 e (1 + |x - m|) of itself, the sum by D e and the mean of the a, weighted by the
//             exponentials; the quotient by 2.5 units
//   rms norm  the sum of squares by e (D + 1), the mean by 2.5 units and the rounding of n, the sum with
//             epsilon by e: half of all that, and 2 units, are the error of the inverse root; two
//             products follow
//
// Results of f16 are rounded once more. What is too small for a normal number may be taken for 0.

#include <cstddef>
#include <span>

#include "vkmoye/contract/scalar_type.hpp"
#include "workloads/rows/workload.hpp"

namespace vkmoye::bench {

/// Of the values `x`, which are numbers of `type`, shared by so many threads.
Defined defined_sum(ScalarType type, std::span<const double> x, std::size_t threads);
Defined defined_largest(ScalarType type, std::span<const double> x);

/// Of each value of the row `x`. Preconditions: `type` is f16 or f32; as many results as values.
void define_softmax(ScalarType type, std::span<const double> x, std::size_t threads,
                    std::span<Defined> out);
void define_rms_norm(ScalarType type, std::span<const double> x, std::span<const double> weight,
                     double epsilon, std::size_t threads, std::span<Defined> out);

}  // namespace vkmoye::bench
