// SPDX-License-Identifier: MIT
#pragma once
// The factors of scores, and their soft cap.
//
//   a kernel has                    score of the definition
//     q k                           scale * q k                           without a cap and a bias
//     tanh(q k * scale / cap)       cap * tanh(..)                        with a cap
//     its whole score               the same                              with a bias, which is added to scaled scores
//
// The softmax does not scale scores, but their distances from the maximum: at the maximum, the distance is exactly 0,
// however large the maximum is.

#include <optional>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"

namespace vkmoye::gen {

inline constexpr double kLog2E = 1.4426950408889634;

/// The factors by which the softmax multiplies distances between scores.
struct ScoreFactors {
  std::optional<Expr> to_defined;  // makes them distances of the definition; empty: they are equal
  Expr to_exponent;                // makes them exponents of 2
};
/// Declares the argument on which the factors depend. They are equal in all kernels of a plan.
ScoreFactors score_factors(Builder& builder, const AttentionForm& form);

class ScoreScale {
 public:
  ScoreScale() = default;
  /// Declares the soft cap, if the form has one. `scale`: the argument.
  ScoreScale(Builder& builder, const AttentionForm& form, const Expr& scale);

  /// The factor of a score, after the product and the cap, before a bias is added.
  const Expr& factor() const { return factor_; }
  /// The factors of scores, including their bias if the form has one.
  const ScoreFactors& of_softmax() const { return of_softmax_; }

  /// Replaces scores by tanh(scores * scale / soft_cap), if the form has a soft cap.
  void cap(Builder& builder, const View& scores) const;

 private:
  bool has_cap_ = false;
  Expr factor_ = 0, per_cap_ = 0;
  ScoreFactors of_softmax_ = {{}, 0};
};

}  // namespace vkmoye::gen
