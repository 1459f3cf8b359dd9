// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/coopmat.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/matrix_values.hpp"
#include "vkmoye/gen/kernels/attention/parts/bias.hpp"
#include "vkmoye/gen/kernels/attention/parts/running_softmax.hpp"
#include "vkmoye/gen/kernels/attention/parts/staging.hpp"
#include "vkmoye/gen/kernels/attention/parts/visible_keys.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

// How all threads move tiles of k, of v and of q from memory to registers, and on to shared memory.
struct TileStaging {
  Builder& builder;
  const AttentionCoopmatConfig& config;
  ScalarType type;

  RowStaging of(const View& tile) const {
    return *row_staging(size(tile.shape().mode(0)), config.keys, config.threads(),
                        widest_access(type));
  }
  std::uint32_t width(const View& tile) const { return of(tile).vector.count; }  // of an access
  View part(const View& tile) const { return of(tile).part(tile, builder.thread()); }
  View next(const char* name, const View& tile) const {
    return builder.make_fragment_like(name, type, part(tile), width(tile));
  }
  void fetch(const View& from, const View& to) const {
    builder.copy(part(from), to, {.edges = Edges::zero, .vector = of(from).vector});
  }
  void put(const View& from, const View& to) const {
    builder.copy(from, part(to), {.vector = of(to).vector});
  }
};

// Makes scores the operand `weights`: in registers, or through rows of shared memory that each subgroup has for itself.
// The barriers around the next tiles of k and v order these rows: every thread has read the old ones before a new one
// is stored.
void move_to_operand(Builder& builder, const AttentionCoopmatConfig& config,
                     const MatrixValues& scores, const Matrices& weights, const View& shared) {
  if (config.in_registers()) {
    return convert_matrices(builder, scores,
                            matrix_values(builder, weights, *config.order_a.layout));
  }
  const View own = transpose(tile(shared, {config.keys, config.rows}, {0, builder.subgroup()}));
  builder.apply(
      scores.part(builder, own), [](Expr x) { return x; }, scores.values);
  builder.barrier();
  builder.load(own, weights, 1);
}

std::string why_text(const AttentionCoopmatConfig& config) {
  return fmt::format("scores stay in registers{}{}",
                     config.in_registers() ? "" : ", weights go through shared memory",
                     config.prefetch ? "; the next tiles of k and v are fetched meanwhile" : "");
}

}  // namespace

