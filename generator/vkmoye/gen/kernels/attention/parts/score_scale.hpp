// SPDX-License-Identifier: MIT
#pragma once
// The factors of scores, and their soft cap.

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"

namespace vkmoye::gen {

inline constexpr double kLog2E = 1.4426950408889634;

/// What a score, as it is multiplied and capped, is multiplied by.
class ScoreScale {
 public:
  ScoreScale() = default;
  /// Declares the soft cap, if the form has one. `scale`: the argument.
  ScoreScale(Builder& builder, const AttentionForm& form, const Expr& scale);

  const Expr& unit() const { return unit_; }                        // to get the score
  const Expr& exponent_factor() const { return exponent_factor_; }  // to get it as an exponent of 2

  /// Replaces scores by tanh(scores * scale / soft_cap), if the form has a soft cap.
  void cap(Builder& builder, const View& scores) const;

 private:
  bool has_cap_ = false;
  Expr unit_ = 0, exponent_factor_ = 0, per_cap_ = 0;
};

}  // namespace vkmoye::gen
