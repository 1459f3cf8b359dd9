// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/running_softmax.hpp"

#include <limits>

#include "vkmoye/gen/kernels/attention/tile.hpp"

namespace vkmoye::gen {
namespace {

constexpr double kNothingSeen = -1e30;

}  // namespace

using ir::number;

RunningSoftmax::RunningSoftmax(Builder& k, const Expr& factor, const View& scores, int columns,
                               const Layout& threads, int mode, const std::optional<Expr>& sink)
    : k_(k), factor_(factor), threads_(threads), mode_(mode), sink_(sink) {
  const View of_rows = first_along(scores, {columns});
  most_ = k.make_fragment_like("most", ScalarType::f32, of_rows);
  shrink_ = k.make_fragment_like("shrink", ScalarType::f32, of_rows);
  total_ = k.make_fragment_like("total", ScalarType::f32, of_rows);
}

void RunningSoftmax::start() {
  if (sink_) {
    const Expr exponent = k_.let("exponent_of_sink", *sink_ * kLog2E);
    k_.titled("most <- the score that the sink stands for, at least -1e30",
              [&] { k_.assign(most_, maximum(exponent / factor_, kNothingSeen)); });
    sink_ = exponent;
    return k_.assign(total_, number(ScalarType::f32, 0));
  }
  k_.titled("most <- -1e30, more than the scores of hidden keys",
            [&] { k_.assign(most_, number(ScalarType::f32, kNothingSeen)); });
  k_.assign(total_, number(ScalarType::f32, 0));
}

// The maximum is needed when the next one is known: for rescale().
void RunningSoftmax::keep_most() {
  k_.titled("shrink <- most, as it was before", [&] { k_.copy(most_, shrink_); });
}

// What weights so far are worth relative to the new maximum.
void RunningSoftmax::rescale(const View& sums) {
  k_.titled("shrink <- exp2(factor * (shrink - most)): what weights so far are worth now", [&] {
    k_.apply(
        shrink_, [&](const Expr& before, const Expr& m) { return exp2((before - m) * factor_); },
        shrink_, most_);
  });
  for (const View& of : {total_, sums}) {
    k_.apply(
        of, [](const Expr& x, const Expr& by) { return x * by; }, of, shrink_);
  }
}

void RunningSoftmax::weigh(const View& scores) {
  k_.titled("scores <- exp2(factor * scores - factor * most): weights", [&] {
    k_.apply(
        scores,
        [&](const Expr& x, const Expr& m) {
          return exp2(multiply_add(x, factor_, -(m * factor_)));
        },
        scores, most_);
  });
}

void RunningSoftmax::update(const View& scores, const View& sums) {
  keep_most();
  k_.accumulate(most_, kMaximumOfNumbers, scores);
  k_.reduce_across(most_, kMaximumOfNumbers, threads_, mode_);
  rescale(sums);
  weigh(scores);
  k_.accumulate(total_, kSum, scores);
}

void RunningSoftmax::update_apart(const View& scores, const View& sums, const View* counts) {
  keep_most();
  k_.accumulate(most_, kMaximumOfNumbers, scores);
  rescale(sums);
  weigh(scores);
  if (counts == nullptr) return k_.accumulate(total_, kSum, scores);
  k_.apply(
      broadcast(total_, scores.shape()),
      [](const Expr& all, const Expr& weight, const Expr& count) {
        return multiply_add(weight, count, all);
      },
      broadcast(total_, scores.shape()), scores, *counts);
}

void RunningSoftmax::merge(const View& sums) {
  keep_most();
  k_.reduce_across(most_, kMaximumOfNumbers, threads_, mode_);
  rescale(sums);
  k_.reduce_across(total_, kSum, threads_, mode_);
  k_.reduce_across(sums, kSum, threads_, mode_);
}

void RunningSoftmax::finish(const View& sums) {
  k_.reduce_across(total_, kSum, threads_, mode_);
  divide(sums);
}

void RunningSoftmax::divide(const View& sums) {
  if (sink_) {
    k_.titled("total <- total + exp2(exponent of the sink - factor * most)", [&] {
      k_.apply(
          total_,
          [&](const Expr& all, const Expr& m) {
            return all + exp2(multiply_add(-m, factor_, *sink_));
          },
          total_, most_);
    });
  }
  k_.titled("sums <- sums / total, 0 for rows that see no key", [&] {
    k_.apply(
        sums,
        [](const Expr& x, const Expr& whole) {
          return ir::select(equal(whole, number(ScalarType::f32, 0)), number(ScalarType::f32, 0),
                            x / whole);
        },
        sums, total_);
  });
}

void RunningSoftmax::store_log_sums(const View& to) {
  const Expr along = thread_coordinates(threads_, k_.thread())[static_cast<std::size_t>(mode_)];
  k_.branch({equal(along, 0)}, [&] {
    k_.titled("log_sums <- log(total) + the score of the maximum", [&] {
      k_.apply(
          to,
          [&](const Expr& m, const Expr& all) {
            const Expr none = number(ScalarType::f32, -std::numeric_limits<double>::infinity());
            return ir::select(equal(all, number(ScalarType::f32, 0)), none,
                              multiply_add(m, factor_, log2(all)) * (1 / kLog2E));
          },
          most_, total_);
    });
  });
}

}  // namespace vkmoye::gen
