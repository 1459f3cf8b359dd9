// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/coopmat.hpp"

#include <fmt/format.h>

#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/matrix_values.hpp"
#include "vkmoye/gen/kernels/attention/bias.hpp"
#include "vkmoye/gen/kernels/attention/running_softmax.hpp"
#include "vkmoye/gen/kernels/attention/staging.hpp"
#include "vkmoye/gen/kernels/attention/tile.hpp"
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

std::string reason_of(const AttentionCoopmatConfig& config) {
  return fmt::format("scores stay in registers{}{}",
                     config.in_registers() ? "" : ", weights go through shared memory",
                     config.prefetch ? "; the next tiles of k and v are fetched meanwhile" : "");
}

class CoopmatAttention {
 public:
  CoopmatAttention(const AttentionCoopmatConfig& config, const AttentionForm& form, ScalarType type,
                   const std::string& name)
      : config_(config),
        form_(form),
        type_(type),
        builder_(name, config.threads(), to_index(config.subgroup_size)),
        attention_(builder_, form, type, {config.tile_rows(), config.keys}),
        bias_(builder_, form, attention_),
        sink_(read_sink(builder_, form, attention_.head())),
        log_sums_(attention_.log_sums()),
        o_(attention_.output("o", type)),
        staging_{builder_, config, type},
        row_tile_of_subgroup_(to_index(config.subgroups) * attention_.row_tile() +
                              builder_.subgroup()) {}

  ir::Kernel describe() {
    auto items = gen::items(attention_coopmat_fields(), config_);
    items.insert(items.begin(),
                 {{"type", std::string(to_string(type_))}, {"form", form_text(form_)}});
    builder_.describe(items, reason_of(config_));
    declare();
    load_q();
    const QueryRows own_rows =
        attention_.query_rows("own", to_index(config_.rows) * row_tile_of_subgroup_, config_.rows);
    const BiasRows biased_rows =
        bias_.rows("own", row_tile_of_subgroup_, config_.rows, attention_.head());
    RunningSoftmax softmax(builder_, attention_.exponent_factor(), scores_.by_row,
                           {.columns = 0, .threads = scores_.threads, .shared_by_row = 0}, sink_);
    softmax.start();
    builder_.fill(sums_.matrices, ir::number(ScalarType::f32, 0));
    if (config_.prefetch) fetch_tile(attention_.first());
    builder_.loop(
        "key_tile", attention_.count(),
        [&](const Expr& i) {
          stage_tile(i);
          multiply_q_k();
          finish_scores(own_rows, biased_rows, attention_.first() + i);
          softmax.update(scores_.by_row, sums_.by_row);
          weights_as_operand();
          multiply_weights_v();
        },
        config_.unroll ? ir::Unroll::free : ir::Unroll::never);
    softmax.finish(sums_.by_row);
    write(softmax);
    return builder_.finish();
  }

 private:
  void declare() {
    const std::int64_t rows = config_.rows, keys = config_.keys, atom = config_.atom_m;
    const auto shared = [&](const char* of, std::int64_t width, std::int64_t count) {
      return builder_.shared(of, type_, padded_tile(config_, type_, width, count));
    };
    shared_k_ = shared("shared_k", form_.width, keys);
    shared_v_ = shared("shared_v", form_.value_width, keys);
    shared_p_ = config_.in_registers() ? shared_k_ : shared("shared_p", keys, config_.tile_rows());
    next_k_ = staging_.next("next_k", shared_k_);
    next_v_ = staging_.next("next_v", shared_v_);

    const auto matrices = [&](const char* of, ScalarType element, Use use, std::int64_t height,
                              std::int64_t width) {
      return builder_.matrices(of, element, {use, to_index(atom), to_index(atom)}, height / atom,
                               width / atom);
    };
    const auto accumulators = [&](const char* of, std::int64_t width) {
      return matrix_values(builder_, matrices(of, ScalarType::f32, Use::accumulator, rows, width),
                           *config_.order_c.layout);
    };
    query_ = matrices("query", type_, Use::a, rows, form_.width);
    b_ = matrices("b", type_, Use::b, atom, atom);
    scores_ = accumulators("scores", keys);
    weights_ = matrices("weights", type_, Use::a, rows, keys);
    sums_ = accumulators("sums", form_.value_width);
  }

  // --- steps ---

  // q goes through the tile of k, as many rows at a time as it has.
  void load_q() {
    const std::int64_t rows = config_.rows, keys = config_.keys;
    const std::uint32_t parts = to_index(config_.tile_rows() / keys),
                        subgroups = to_index(keys / rows);  // whose rows are a part
    builder_.titled(fmt::format("q goes through the tile of k, {} rows at a time", keys), [&] {
      builder_.loop("part", parts, [&](const Expr& part) {
        staging_.fetch(attention_.q(keys, parts * attention_.row_tile() + part), next_k_);
        builder_.barrier();
        staging_.put(next_k_, shared_k_);
        builder_.barrier();
        builder_.branch({equal(builder_.subgroup() / subgroups, part)}, [&] {
          builder_.load(
              transpose(tile(shared_k_, {form_.width, rows}, {0, builder_.subgroup() % subgroups})),
              query_, staging_.width(shared_k_));
        });
      });
    });
  }

