// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/bias.hpp"

namespace vkmoye::gen {
namespace {

using ir::number;

Extent every_head() { return {"kv_heads", "group"}; }

// The element of `of`, an array with one number for each head.
Expr value_for_head(Builder& builder, const Tensor& of, const std::string& name, const Expr& head) {
  const View value = builder.registers(name, ScalarType::f32, Layout());
  builder.copy(tile(of, {1}, {head}), value, {.edges = Edges::zero});
  return builder.load("own_" + name, value);
}

// Scores of the definition, before a bias is added.
std::string scaled_scores(const AttentionForm& form) {
  return form.soft_cap ? "scores * soft_cap" : "scores * scale";
}

}  // namespace

ScoreBias::ScoreBias(Builder& builder, const AttentionForm& form, const AttentionTile& tile)
    : builder_(builder), form_(form), tile_(tile) {
  if (form.mask) {
    mask_ = builder.input("mask", *form.mask,
                          {{"key", "keys"}, {"row", "queries"}, {"plane", "masks"}});
    head_step_ = builder.argument("mask_head_step", ScalarType::u32);
    entry_step_ = builder.argument("mask_entry_step", ScalarType::u32);
  }
  if (form.slopes) slopes_ = builder.input("slopes", ScalarType::f32, {{"head", every_head()}});
}

BiasRows ScoreBias::rows(const std::string& name, const Expr& number, std::int64_t count,
                         const Expr& head) {
  BiasRows out = {number, count, head, ir::number(ScalarType::f32, 0)};
  if (form_.slopes) out.slope = value_for_head(builder_, slopes_, name + "_slope", head);
  return out;
}

void ScoreBias::add(const View& scores, const PartOfScores& part, const BiasRows& rows,
                    const Expr& tile_number) {
  if (!has_bias(form_)) return;
  const std::uint32_t keys = to_index(tile_.size().keys);
  if (form_.slopes) add_slopes(scores, part, rows, keys * tile_number);
  if (!form_.mask) return;
  const View mask =
      slice(tile(mask_, {tile_.size().keys, rows.count, 1},
                 {tile_number, rows.number, head_step_ * rows.head + entry_step_ * tile_.entry()}),
            {_, _, 0});
  // Only -infinity hides a key, whatever its score is: infinity or NaN, too.
  const std::string scaled = form_.slopes ? "scores" : scaled_scores(form_);
  builder_.with_title(
      "scores <- " + scaled + " + mask, -infinity for keys that the mask hides", [&] {
        builder_.apply(
            scores,
            [&](const Expr& x, const Expr& of_mask) {
              const Expr m = convert(of_mask, ScalarType::f32);
              const Expr hidden = number(ScalarType::f32, kUnseenScore);
              return select(
                  equal(m, hidden), hidden,
                  form_.slopes ? x + m : multiply_add(x, tile_.score_scale().factor(), m));
            },
            scores, part(transpose(mask)));
      });
}

// Distances are exact below 2^24.
void ScoreBias::add_slopes(const View& scores, const PartOfScores& part, const BiasRows& rows,
                           const Expr& first_key) {
  builder_.with_title(
      "scores <- " + scaled_scores(form_) + " + slope * (key - query), counted from the last key",
      [&] {
        builder_.apply(
            scores, part(make_identity_view({rows.count, tile_.size().keys})),
            [&](const std::vector<Expr>& x, const std::vector<Expr>& at) {
              const Expr key = first_key + at[1] + tile_.queries(),
                         query = to_index(rows.count) * rows.number + at[0] + tile_.keys();
              const Expr distance = convert(key, ScalarType::f32) - convert(query, ScalarType::f32);
              return multiply_add(x[0], tile_.score_scale().factor(), distance * rows.slope);
            },
            {scores});
      });
}

std::optional<Expr> read_sink(Builder& builder, const AttentionForm& form, const Expr& head) {
  if (!form.sinks) return std::nullopt;
  const Tensor sinks = builder.input("sinks", ScalarType::f32, {{"head", every_head()}});
  return value_for_head(builder, sinks, "sink", head);
}

}  // namespace vkmoye::gen
