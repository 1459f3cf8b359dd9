// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/score_scale.hpp"

namespace vkmoye::gen {

ScoreFactors score_factors(Builder& builder, const AttentionForm& form) {
  if (has_bias(form)) return {{}, ir::number(ScalarType::f32, kLog2E)};
  const Expr factor = builder.argument(form.soft_cap ? "soft_cap" : "scale", ScalarType::f32);
  return {factor, builder.let("factor", factor * kLog2E)};
}

ScoreScale::ScoreScale(Builder& builder, const AttentionForm& form, const Expr& scale)
    : has_cap_(form.soft_cap), factor_(scale) {
  if (has_cap_) {
    factor_ = builder.argument("soft_cap", ScalarType::f32);
    per_cap_ = builder.let("of_cap", scale * (2 * kLog2E) / factor_);
  }
  of_softmax_ = score_factors(builder, form);
}

void ScoreScale::cap(Builder& builder, const View& scores) const {
  if (!has_cap_) return;
  // The absolute error of tanh(z) = 1 - 2 / (1 + exp(2 z)) is that of a few roundings of 1, however small z is.
  builder.with_title("scores <- tanh(scores * scale / soft_cap)", [&] {
    builder.apply(
        scores, [&](const Expr& x) { return 1 - 2 / (1 + exp2(x * per_cap_)); }, scores);
  });
}

}  // namespace vkmoye::gen
