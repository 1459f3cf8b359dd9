// SPDX-License-Identifier: MIT
#pragma once
// Softmax of scores that come tile by tile, and sums of values weighted by its probabilities.
//
//   RunningSoftmax softmax(k, factors, scores, {.columns = 2, .threads = threads, .shared_by_row = 1});
//     softmax.update(scores, sums)                   scores <- probabilities; sums and row sums are rescaled
//     softmax.finish(sums)                           sums <- sums / row sums, 0 if no key was seen
//
// Probabilities, before they are divided by the row sum, are exp2((x - m) * factor), where m is the running maximum of
// the row, and factor combines scale and log2(e). x - m is exactly 0 at the maximum, however large it is: x * factor -
// m * factor would differ from 0 by the rounding of m * factor, 86 for a mask of -1e9. m starts at the least finite
// number, so that unseen keys, whose score is -infinity, have probability 0 in every row, and no other score is below
// it. A NaN among the scores of a row makes the whole row NaN. With a sink, m starts at the sink, which is added to
// the row sum at the end.
// Source: FlashAttention-2 (Dao, 2023), algorithm 1.

#include <optional>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/attention/parts/score_scale.hpp"

namespace vkmoye::gen {

/// How scores are distributed over threads.
struct ScoreModes {
  int columns;        // the mode of a thread's scores that runs along columns
  Layout threads;     // the threads, as reduce_across takes them
  int shared_by_row;  // the mode of `threads` whose threads share a row
};

class RunningSoftmax {
 public:
  /// For scores of the shape of `scores`. Declares row_max, rescale and row_sum. `sink`: a score
  /// of the definition, which enters the maximum and the sum of each row.
  RunningSoftmax(Builder& builder, const ScoreFactors& factors, const View& scores,
                 const ScoreModes& modes, const std::optional<Expr>& sink = {});

  void start();
  /// `scores` become probabilities relative to the new maximum of the row, to which `sums`, by rows, are rescaled.
  void update(const View& scores, const View& sums);
  /// Like update, relative to the maximum of each thread's own columns. Scores count `counts` times. Needs merge().
  void update_per_thread(const View& scores, const View& sums, const View* counts = nullptr);
  /// Rescales `sums` to the maximum of the row, and adds up the sums and row sums of all threads that share the row.
  void merge(const View& sums);
  /// sums <- sums / row sums, if threads that share a row used a common maximum (update).
  void finish(const View& sums);
  /// sums <- sums / row sums, after merge().
  void divide(const View& sums);

  /// to <- the logarithm of the sum of exp(score) of each row, after finish() or divide(). `to` has the rows of the
  /// maximum; one of the threads that share a row writes it.
  void store_log_sums(const View& to);

  /// The maximum and the sum of each row.
  const View& row_max() const { return row_max_; }
  const View& row_sum() const { return row_sum_; }

 private:
  void start_at_sink();
  void keep_row_max();
  void rescale(const View& sums);
  void replace_by_probabilities(const View& scores);

  Builder& builder_;
  ScoreFactors factors_;
  ScoreModes modes_;
  std::optional<Expr> sink_;
  Expr score_of_sink_ = 0;  // the sink, divided by the factor of scores
  View row_max_, rescale_by_, row_sum_;
};

}  // namespace vkmoye::gen
