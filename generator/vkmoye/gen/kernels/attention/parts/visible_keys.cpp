// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/visible_keys.hpp"

namespace vkmoye::gen {
namespace {

using ir::number;

// a - b, or 0 if that is negative.
Expr difference(const Expr& a, const Expr& b) { return maximum(a, b) - b; }

}  // namespace

VisibleKeys::VisibleKeys(Builder& builder, const AttentionForm& form, const AttentionTile& tile)
    : builder_(builder), form_(form), tile_(tile) {
  const std::uint32_t rows = to_index(tile.size().rows), of_tile = to_index(tile.size().keys);
  rows_of_workgroup_ = query_rows("tile", rows * tile.row_tile(), tile.size().rows);
  Expr end_key = keys();
  if (form.causal) {
    end_key = builder.let("end_key", difference(rows_of_workgroup_.end_query + keys(), queries()));
  }
  Expr end = ceil_div(end_key, of_tile);
  if (form.window) {
    first_ = builder.let("first_tile", difference(rows_of_workgroup_.first_query + keys() + 1,
                                                  queries() + tile.window()) /
                                           of_tile);
    end = difference(end, first_);
  }
  count_ = builder.let("key_tiles", end);
}

QueryRows VisibleKeys::query_rows(const std::string& name, const Expr& first, std::int64_t count) {
  if (!form_.causal && !form_.window) return {first, 0, 0, count};
  const Expr some = to_index(count);
  if (!tile_.has_rows_of_head_groups()) {
    return {first, first, builder_.let("end_query_of_" + name, minimum(first + some, queries())),
            count};
  }
  const Expr query = builder_.let(name + "_query", first % maximum(queries(), 1));
  // Rows that continue in the next head of a group have its first queries as well.
  return {
      first,
      builder_.let("first_query_of_" + name, select(less(queries(), query + some), Expr(0), query)),
      builder_.let("end_query_of_" + name, minimum(query + some, queries())), count};
}

Expr VisibleKeys::sees(const Expr& row, const Expr& key) const {
  Expr seen = less(key, keys());
  if (!form_.causal && !form_.window) return seen;
  const Expr query = tile_.has_rows_of_head_groups()
                         ? builder_.let("query_of_score", row % maximum(queries(), 1))
                         : row;
  if (form_.causal) seen = logical_and(seen, less(key + queries(), query + keys() + 1));
  if (form_.window)
    seen = logical_and(seen, less(query + keys(), key + queries() + tile_.window()));
  return seen;
}

void VisibleKeys::hide_unseen(const View& scores, const PartOfScores& part, const QueryRows& rows,
                              const Expr& tile_number) {
  const std::uint32_t count = to_index(tile_.size().keys);
  const Expr begin = count * tile_number, end = begin + count;
  Expr some = less(keys(), end);
  if (form_.causal) some = logical_or(some, less(rows.first_query + keys() + 1, end + queries()));
  if (form_.window) {
    some = logical_or(some, less(begin + queries() + tile_.window(), rows.end_query + keys()));
  }
  builder_.branch(
      {some},
      form_.causal || form_.window ? "some keys of this tile are hidden from some rows"
                                   : "the last tile extends past the last key",
      [&] {
        builder_.with_title("scores <- -infinity where the row does not see the key", [&] {
          builder_.apply(scores, part(make_identity_view({rows.count, tile_.size().keys})),
                         [&](const std::vector<Expr>& x, const std::vector<Expr>& at) {
                           const Expr key = builder_.let("key_of_score", begin + at[1]);
                           return select(sees(rows.first + at[0], key), x[0],
                                         number(ScalarType::f32, kUnseenScore));
                         },
                         {scores});
        });
      },
      "", [] {});
}

void VisibleKeys::drop_beyond(const View& values, const View& places, const Expr& tile_number,
                              std::uint32_t vector) {
  if (!form_.lengths && form_.page == 0) return;
  const ScalarType type = builder_.type_of(values);
  const std::uint32_t count = to_index(tile_.size().keys);
  const Expr begin = count * tile_number;
  const auto drop = [&] {
    if (vector == 1) {
      return builder_.apply(values, places,
                            [&](const std::vector<Expr>& x, const std::vector<Expr>& at) {
                              return select(less(begin + at[1], keys()), x[0], number(type, 0));
                            },
                            {values});
    }
    const std::vector<Expr> zeros(vector, number(type, 0));
    for (std::int64_t i = 0; i < size(values.shape()); i += vector) {
      const Expr key = begin + origin(places.axes[1]) + to_index(places.axes[1].values(i));
      builder_.branch({less(keys(), key + 1)}, [&] {
        builder_.store(ir::vector(zeros),
                       ir::Element{values.array, {to_index(i)}, values.name, vector});
      });
    }
  };
  builder_.branch(
      {less(keys(), begin + count)}, "the entry ends in this tile",
      [&] { builder_.with_title("0 for the values of keys beyond it", drop); }, "", [] {});
}

}  // namespace vkmoye::gen
