// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/running_softmax.hpp"

#include <cfloat>

#include "vkmoye/gen/dsl/functions.hpp"

namespace vkmoye::gen {
namespace {

using ir::number;

// Exactly 1 where the score is m; 0 for -infinity.
Expr probability(const Expr& score, const Expr& m, const ScoreFactors& factors) {
  return exp2((score - m) * factors.to_exponent);
}

}  // namespace

RunningSoftmax::RunningSoftmax(Builder& builder, const ScoreFactors& factors, const View& scores,
                               const ScoreModes& modes, const std::optional<Expr>& sink)
    : builder_(builder), factors_(factors), modes_(modes), sink_(sink) {
  const View of_rows = first_along(scores, {modes.columns});
  row_max_ = builder.make_fragment_like("row_max", ScalarType::f32, of_rows);
  rescale_by_ = builder.make_fragment_like("rescale", ScalarType::f32, of_rows);
  row_sum_ = builder.make_fragment_like("row_sum", ScalarType::f32, of_rows);
}

void RunningSoftmax::start() {
  if (sink_) {
    start_at_sink();
  } else {
    builder_.with_title("row_max <- the least finite number; scores of unseen keys are less",
                        [&] { builder_.assign(row_max_, -FLT_MAX); });
  }
  builder_.assign(row_sum_, 0);
}

// A finite sink stays finite when it is divided by the factor of scores: it is limited to the finite numbers.
void RunningSoftmax::start_at_sink() {
  const Expr& sink = *sink_;
  const Expr score = factors_.to_defined ? sink / *factors_.to_defined : sink;
  const Expr is_finite = less(absolute(sink), kMinimum.neutral(ScalarType::f32));
  score_of_sink_ =
      builder_.let("score_of_sink", select(is_finite, clamp(score, -FLT_MAX, FLT_MAX), sink));
  builder_.with_title("row_max <- the score of the sink, at least the least finite number",
                      [&] { builder_.assign(row_max_, maximum(score_of_sink_, -FLT_MAX)); });
}

void RunningSoftmax::keep_row_max() {
  builder_.with_title("rescale <- row_max, before it changes",
                      [&] { builder_.copy(row_max_, rescale_by_); });
}

// Rescales earlier sums to the new maximum.
void RunningSoftmax::rescale(const View& sums) {
  builder_.with_title(
      "rescale <- exp2((rescale - row_max) * factor): the factor of earlier sums", [&] {
        builder_.apply(
            rescale_by_,
            [&](const Expr& before, const Expr& m) { return probability(before, m, factors_); },
            rescale_by_, row_max_);
      });
  for (const View& of : {row_sum_, sums}) {
    builder_.apply(
        of, [](const Expr& x, const Expr& by) { return x * by; }, of, rescale_by_);
  }
}

void RunningSoftmax::replace_by_probabilities(const View& scores) {
  builder_.with_title(
      scores.array + " <- exp2((" + scores.array + " - row_max) * factor), the probabilities", [&] {
        builder_.apply(
            scores, [&](const Expr& x, const Expr& m) { return probability(x, m, factors_); },
            scores, row_max_);
      });
}

void RunningSoftmax::update(const View& scores, const View& sums) {
  keep_row_max();
  builder_.accumulate(row_max_, kMaximumOfNumbers, scores);
  builder_.reduce_across(row_max_, kMaximumOfNumbers, modes_.threads, modes_.shared_by_row);
  rescale(sums);
  replace_by_probabilities(scores);
  builder_.accumulate(row_sum_, kSum, scores);
}

void RunningSoftmax::update_per_thread(const View& scores, const View& sums, const View* counts) {
  keep_row_max();
  builder_.accumulate(row_max_, kMaximumOfNumbers, scores);
  builder_.call("rescale_sums", [&] { rescale(sums); });
  replace_by_probabilities(scores);
  if (counts == nullptr) return builder_.accumulate(row_sum_, kSum, scores);
  builder_.apply(
      broadcast(row_sum_, scores.shape()),
      [](const Expr& all, const Expr& probability, const Expr& count) {
        return multiply_add(probability, count, all);
      },
      broadcast(row_sum_, scores.shape()), scores, *counts);
}

void RunningSoftmax::merge(const View& sums) {
  keep_row_max();
  builder_.reduce_across(row_max_, kMaximumOfNumbers, modes_.threads, modes_.shared_by_row);
  builder_.call("rescale_sums", [&] { rescale(sums); });
  builder_.reduce_across(row_sum_, kSum, modes_.threads, modes_.shared_by_row);
  builder_.reduce_across(sums, kSum, modes_.threads, modes_.shared_by_row);
}

void RunningSoftmax::finish(const View& sums) {
  builder_.reduce_across(row_sum_, kSum, modes_.threads, modes_.shared_by_row);
  divide(sums);
}

void RunningSoftmax::divide(const View& sums) {
  if (sink_) {
    builder_.with_title("row_sum <- row_sum + exp2((score_of_sink - row_max) * factor)", [&] {
      builder_.apply(
          row_sum_,
          [&](const Expr& all, const Expr& m) {
            return all + probability(score_of_sink_, m, factors_);
          },
          row_sum_, row_max_);
    });
  }
  builder_.with_title("sums <- sums / row_sum, 0 for rows that see no key", [&] {
    builder_.apply(
        sums,
        [](const Expr& x, const Expr& whole) {
          return select(equal(whole, number(ScalarType::f32, 0)), number(ScalarType::f32, 0),
                        x / whole);
        },
        sums, row_sum_);
  });
}

void RunningSoftmax::store_log_sums(const View& to) {
  const Expr along = thread_coordinates(
      modes_.threads, builder_.thread())[static_cast<std::size_t>(modes_.shared_by_row)];
  builder_.branch({equal(along, 0)}, [&] {
    builder_.with_title("log_sums <- log(row_sum) + the score of the maximum", [&] {
      builder_.apply(
          to,
          [&](const Expr& m, const Expr& all) {
            Expr score = factors_.to_defined ? m * *factors_.to_defined : m;
            if (sink_) score = select(equal(m, score_of_sink_), *sink_, score);
            return select(equal(all, number(ScalarType::f32, 0)), kMaximum.neutral(ScalarType::f32),
                          score + log(all));
          },
          row_max_, row_sum_);
    });
  });
}

}  // namespace vkmoye::gen
