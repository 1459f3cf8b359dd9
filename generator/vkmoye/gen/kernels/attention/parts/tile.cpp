// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/tile.hpp"

namespace vkmoye::gen {
namespace {

using ir::number;

// a - b, or 0 if that is negative.
Expr difference(const Expr& a, const Expr& b) { return maximum(a, b) - b; }

}  // namespace

AttentionTile::AttentionTile(Builder& builder, const AttentionForm& form, ScalarType type,
                             AttentionTileSize size, bool rows_of_head_groups)
    : builder_(builder), form_(form), size_(size), rows_of_head_groups_(rows_of_head_groups) {
  if (!has_entries(form)) {
    row_extent_ = "rows";
    head_extent_ = "heads";
  } else {
    row_extent_ = rows_of_head_groups ? Extent("group", "queries") : Extent("queries");
    head_extent_ = rows_of_head_groups ? Extent("kv_heads", "batch") : Extent("kv_heads", "group");
  }
  const AttentionOrders& orders = form.orders;
  q_ = head_tensor(/*is_result=*/false, "q", type, {"d", form.width}, "row", orders.q);
  const auto rows_of = [&](const char* name, ScalarType of_rows, const WeightFormat* format,
                           const char* element, std::int64_t width, AttentionOrder order) {
    const Axis axis = {format != nullptr ? "word" : element, row_elements(format, width)};
    return head_tensor(/*is_result=*/false, name, of_rows, axis, "key", order);
  };
  k_ = rows_of("k", key_type(type, form), form.key_format, "d", form.width, orders.k);
  v_ = rows_of("v", value_type(type, form), form.value_format, "e", form.value_width, orders.v);
  builder.grid(0, row_extent_, size.rows);
  row_tile_ = builder.block_x();
  if (form.causal) {  // those that see most keys first, so that none of them is left at the end
    const Expr tiles = ceil_div(ir::expression(row_extent_), to_index(size.rows));
    row_tile_ = builder.let("row_tile", tiles - 1 - builder.block_x());
  }
  declare_arguments();
  declare_pages();
  read_length();
  find_visible_tiles();
}

AttentionTile::HeadTensor AttentionTile::head_tensor(bool is_result, const std::string& name,
                                                     ScalarType type, const Axis& element,
                                                     const char* row, AttentionOrder order) {
  const bool of_keys = std::string(row) == "key", in_pages = of_keys && form_.page != 0;
  const bool is_flat =
      !in_pages && (!has_entries(form_) || (rows_of_head_groups_ && order == AttentionOrder::bhsd));
  std::vector<Axis> axes = {element};
  if (is_flat) {
    axes.push_back({row, of_keys ? Extent("keys") : row_extent_});
    axes.push_back({"head", head_extent_});
  } else {
    const Axis rows = {row, in_pages  ? Extent(form_.page)
                            : of_keys ? Extent("keys")
                                      : Extent("queries")},
               heads = {"head", of_keys ? Extent("kv_heads") : Extent("kv_heads", "group")};
    const bool heads_inside = order == AttentionOrder::bshd;
    axes.push_back(heads_inside ? heads : rows);
    axes.push_back(heads_inside ? rows : heads);
    axes.push_back(in_pages ? Axis{"page", "stored"} : Axis{"entry", "batch"});
  }
  const Tensor tensor =
      is_result ? builder_.output(name, type, axes) : builder_.input(name, type, axes);
  return {tensor, is_flat, order};
}

View AttentionTile::tile_of_head(const HeadTensor& of, std::int64_t width, std::int64_t rows,
                                 const Expr& number, const Expr& head, const Expr& entry) const {
  if (of.is_flat) {
    return slice(tile(of.tensor, {width, rows, 1}, {0, number, builder_.block_y()}), {_, _, 0});
  }
  if (of.order == AttentionOrder::bhsd) {
    return slice(tile(of.tensor, {width, rows, 1, 1}, {0, number, head, entry}), {_, _, 0, 0});
  }
  return slice(tile(of.tensor, {width, 1, rows, 1}, {0, head, number, entry}), {_, 0, _, 0});
}

void AttentionTile::declare_arguments() {
  queries_ = builder_.argument("queries", ScalarType::u32);
  keys_ = builder_.argument("keys", ScalarType::u32);
  const Expr scale = builder_.argument("scale", ScalarType::f32);
  if (form_.window) window_ = builder_.argument("window", ScalarType::u32);
  score_unit_ = scale;
  if (form_.soft_cap) {
    score_unit_ = builder_.argument("soft_cap", ScalarType::f32);
    score_per_cap_ = builder_.let("of_cap", scale * (2 * kLog2E) / score_unit_);
  }
  exponent_factor_ = has_bias(form_) ? number(ScalarType::f32, kLog2E)
                                     : builder_.let("factor", score_unit_ * kLog2E);
  head_ = builder_.block_y();
  if (!has_entries(form_)) return;
  const Expr kv_heads = builder_.argument("kv_heads", ScalarType::u32),
             batch = builder_.argument("batch", ScalarType::u32);
  group_size_ = builder_.argument("group", ScalarType::u32);
  if (!rows_of_head_groups_) {
    kv_head_ = builder_.let("kv_head", builder_.block_y() / group_size_);
    entry_ = builder_.block_z();
    return;
  }
  // The minimum only proves that it is below the batch.
  entry_ = builder_.let("entry", minimum(builder_.block_y() / kv_heads, batch - 1));
  const bool is_flat =
      form_.page == 0 && form_.orders.k == AttentionOrder::bhsd && form_.orders.v == form_.orders.k;
  if (is_flat && has_rows_of_groups(form_)) return;
  kv_head_ = head_ = builder_.let("kv_head", builder_.block_y() % kv_heads);
}

void AttentionTile::declare_pages() {
  if (form_.page == 0) return;
  pages_ = builder_.input("pages", ScalarType::i32,
                          {{"place", Extent::parts("keys", form_.page)}, {"entry", "batch"}});
  page_ = builder_.registers("page", ScalarType::i32, Layout());
}

void AttentionTile::read_length() {
  if (!form_.lengths) return;
  builder_.input("lengths", ScalarType::i32, {{"entry", "batch"}});
  const Expr given = builder_.load("given_length", ir::Element{"lengths", {entry_}, "lengths"});
  keys_ = builder_.let("length", minimum(to_index(maximum(given, 0)), keys_));
}

View AttentionTile::q() const { return q(size_.rows, row_tile_); }
View AttentionTile::q(std::int64_t rows, const Expr& number) const {
  return tile_of_head(q_, form_.width, rows, number, head_, entry_);
}
View AttentionTile::q(const QueryOfHead& row) const {
  return tile_of_head(q_, form_.width, 1, row.query, row.head, entry_);
}

View AttentionTile::rows_of_keys(const HeadTensor& of, const WeightFormat* format,
                                 std::int64_t width, const KeyTile& key_tile) const {
  return tile_of_head(of, row_elements(format, width), key_tile.count, key_tile.number, kv_head_,
                      form_.page != 0 ? key_tile.page : entry_);
}

AttentionTile::KeyTile AttentionTile::key_tile(const Expr& number, std::int64_t keys) {
  if (form_.page == 0) return {number, 0, keys};
  const std::uint32_t of_page = to_index(form_.page / keys);
  // A negative number becomes a large one.
  builder_.under_heading("the page of these keys", [&] {
    builder_.copy(tile(pages_, {1, 1}, {number / of_page, entry_}), page_, {.edges = Edges::zero});
  });
  const Expr page = builder_.let("own_page", to_index(builder_.load("given_page", page_)));
  return {number % of_page, page, keys};
}

Tensor AttentionTile::output(const std::string& name, ScalarType type) {
  o_ = head_tensor(/*is_result=*/true, name, type, {"e", form_.value_width}, "row", form_.orders.o);
  return o_.tensor;
}
View AttentionTile::tile_of(const Tensor&, std::int64_t rows, const Expr& number) const {
  return tile_of_head(o_, form_.value_width, rows, number, head_, entry_);
}

std::optional<Tensor> AttentionTile::log_sums() {
  if (!form_.log_sums) return std::nullopt;
  std::vector<Axis> axes = {{"row", row_extent_}, {"head", head_extent_}};
  if (!rows_of_head_groups_) axes.push_back({"entry", "batch"});
  return builder_.output("log_sums", ScalarType::f32, axes);
}
View AttentionTile::tile_of_log_sums(const Tensor& log_sums, std::int64_t rows, const Expr& number,
                                     std::int64_t columns) const {
  const Expr head = builder_.block_y();
  return repeat(rows_of_head_groups_
                    ? slice(tile(log_sums, {rows, 1}, {number, head}), {_, 0})
                    : slice(tile(log_sums, {rows, 1, 1}, {number, head, entry_}), {_, 0, 0}),
                1, columns);
}

QueryOfHead AttentionTile::query_of_head(const std::string& name, const Expr& number) {
  const Expr queries = maximum(queries_, 1);
  return {builder_.let("query_of_" + name, number % queries),
          builder_.let("head_of_" + name, kv_head_ * group_size_ + number / queries)};
}

QueryRows AttentionTile::query_rows(const std::string& name, const Expr& first,
                                    std::int64_t count) {
  if (!form_.causal && !form_.window) return {first, 0, 0, count};
  const Expr some = to_index(count);
  if (!rows_of_head_groups_) {
    return {first, first, builder_.let("end_query_of_" + name, minimum(first + some, queries_)),
            count};
  }
  const Expr query = builder_.let(name + "_query", first % maximum(queries_, 1));
  // Rows that continue in the next head of a group have its first queries as well.
  return {first,
          builder_.let("first_query_of_" + name,
                       ir::select(less(queries_, query + some), Expr(0), query)),
          builder_.let("end_query_of_" + name, minimum(query + some, queries_)), count};
}

void AttentionTile::find_visible_tiles() {
  const std::uint32_t rows = to_index(size_.rows), keys = to_index(size_.keys);
  rows_of_workgroup_ = query_rows("tile", rows * row_tile_, size_.rows);
  Expr end_key = keys_;
  if (form_.causal)
    end_key = builder_.let("end_key", difference(rows_of_workgroup_.end_query + keys_, queries_));
  Expr end = ceil_div(end_key, keys);
  if (form_.window) {
    first_ = builder_.let(
        "first_tile",
        difference(rows_of_workgroup_.first_query + keys_ + 1, queries_ + window_) / keys);
    end = difference(end, first_);
  }
  count_ = builder_.let("key_tiles", end);
}

Expr AttentionTile::sees(const Expr& row, const Expr& key) const {
  Expr seen = less(key, keys_);
  if (!form_.causal && !form_.window) return seen;
  const Expr query =
      rows_of_head_groups_ ? builder_.let("query_of_score", row % maximum(queries_, 1)) : row;
  if (form_.causal) seen = logical_and(seen, less(key + queries_, query + keys_ + 1));
  if (form_.window) seen = logical_and(seen, less(query + keys_, key + queries_ + window_));
  return seen;
}

void AttentionTile::cap(const View& scores) {
  if (!form_.soft_cap) return;
  // tanh(z) = 1 - 2 / (1 + exp(2 z)) has an error of few units of 1, however small z is.
  builder_.with_title("scores <- tanh(scores * scale / soft_cap)", [&] {
    builder_.apply(
        scores, [&](const Expr& x) { return 1 - 2 / (1 + exp2(x * score_per_cap_)); }, scores);
  });
}

void AttentionTile::hide_unseen(const View& scores, const PartOfScores& part, const QueryRows& rows,
                                const Expr& tile_number) {
  const std::uint32_t keys = to_index(size_.keys);
  const Expr begin = keys * tile_number, end = begin + keys;
  Expr some = less(keys_, end);
  if (form_.causal) some = logical_or(some, less(rows.first_query + keys_ + 1, end + queries_));
  if (form_.window) {
    some = logical_or(some, less(begin + queries_ + window_, rows.end_query + keys_));
  }
  builder_.branch(
      {some},
      form_.causal || form_.window ? "some keys of this tile are hidden from some rows"
                                   : "the last tile extends past the last key",
      [&] {
        builder_.with_title(
            "scores <- -2e30, less than any maximum, where the row does not see the key", [&] {
              builder_.apply(scores, part(make_identity_view({rows.count, size_.keys})),
                             [&](const std::vector<Expr>& x, const std::vector<Expr>& at) {
                               const Expr key = builder_.let("key_of_score", begin + at[1]);
                               return ir::select(sees(rows.first + at[0], key), x[0],
                                                 number(ScalarType::f32, kUnseenScore));
                             },
                             {scores});
            });
      },
      "", [] {});
}

void AttentionTile::drop_beyond(const View& values, const View& places, const Expr& tile_number,
                                std::uint32_t vector) {
  if (!form_.lengths && form_.page == 0) return;
  const ScalarType type = builder_.type_of(values);
  const std::uint32_t keys = to_index(size_.keys);
  const Expr begin = keys * tile_number;
  const auto drop = [&] {
    if (vector == 1) {
      return builder_.apply(values, places,
                            [&](const std::vector<Expr>& x, const std::vector<Expr>& at) {
                              return ir::select(less(begin + at[1], keys_), x[0], number(type, 0));
                            },
                            {values});
    }
    const std::vector<Expr> zeros(vector, number(type, 0));
    for (std::int64_t i = 0; i < size(values.shape()); i += vector) {
      const Expr key = begin + origin(places.axes[1]) + to_index(places.axes[1].values(i));
      builder_.branch({less(keys_, key + 1)}, [&] {
        builder_.store(ir::vector(zeros),
                       ir::Element{values.array, {to_index(i)}, values.name, vector});
      });
    }
  };
  builder_.branch(
      {less(keys_, begin + keys)}, "the entry ends in this tile",
      [&] { builder_.with_title("0 for the values of keys beyond it", drop); }, "", [] {});
}

}  // namespace vkmoye::gen