  void fetch_tile(const Expr& tile_number) {
    const AttentionTile::KeyTile key_tile = attention_.key_tile(tile_number);
    staging_.fetch(attention_.k(key_tile), next_k_);
    staging_.fetch(attention_.v(key_tile), next_v_);
  }

  // Tile `i` of the workgroup's to shared memory; the next one is on its way then.
  void stage_tile(const Expr& i) {
    const Expr tile_number = attention_.first() + i;
    if (!config_.prefetch) fetch_tile(tile_number);
    builder_.barrier();
    staging_.put(next_k_, shared_k_);
    attention_.drop_beyond(next_v_,
                           staging_.part(make_identity_view({form_.value_width, config_.keys})),
                           tile_number, staging_.width(shared_v_));
    staging_.put(next_v_, shared_v_);
    builder_.barrier();
    if (!config_.prefetch) return;
    builder_.branch({less(i + 1, attention_.count())}, [&] { fetch_tile(tile_number + 1); });
  }

  // scores = q k^T
  void multiply_q_k() {
    const std::int64_t atom = config_.atom_m;
    builder_.fill(scores_.matrices, ir::number(ScalarType::f32, 0));
    builder_.unrolled_loop("d", to_index(query_.columns), [&](const Expr& d) {
      builder_.unrolled_loop("key", to_index(weights_.columns), [&](const Expr& key) {
        builder_.load(tile(shared_k_, {atom, atom}, {d, key}), b_, staging_.width(shared_k_));
        builder_.multiply(column_of(query_, d), b_, column_of(scores_.matrices, key));
      });
    });
  }

  void finish_scores(const QueryRows& rows, const BiasRows& biased_rows, const Expr& tile_number) {
    const auto part = [&](const View& view) { return scores_.part(builder_, view); };
    attention_.cap(scores_.values);
    bias_.add(scores_.values, part, biased_rows, tile_number);
    attention_.hide_unseen(scores_.values, part, rows, tile_number);
  }

  // weights = scores, in registers, or through rows of shared memory that each subgroup has for itself. The barriers
  // around the next tiles of k and v order these rows: every thread has read the old ones before a new one is stored.
  void weights_as_operand() {
    if (config_.in_registers()) {
      return convert_matrices(builder_, scores_,
                              matrix_values(builder_, weights_, *config_.order_a.layout));
    }
    const View rows_of_subgroup =
        transpose(tile(shared_p_, {config_.keys, config_.rows}, {0, builder_.subgroup()}));
    builder_.apply(
        scores_.part(builder_, rows_of_subgroup), [](Expr x) { return x; }, scores_.values);
    builder_.barrier();
    builder_.load(rows_of_subgroup, weights_, 1);
  }

  // sums += weights v
  void multiply_weights_v() {
    const std::int64_t atom = config_.atom_m;
    builder_.unrolled_loop("key", to_index(weights_.columns), [&](const Expr& key) {
      builder_.unrolled_loop("e", to_index(sums_.matrices.columns), [&](const Expr& e) {
        builder_.load(transpose(tile(shared_v_, {atom, atom}, {e, key})), b_,
                      staging_.width(shared_v_));
        builder_.multiply(column_of(weights_, key), b_, column_of(sums_.matrices, e));
      });
    });
  }

  void write(RunningSoftmax& softmax) {
    if (log_sums_) {
      softmax.store_log_sums(scores_.rows_of(
          builder_, attention_.tile_of_log_sums(*log_sums_, config_.rows, row_tile_of_subgroup_,
                                                config_.keys)));
    }
    builder_.apply(
        sums_.part(builder_,
                   transpose(attention_.tile_of(o_, config_.rows, row_tile_of_subgroup_))),
        [](Expr x) { return x; }, sums_.values);
  }

  const AttentionCoopmatConfig& config_;
  const AttentionForm& form_;
  const ScalarType type_;
  Builder builder_;
  AttentionTile attention_;
  ScoreBias bias_;
  std::optional<Expr> sink_;
  std::optional<Tensor> log_sums_;
  Tensor o_;
  TileStaging staging_;
  Expr row_tile_of_subgroup_;
  View shared_k_, shared_v_;  // (width, keys), (value_width, keys)
  View shared_p_;             // (keys, rows), unless weights stay in registers
  View next_k_, next_v_;      // registers in which the next contents wait
  Matrices query_;
  Matrices b_;  // of k^T, then of v
  MatrixValues scores_;
  Matrices weights_;
  MatrixValues sums_;
};

}  // namespace

ir::Kernel attention_coopmat(const AttentionCoopmatConfig& config, const AttentionForm& form,
                             ScalarType type, const std::string& name) {
  throw_if_any(name, reasons_against(config, form, type));
  throw_if_any(name, reasons_against_orders(config));
  return CoopmatAttention(config, form, type, name).describe();
}

}  // namespace vkmoye::gen
