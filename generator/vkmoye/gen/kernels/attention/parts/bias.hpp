// SPDX-License-Identifier: MIT
#pragma once
// What is added to scores: ALiBi slopes and a mask; and sinks.
//
//   ScoreBias bias(k, form, tile);                     declares mask and slopes, as far as the form has them
//   const BiasRows rows = bias.rows("own", ..);
//   bias.add(scores, part, rows, tile_number);         scores <- scores * scale + slope * (key - query) + mask
//
// Without slopes and a mask, scores stay as they are multiplied, and the softmax scales them (score_scale.hpp).

#include <string>

#include "vkmoye/gen/kernels/attention/parts/visible_keys.hpp"

namespace vkmoye::gen {

/// `count` queries of a head from `count * number` on, and its slope.
struct BiasRows {
  Expr number;
  std::int64_t count;
  Expr head, slope;
};

class ScoreBias {
 public:
  /// Both `builder` and `tile` must outlive this object.
  ScoreBias(Builder& builder, const AttentionForm& form, const AttentionTile& tile);

  /// Reads the slope of `head` once.
  BiasRows rows(const std::string& name, const Expr& number, std::int64_t count, const Expr& head);

  /// Adds the bias of the keys of tile `tile_number` to the scores of `rows`.
  void add(const View& scores, const PartOfScores& part, const BiasRows& rows,
           const Expr& tile_number);

 private:
  void add_slopes(const View& scores, const PartOfScores& part, const BiasRows& rows,
                  const Expr& first_key);

  Builder& builder_;
  const AttentionForm form_;
  const AttentionTile& tile_;
  Tensor mask_, slopes_;
  // The steps from a mask to those of the next head and of the next entry: 0 if they share one.
  Expr head_step_ = 0, entry_step_ = 0;
};

/// Declares sinks if `form` has them, and reads the sink of `head`.
std::optional<Expr> read_sink(Builder& builder, const AttentionForm& form, const Expr& head);

}  // namespace vkmoye::gen
