// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/scores.hpp"

namespace vkmoye::gen {
namespace {

using ir::number;

constexpr double kLog2E = 1.4426950408889634;
constexpr double kHidden = -2e30, kNothingSeen = -1e30;

// a - b, or 0 if that is negative.
Expr difference(const Expr& a, const Expr& b) { return maximum(a, b) - b; }

}  // namespace

AttentionTile::AttentionTile(Builder& k, const AttentionForm& form, ScalarType type,
                             AttentionTileSize size)
    : builder_(k), form_(form), size_(size) {
  q_ = k.input("q", type, {{"d", form.width}, {"row", "rows"}, {"head", "heads"}});
  k_ = k.input("k", type, {{"d", form.width}, {"key", "keys"}, {"head", "heads"}});
  v_ = k.input("v", type, {{"e", form.value_width}, {"key", "keys"}, {"head", "heads"}});
  k.grid(0, "rows", size.rows);
  row_tile_ = k.block_x();
  queries_ = k.argument("queries", ScalarType::u32);
  keys_ = Builder::extent(k_, 1);
  const Expr scale = k.argument("scale", ScalarType::f32);
  if (form.window) window_ = k.argument("window", ScalarType::u32);
  if (form.soft_cap) {
    const Expr cap = k.argument("soft_cap", ScalarType::f32);
    of_cap_ = k.let("of_cap", scale * (2 * kLog2E) / cap);
    factor_ = k.let("factor", cap * kLog2E);
  } else {
    factor_ = k.let("factor", scale * kLog2E);
  }
  find_visible_tiles();
}

View AttentionTile::q() const { return q(size_.rows, row_tile_); }
View AttentionTile::q(std::int64_t rows, const Expr& number) const {
  return slice(tile(q_, {form_.width, rows, 1}, {0, number, builder_.block_y()}), {_, _, 0});
}
View AttentionTile::k(const Expr& number) const {
  return slice(tile(k_, {form_.width, size_.keys, 1}, {0, number, builder_.block_y()}), {_, _, 0});
}
View AttentionTile::v(const Expr& number) const {
  return slice(tile(v_, {form_.value_width, size_.keys, 1}, {0, number, builder_.block_y()}),
               {_, _, 0});
}

Tensor AttentionTile::output(const std::string& name, ScalarType type) {
  return builder_.output(name, type,
                         {{"e", form_.value_width}, {"row", "rows"}, {"head", "heads"}});
}
View AttentionTile::tile_of(const Tensor& result) const {
  return tile_of(result, size_.rows, row_tile_);
}
View AttentionTile::tile_of(const Tensor& result, std::int64_t rows, const Expr& number) const {
  return slice(tile(result, {form_.value_width, rows, 1}, {0, number, builder_.block_y()}),
               {_, _, 0});
}

AttentionTile::Rows AttentionTile::rows(const std::string& name, const Expr& first,
                                        std::int64_t count) {
  if (!form_.causal && !form_.window) return {first, 0, 0};
  Builder& k = builder_;
  const Expr some = to_index(count);
  const Expr query = k.let(name + "_query", first % maximum(queries_, 1));
  // Rows that continue in the next head of a group have its first queries as well.
  return {first,
          k.let("first_query_of_" + name, ir::select(less(queries_, query + some), Expr(0), query)),
          k.let("end_query_of_" + name, minimum(query + some, queries_))};
}

void AttentionTile::find_visible_tiles() {
  Builder& k = builder_;
  const std::uint32_t rows = to_index(size_.rows), keys = to_index(size_.keys);
  all_ = this->rows("group", rows * row_tile_, size_.rows);
  Expr end_key = keys_;
  if (form_.causal) end_key = k.let("end_key", difference(all_.end_query + keys_, queries_));
  Expr end = ceil_div(end_key, keys);
  if (form_.window) {
    first_ =
        k.let("first_tile", difference(all_.first_query + keys_ + 1, queries_ + window_) / keys);
    end = difference(end, first_);
  }
  count_ = k.let("key_tiles", end);
}

Expr AttentionTile::sees(const Expr& row, const Expr& key) const {
  Expr seen = less(key, keys_);
  if (!form_.causal && !form_.window) return seen;
  const Expr query = builder_.let("query_of_score", row % maximum(queries_, 1));
  if (form_.causal) seen = logical_and(seen, less(key + queries_, query + keys_ + 1));
  if (form_.window) seen = logical_and(seen, less(query + keys_, key + queries_ + window_));
  return seen;
}

void AttentionTile::hide(const View& scores, const View& places, const Rows& rows,
                         const Expr& number_of_tile) {
  Builder& k = builder_;
  if (form_.soft_cap) {
    // tanh(z) = 1 - 2 / (1 + exp(2 z)) has an error of few units of 1, however small z is.
    k.titled("scores <- tanh(scores * scale / soft_cap)", [&] {
      k.apply(
          scores, [&](const Expr& x) { return 1 - 2 / (1 + exp2(x * of_cap_)); }, scores);
    });
  }
  const std::uint32_t keys = to_index(size_.keys);
  const Expr begin = keys * number_of_tile, end = begin + keys;
  Expr some = less(keys_, end);
  if (form_.causal) some = logical_or(some, less(rows.first_query + keys_ + 1, end + queries_));
  if (form_.window) {
    some = logical_or(some, less(begin + queries_ + window_, rows.end_query + keys_));
  }
  k.branch(
      {some}, "some keys are hidden from some rows",
      [&] {
        k.titled("scores <- -2e30, less than any maximum, where the row does not see the key", [&] {
          k.apply(scores, places,
                  [&](const std::vector<Expr>& x, const std::vector<Expr>& at) {
                    const Expr key = k.let("key_of_score", begin + at[1]);
                    return ir::select(sees(rows.first + at[0], key), x[0],
                                      number(ScalarType::f32, kHidden));
                  },
                  {scores});
        });
      },
      "", [] {});
}

RunningSoftmax::RunningSoftmax(Builder& k, const Expr& factor, const View& scores, int columns,
                               const Layout& threads, int mode)
    : k_(k), factor_(factor), threads_(threads), mode_(mode) {
  const View of_rows = first_along(scores, {columns});
  most_ = k.make_fragment_like("most", ScalarType::f32, of_rows);
  shrink_ = k.make_fragment_like("shrink", ScalarType::f32, of_rows);
  total_ = k.make_fragment_like("total", ScalarType::f32, of_rows);
}

void RunningSoftmax::start() {
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

}  // namespace vkmoye::gen
