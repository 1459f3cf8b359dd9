// SPDX-License-Identifier: MIT
#pragma once
// The definition of attention in f64, row by row, with an error bound of each element.
//
// The bound follows from the precision that the Vulkan specification guarantees ("Precision and Operation of SPIR-V
// Instructions"); e = 2^-23 is the relative error of one f32 operation in any rounding mode. Of a row with scores
// x_j, its largest m, weights w_j = exp(x_j - m) and W = sum w_j:
//
//   score     scale * s_j; s_j has the error e (D + 2) sum_d |q_d k_jd|: D multiply-adds, in any order
//             a soft cap multiplies the error by at most 1 and adds 6 e |x_j| and 11 e cap: its argument is rounded up
//             to 6 times; of cap * (1 - 2 / (1 + exp(2 z))), the exponential has the relative error (3 + 4 |z|) e, of
//             which at most 2.4 e reach the quotient, that adds 2.5 ulp of at most 2, and the sums 3 ulp
//   bias      before it is added, scaling adds e |x_j|; a slope is the rounded product with an exact distance, below
//             2^24. Each sum is one of f32, to nearest: rounding is monotonous, so that the sum for x_j with its error
//             is between those for both ends. Scores that a mask of -1e9 absorbs are therefore equal, without error
//   sink      one more score, with the error 4 e of its magnitude
//   weight    (x_j - m) * factor is 0 at the maximum, else rounded 4 times, twice in the factor; the exponential has
//             the relative error (3 + 2 * log2(e) |x_j - m|) e. Each of up to T rescalings multiplies by an exponential
//             (3 e) and rounds (e); its exponent is another part of x_j - m, with the same error
//             ->  exponents have the error dx_j + e (3 + 7 |x_j - m| + 4 T); d_j = exp(dx_j) - 1 + the rest
//   result    errors d_j of w_j move the mean o of the values by sum w_j d_j |v_j - o| / (W - sum w_j d_j), and never
//             beyond the values of keys whose share may be large: a key has at most the share
//             exp(x_j + dx_j - max (x_i - dx_i)), so that the mean moves by at most the largest |v_j - o| of the keys
//             with a share above 2^-24, and the others' share times |v_j - o|. Sums over K keys round K times,
//             numerator and denominator; the quotient adds 4 ulp. Matrix units take the weights in the type of q,
//             with its eps u and smallest normal number t: u sum w_j |v_j| / W, and of weights below t (without them,
//             below 2^-126) nothing may be left
//
//   blocks    the reference decodes keys and values exactly, and so do kernels, except where a minimum is added:
//             its sum is rounded once, which adds e |k_jd| and e |v_j|
//             Matrix units round keys and values in blocks, or of another type than q, to the type of q. If none is
//             beyond its range, s_j gets the error sum_d |q_d| (u |k_jd| + t), the result u sum w_j |v_j| / W + t
//
//   log sum   W moves by up to M = sum w_j d_j, its logarithm by -log(1 - M / W), or as far as one of the exponents.
//             The sum of K numbers rounds K times; the logarithm has the error 2^-21 + 3 e |log W|; the maximum is
//             scaled, and both are added: 4 e of both
//
//   too large If 2 sum_d |q_d k_jd|, or that and the mask, is beyond the largest number of f32, or a key or value that
//             is rounded beyond that of its type, nothing is known of the row. The sums of values may be infinite, or
//             NaN, if the positive or the negative ones add up to more than the largest number of f32, as their weights
//             are at most 1. A value that is not finite may make its column NaN, also if its key is hidden: 0 times
//             infinity.
//
// Only -infinity hides a key. Rows whose keys are all hidden are 0; equal masks, however low, have no effect.
//
// T is the number of tiles of keys, at most K / 8 + 1, and 3 for threads and slices. The result is rounded to its type.
// Random signs: sums of K numbers and of D products are assumed to round like a random walk, 8 sqrt(K) and 8 sqrt(D),
// where that is less (see products/check.hpp).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"
#include "vkmoye/gen/numbers/expected.hpp"

namespace vkmoye::gen {

/// A row of O: query `query` of a head of an entry that has `length` keys.
struct AttentionRow {
  std::int64_t query = 0, length = 0;
  double slope = 0;
  std::optional<double> sink = {};
  std::span<const double> mask = {};  // one value for each key; empty: none
};

/// Defines the elements `out` of `row`, and its logarithm of the sum. `q` is a row of Q, `k` and `v` the keys and
/// values of its head, row by row. `on_matrix_units`: whether weights may be rounded to `type`, and with them keys and
/// values in blocks or of another type.
Expected define_attention(const AttentionCall& call, ScalarType type, bool on_matrix_units,
                          const AttentionRow& row, std::span<const double> q,
                          std::span<const double> k, std::span<const double> v,
                          std::span<Expected> out);

/// The keys [first, end) of `length` that query `query` sees, unless the mask hides them.
struct SeenKeys {
  std::int64_t first, end;
};
SeenKeys seen_keys(const AttentionCall& call, std::int64_t query, std::int64_t length);

}  // namespace vkmoye::gen
