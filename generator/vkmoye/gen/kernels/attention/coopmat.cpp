// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/coopmat.hpp"

#include <functional>
#include <initializer_list>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/attention/parts/bias.hpp"
#include "vkmoye/gen/kernels/attention/parts/header.hpp"
#include "vkmoye/gen/kernels/attention/parts/probabilities_operand.hpp"
#include "vkmoye/gen/kernels/attention/parts/query_matrices.hpp"
#include "vkmoye/gen/kernels/attention/parts/running_softmax.hpp"
#include "vkmoye/gen/kernels/attention/parts/staged_tile.hpp"

namespace vkmoye::gen {
namespace {

// A staged tile, and its rows in memory: AttentionTile::k or v.
struct TileOfRows {
  StagedTile& staged;
  View (AttentionTile::*rows)(const AttentionTile::KeyTile&) const;
};

// Fetches tile `number` of the keys, of the values or of both. In pages of 64, 128 or 256 keys, a tile of 64 lies in
// one page, the same for all threads; in smaller pages, each thread finds the page of each row that it moves.
void fetch_tiles(AttentionTile& attention, const Expr& number,
                 std::initializer_list<TileOfRows> tiles) {
  if (attention.tiles_lie_in_pages()) {
    const AttentionTile::KeyTile key_tile = attention.key_tile(number);
    for (const auto& [staged, rows] : tiles) staged.fetch((attention.*rows)(key_tile));
    return;
  }
  for (const TileOfRows& tile : tiles) {
    tile.staged.fetch_rows(number, [&](const Expr& key) {
      return (attention.*tile.rows)(attention.key_tile(key, 1));
    });
  }
}

}  // namespace

ir::Kernel attention_coopmat(const AttentionCoopmatConfig& config, const AttentionForm& form,
                             ScalarType type, const std::string& name) {
  throw_if_any(name, reasons_against(config, form, type));
  throw_if_any(name, reasons_against_orders(config));
  const std::int64_t rows = config.rows, keys = config.keys, atom = config.atom_m;
  const std::int64_t width = width_in_matrices(config, form.width),
                     value_width = width_in_matrices(config, form.value_width);
  Builder builder(name, config.threads(), to_index(config.subgroup_size));
  attention_header(builder, attention_coopmat_fields(), config, form, type, why_text(config));
  AttentionTile attention(builder, form, type, {config.tile_rows(), keys, width, value_width});
  VisibleKeys visible(builder, form, attention);
  ScoreBias bias(builder, form, attention);
  const auto sink = read_sink(builder, form, attention.head());
  const auto log_sums = attention.log_sums();
  const Tensor o = attention.output("o", type);

  const auto padded = std::bind_front(padded_tile, config, type);
  KeyNumbers numbers(builder, form.key_format, form.value_format);
  StagedTile k(builder, "k", rows_of_keys(type, form), type, padded(width, keys), numbers.k());
  StagedTile v(builder, "v", rows_of_values(type, form), type, padded(value_width, keys),
               numbers.v());

  // Matrices of a subgroup.
  using Use = ir::MatrixType::Use;
  const std::uint32_t side = to_index(atom);
  const auto accumulators = [&](const char* of, std::int64_t columns) {
    return matrix_values(builder,
                         builder.matrices(of, ScalarType::f32, {Use::accumulator, side, side},
                                          rows / atom, columns / atom),
                         *config.order_c.layout);
  };
  const Matrices query =
      builder.matrices("query", type, {Use::a, side, side}, rows / atom, width / atom);
  const Matrices b = builder.matrices("b", type, {Use::b, side, side}, 1, 1);  // of k^T, then of v
  const MatrixValues scores = accumulators("scores", keys);
  std::optional<MatrixValues> next_scores;
  if (config.scores_ahead) next_scores = accumulators("next_scores", keys);
  ProbabilitiesOperand probabilities(builder, scores.matrices, type, config.common_order(),
                                     padded(keys, config.tile_rows()));
  const MatrixValues sums = accumulators("sums", value_width);

  numbers.fill_tables();
  load_query(builder, attention, k, query);
  const Expr row_tile = to_index(config.subgroups) * attention.row_tile() + builder.subgroup();
  const QueryRows own_rows = visible.query_rows("own", to_index(rows) * row_tile, rows);
  const BiasRows biased_rows = bias.rows("own", row_tile, rows, attention.head());
  const auto part = [&](const View& tile) { return scores.part(builder, tile); };
  RunningSoftmax softmax(builder, attention.score_scale().of_softmax(), scores.by_row,
                         {.columns = 0, .threads = scores.threads, .shared_by_row = 0}, sink);
  softmax.start();
  builder.assign(sums.matrices, 0);

  const auto multiply_keys = [&](const MatrixValues& to) {
    builder.assign(to.matrices, 0);
    builder.unrolled_loop("d", to_index(query.columns), [&](const Expr& d) {
      builder.unrolled_loop("key", to_index(keys / atom), [&](const Expr& key) {
        builder.load(tile(k.shared(), {atom, atom}, {d, key}), b, k.vector());
        builder.multiply(column_of(query, d), b, column_of(to.matrices, key));
      });
    });
  };
  const Expr first = visible.first(), count = visible.count();
  const TileOfRows k_tile = {k, &AttentionTile::k}, v_tile = {v, &AttentionTile::v};
  const auto fetch_next_keys = [&](const Expr& number) {
    builder.call("fetch_next_keys", {{"next_tile", number}},
                 [&](const Expr& tile) { fetch_tiles(attention, tile, {k_tile}); });
  };
  // The values of a tile, and its keys, or those of the next one, whose scores come ahead.
  const auto fetch = [&](const Expr& number) {
    if (!next_scores) return fetch_tiles(attention, number, {k_tile, v_tile});
    builder.branch({less(number + 1, first + count)}, [&] { fetch_next_keys(number + 1); });
    fetch_tiles(attention, number, {v_tile});
  };
  const auto fetch_ahead = [&](const Expr& number) {
    builder.call("fetch_keys", {{"tile_of_keys", number}}, fetch);
  };
  const auto add_tile = [&](const Expr& i) {
    const Expr at = first + i;
    if (!config.prefetch) fetch(at);
    builder.barrier();
    k.put();
    v.put_seen(visible, at);
    builder.barrier();
    if (config.prefetch) builder.branch({less(i + 1, count)}, [&] { fetch_ahead(at + 1); });

    if (!next_scores) multiply_keys(scores);
    attention.score_scale().cap(builder, scores.values);
    bias.add(scores.values, part, biased_rows, at);
    visible.hide_unseen(scores.values, part, own_rows, at);
    if (next_scores) multiply_keys(*next_scores);
    softmax.update(scores.by_row, sums.by_row);
    probabilities.set(scores);
    builder.unrolled_loop("key", to_index(keys / atom), [&](const Expr& key) {
      builder.unrolled_loop("e", to_index(sums.matrices.columns), [&](const Expr& e) {
        builder.load(transpose(tile(v.shared(), {atom, atom}, {e, key})), b, v.vector());
        builder.multiply(column_of(probabilities.matrices(), key), b, column_of(sums.matrices, e));
      });
    });
    if (next_scores) builder.copy(next_scores->values, scores.values);
  };
  if (next_scores) {
    fetch_next_keys(first);
    builder.barrier();
    k.put();
    builder.barrier();
    multiply_keys(scores);
  }
  if (config.prefetch) fetch_ahead(first);
  builder.loop("key_tile", count, add_tile, config.unroll ? ir::Unroll::free : ir::Unroll::never);

  softmax.finish(sums.by_row);
  if (log_sums) {
    softmax.store_log_sums(
        scores.rows_of(builder, attention.tile_of_log_sums(*log_sums, rows, row_tile, keys)));
  }
  builder.apply(
      sums.part(builder, transpose(attention.tile_of(o, rows, row_tile))), [](Expr x) { return x; },
      sums.values);
  return builder.finish();
}

}  // namespace vkmoye::gen
