// SPDX-License-Identifier: MIT
#pragma once
// The definitions of the operations on rows, with error bounds. These follow from the precision that the Vulkan
// specification guarantees ("Precision and Operation of SPIR-V Instructions").
//
//   e      2^-23, the relative error of one rounded f32 operation, in any rounding mode (f64: 2^-52)
//   D      min(n, n / threads + 40): the number of roundings of a value in a sum of n: additions in its thread,
//          then pairwise over up to 128 lanes, then over up to 32 subgroups; adding 0 does not round
//
//   sum       |r - sum x| <= e D sum |x|, and D times the smallest normal number, since partial sums may be flushed;
//             infinite only if the positive or the negative numbers add up to more than the largest number.
//             Integers are exact: they wrap.
//   largest   exact
//   softmax   exp(x - m) is the product of exp(x - own) and exp(own - m), own the maximum of a part of the row. Its
//             relative error is a = 3 e (2 + |x - m|) + e: a difference d has the error e |d|, exp 3 + 2 |d| ulp and
//             the product 1; the sum has D e plus the mean of a weighted by the exponentials; the quotient adds 2.5
//             ulp
//   rms norm  the sum of squares has e (D + 1.5), half an ulp for squares that are lost (sum_of_squares.hpp), the mean
//             adds 2.5 ulp and the rounding of n, epsilon adds e;
//             half of this and 2 ulp are the error of the inverse square root; two products follow
//             of a sum: the sum has e, and so have the root and the product with it
//   layer norm  deviations are from a centre, which is the mean up to c = 4 e |mean| + 3 e (D + 4) mean |x - first|;
//             their sums are shifted twice to a common centre, so that the mean has the error 3 e (D + 4) standard
//             deviations, and the variance 3 e (D + 4) (variance + c^2); a root, three products and two sums follow;
//             sums of f32 and bf16 lose deviations below 2^35 times the smallest normal number, 4e-28
//   argmax    exact, and so are the largest elements of topk and their columns
//   gate      silu and gelu have the error of numbers/activations.hpp; one product follows
//   rope      the angle is the exact product, less turns: two sums of up to 4 and smaller numbers are rounded, 3 e pi
//             in all, as long as it is below 2^24; sine and cosine have 2^-11; two products and a sum follow
//
// Results of f16, bf16, e4m3 and e5m2 are rounded once more. Numbers below the smallest normal one may be flushed to 0,
// inputs among them: then the definition of the flushed inputs is right as well. A result may be infinite if it is
// beyond the largest number with its error.

#include <cstddef>
#include <span>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/rows/gate.hpp"
#include "vkmoye/gen/kernels/rows/rope.hpp"
#include "vkmoye/gen/numbers/expected.hpp"

namespace vkmoye::gen {

/// The reduction of the values `x`, which are numbers of `type`, by `threads` threads.
Expected defined_sum(ScalarType type, std::span<const double> x, std::size_t threads);
Expected defined_largest(ScalarType type, std::span<const double> x);

/// The result for each value of the row `x`. Preconditions: `type` is f32, or is computed in f32; as many results as
/// values.
void define_softmax(ScalarType type, std::span<const double> x, std::size_t threads,
                    std::span<Expected> out);
void define_rms_norm(ScalarType type, std::span<const double> x, std::span<const double> weight,
                     double epsilon, std::size_t threads, std::span<Expected> out);
/// The sums x + residual, then their norms.
void define_residual_norm(ScalarType type, std::span<const double> x,
                          std::span<const double> residual, std::span<const double> weight,
                          double epsilon, std::size_t threads, std::span<Expected> out);
/// The rows with a mean of 0 and a variance of 1, times `weight`, plus `bias`.
void define_layer_norm(ScalarType type, std::span<const double> x, std::span<const double> weight,
                       std::span<const double> bias, double epsilon, std::size_t threads,
                       std::span<Expected> out);
void define_gate(ScalarType type, GateFunction function, std::span<const double> x,
                 std::span<const double> factors, std::span<Expected> out);
/// The heads of a token, each of twice as many values as there are frequencies.
void define_rope(ScalarType type, RopePairs pairs_are, std::span<const double> heads,
                 double position, std::span<const double> frequencies, std::span<Expected> out);

/// The index of the first largest value, or of the first NaN. Precondition: there are values.
std::size_t defined_column_of_largest(std::span<const double> x);

/// The k largest values, then their k indices; k is half the size of `out`. NaNs come before numbers, and equal values
/// keep their order. If there are fewer than k values, the rest is -infinity with the index 2^32 - 1.
void define_largest(ScalarType type, std::span<const double> x, std::span<Expected> out);

}  // namespace vkmoye::gen
