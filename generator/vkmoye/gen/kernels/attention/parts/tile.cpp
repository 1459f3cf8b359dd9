// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/tile.hpp"

#include <algorithm>

namespace vkmoye::gen {

AttentionTile::AttentionTile(Builder& builder, const AttentionForm& form, ScalarType type,
                             AttentionTileSize size, bool rows_of_head_groups)
    : builder_(builder), form_(form), size_(size), rows_of_head_groups_(rows_of_head_groups) {
  size_.width = std::max(size.width, form.width);
  size_.value_width = std::max(size.value_width, form.value_width);
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
  v_ = form.values_in_keys ? k_
                           : rows_of("v", value_type(type, form), form.value_format, "e",
                                     form.value_width, orders.v);
  place_workgroup();
  declare_arguments();
  declare_pages();
  read_length();
}

void AttentionTile::place_workgroup() {
  if (!form_.causal) {
    builder_.grid(0, row_extent_, size_.rows);
    row_tile_ = builder_.block_x();
    head_block_ = builder_.block_y();
    return;
  }
  builder_.grid(1, row_extent_, size_.rows);
  const Expr tiles = ceil_div(ir::expression(row_extent_), to_index(size_.rows));
  row_tile_ = builder_.let("row_tile", tiles - 1 - builder_.block_y());
  head_block_ = builder_.block_x();
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
    return slice(tile(of.tensor, {width, rows, 1}, {0, number, head_block_}), {_, _, 0});
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
  score_scale_ = ScoreScale(builder_, form_, scale);
  head_ = head_block_;
  if (!has_entries(form_)) return;
  const Expr kv_heads = builder_.argument("kv_heads", ScalarType::u32),
             batch = builder_.argument("batch", ScalarType::u32);
  group_size_ = builder_.argument("group", ScalarType::u32);
  if (!rows_of_head_groups_) {
    kv_head_ = builder_.let("kv_head", head_block_ / group_size_);
    entry_ = builder_.block_z();
    return;
  }
  // The minimum only proves that it is below the batch.
  entry_ = builder_.let("entry", minimum(head_block_ / kv_heads, batch - 1));
  const bool is_flat =
      form_.page == 0 && form_.orders.k == AttentionOrder::bhsd && form_.orders.v == form_.orders.k;
  if (is_flat && has_rows_of_groups(form_)) return;
  kv_head_ = head_ = builder_.let("kv_head", head_block_ % kv_heads);
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
  const Expr given = builder_.load("given_length", ir::Element{"lengths", {entry_}});
  keys_ = builder_.let("length", minimum(to_index(maximum(given, 0)), keys_));
}

View AttentionTile::q() const { return q(size_.rows, row_tile_); }
View AttentionTile::q(std::int64_t rows, const Expr& number) const {
  return tile_of_head(q_, size_.width, rows, number, head_, entry_);
}
View AttentionTile::q(const QueryOfHead& row) const {
  return tile_of_head(q_, size_.width, 1, row.query, row.head, entry_);
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
  return tile_of_head(o_, size_.value_width, rows, number, head_, entry_);
}

std::optional<Tensor> AttentionTile::log_sums() {
  if (!form_.log_sums) return std::nullopt;
  std::vector<Axis> axes = {{"row", row_extent_}, {"head", head_extent_}};
  if (!rows_of_head_groups_) axes.push_back({"entry", "batch"});
  return builder_.output("log_sums", ScalarType::f32, axes);
}
View AttentionTile::tile_of_log_sums(const Tensor& log_sums, std::int64_t rows, const Expr& number,
                                     std::int64_t columns) const {
  return repeat(rows_of_head_groups_
                    ? slice(tile(log_sums, {rows, 1}, {number, head_block_}), {_, 0})
                    : slice(tile(log_sums, {rows, 1, 1}, {number, head_block_, entry_}), {_, 0, 0}),
                1, columns);
}

QueryOfHead AttentionTile::query_of_head(const std::string& name, const Expr& number) {
  const Expr queries = maximum(queries_, 1);
  return {builder_.let("query_of_" + name, number % queries),
          builder_.let("head_of_" + name, kv_head_ * group_size_ + number / queries)};
}

}  // namespace vkmoye::gen