ir::Kernel attention_coopmat(const AttentionCoopmatConfig& config, const AttentionForm& form,
                             ScalarType type, const std::string& name) {
  throw_if_any(name, reasons_against(config, form, type));
  throw_if_any(name, reasons_against_orders(config));
  const std::int64_t rows = config.rows, keys = config.keys, atom = config.atom_m;
  Builder builder(name, config.threads(), to_index(config.subgroup_size));
  auto items = gen::items(attention_coopmat_fields(), config);
  items.insert(items.begin(), {{"type", std::string(to_string(type))}, {"form", form_text(form)}});
  builder.describe(items, why_text(config));
  AttentionTile attention(builder, form, type, {config.tile_rows(), keys});
  VisibleKeys visible(builder, form, attention);
  ScoreBias bias(builder, form, attention);
  const auto sink = read_sink(builder, form, attention.head());
  const auto log_sums = attention.log_sums();
  const Tensor o = attention.output("o", type);

  // Shared tiles, and the registers in which their next contents wait.
  const auto shared = [&](const char* of, std::int64_t width, std::int64_t count) {
    return builder.shared(of, type, padded_tile(config, type, width, count));
  };
  const View sK = shared("shared_k", form.width, keys);        // (width, keys)
  const View sV = shared("shared_v", form.value_width, keys);  // (value_width, keys)
  // With weights in registers it is not used.
  const View sP = config.in_registers() ? View() : shared("shared_p", keys, config.tile_rows());
  const TileStaging staging = {builder, config, type};
  const View next_k = staging.next("next_k", sK), next_v = staging.next("next_v", sV);

  const auto matrices = [&](const char* of, ScalarType element, Use use, std::int64_t height,
                            std::int64_t width) {
    return builder.matrices(of, element, {use, to_index(atom), to_index(atom)}, height / atom,
                            width / atom);
  };
  const Matrices query = matrices("query", type, Use::a, rows, form.width);
  const Matrices b = matrices("b", type, Use::b, atom, atom);  // of k^T, then of v
  const MatrixValues scores =
      matrix_values(builder, matrices("scores", ScalarType::f32, Use::accumulator, rows, keys),
                    *config.order_c.layout);
  const Matrices weights = matrices("weights", type, Use::a, rows, keys);
  const MatrixValues sums = matrix_values(
      builder, matrices("sums", ScalarType::f32, Use::accumulator, rows, form.value_width),
      *config.order_c.layout);

  // q goes through the tile of k, as many rows at a time as it has.
  const std::int64_t subgroups_at_once = keys / rows;
  builder.with_title(fmt::format("q goes through the tile of k, {} rows at a time", keys), [&] {
    builder.loop("part", to_index(config.tile_rows() / keys), [&](const Expr& part) {
      staging.fetch(
          attention.q(keys, to_index(config.tile_rows() / keys) * attention.row_tile() + part),
          next_k);
      builder.barrier();
      staging.put(next_k, sK);
      builder.barrier();
      builder.branch({equal(builder.subgroup() / to_index(subgroups_at_once), part)}, [&] {
        builder.load(transpose(tile(sK, {form.width, rows},
                                    {0, builder.subgroup() % to_index(subgroups_at_once)})),
                     query, staging.width(sK));
      });
    });
  });

  const Expr row_tile_of_subgroup =
      to_index(config.subgroups) * attention.row_tile() + builder.subgroup();
  const QueryRows own_rows = visible.query_rows("own", to_index(rows) * row_tile_of_subgroup, rows);
  const BiasRows biased_rows = bias.rows("own", row_tile_of_subgroup, rows, attention.head());
  const auto part = [&](const View& tile) { return scores.part(builder, tile); };
  RunningSoftmax softmax(builder, attention.score_scale().exponent_factor(), scores.by_row,
                         {.columns = 0, .threads = scores.threads, .shared_by_row = 0}, sink);
  softmax.start();
  builder.fill(sums.matrices, ir::number(ScalarType::f32, 0));
  const auto fetch_tile = [&](const Expr& number) {
    const AttentionTile::KeyTile at = attention.key_tile(number);
    staging.fetch(attention.k(at), next_k);
    staging.fetch(attention.v(at), next_v);
  };
  if (config.prefetch) fetch_tile(visible.first());
  builder.loop(
      "key_tile", visible.count(),
      [&](const Expr& i) {
        const Expr at = visible.first() + i;
        if (!config.prefetch) fetch_tile(at);
        builder.barrier();
        staging.put(next_k, sK);
        visible.drop_beyond(next_v, staging.part(make_identity_view({form.value_width, keys})), at,
                            staging.width(sV));
        staging.put(next_v, sV);
        builder.barrier();
        if (config.prefetch) {
          builder.branch({less(i + 1, visible.count())}, [&] { fetch_tile(at + 1); });
        }
        builder.fill(scores.matrices, ir::number(ScalarType::f32, 0));
        builder.unrolled_loop("d", to_index(query.columns), [&](const Expr& d) {
          builder.unrolled_loop("key", to_index(weights.columns), [&](const Expr& key) {
            builder.load(tile(sK, {atom, atom}, {d, key}), b, staging.width(sK));  // (d, key)
            builder.multiply(column_of(query, d), b, column_of(scores.matrices, key));
          });
        });
        attention.score_scale().cap(builder, scores.values);
        bias.add(scores.values, part, biased_rows, at);
        visible.hide_unseen(scores.values, part, own_rows, at);
        softmax.update(scores.by_row, sums.by_row);
        move_to_operand(builder, config, scores, weights, sP);
        builder.unrolled_loop("key", to_index(weights.columns), [&](const Expr& key) {
          builder.unrolled_loop("e", to_index(sums.matrices.columns), [&](const Expr& e) {
            builder.load(transpose(tile(sV, {atom, atom}, {e, key})), b, staging.width(sV));
            builder.multiply(column_of(weights, key), b, column_of(sums.matrices, e));
          });
        });
      },
      config.unroll ? ir::Unroll::free : ir::Unroll::never);
  softmax.finish(sums.by_row);
  if (log_sums) {
    softmax.store_log_sums(scores.rows_of(
        builder, attention.tile_of_log_sums(*log_sums, rows, row_tile_of_subgroup, keys)));
  }
  builder.apply(
      sums.part(builder, transpose(attention.tile_of(o, rows, row_tile_of_subgroup))),
      [](Expr x) { return x; }, sums.values);
  return builder.finish();
}

}  // namespace vkmoye::gen
