// SPDX-License-Identifier: MIT
#pragma once
// The factors of scores, and their soft cap.
//
//   a kernel has                    score of the definition
//     q k                           scale * q k                           without a cap and a bias
//     tanh(q k * scale / cap)       cap * tanh(..)                        with a cap
//     its whole score               the same                              with a bias, which is added to scaled scores
//
// The softmax takes scores as they are, and multiplies their distances from the maximum: these are exactly 0 at the
// maximum, however large it is.

#include <optional>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"

namespace vkmoye::gen {

inline constexpr double kLog2E = 1.4426950408889634;

/// What the softmax multiplies distances of scores by.
struct ScoreUnit {
  std::optional<Expr> unit;  // to get those of the definition; empty: they are
  Expr exponent_factor;      // to get them as exponents of 2
};
/// Declares the argument on which it depends. It is the same in all kernels of a plan.
ScoreUnit score_unit(Builder& builder, const AttentionForm& form);

class ScoreScale {
 public:
  ScoreScale() = default;
  /// Declares the soft cap, if the form has one. `scale`: the argument.
  ScoreScale(Builder& builder, const AttentionForm& form, const Expr& scale);

  /// What a score, as it is multiplied and capped, is multiplied by before a bias is added.
  const Expr& unit() const { return unit_; }
  /// The unit of scores with their bias, if the form has one.
  const ScoreUnit& of_softmax() const { return of_softmax_; }

  /// Replaces scores by tanh(scores * scale / soft_cap), if the form has a soft cap.
  void cap(Builder& builder, const View& scores) const;

 private:
  bool has_cap_ = false;
  Expr unit_ = 0, per_cap_ = 0;
  ScoreUnit of_softmax_ = {{}, 0};
};

}  // namespace vkmoye::gen
