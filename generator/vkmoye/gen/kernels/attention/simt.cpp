// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/simt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/mma.hpp"
#include "vkmoye/gen/kernels/attention/parts/bias.hpp"
#include "vkmoye/gen/kernels/attention/parts/header.hpp"
#include "vkmoye/gen/kernels/attention/parts/key_rows.hpp"
#include "vkmoye/gen/kernels/attention/parts/running_softmax.hpp"
#include "vkmoye/gen/kernels/attention/parts/staging.hpp"
#include "vkmoye/gen/kernels/attention/parts/visible_keys.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/tensor/copy_atom.hpp"
#include "vkmoye/tensor/tiled_mma.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kTogether = 8;  // threads that share a row

std::int64_t widest_row(const AttentionForm& form) {
  return std::max(form.width, form.value_width);
}

std::int64_t bytes_of_tiles(const AttentionSimtConfig& config, const AttentionForm& form) {
  const std::int64_t q = config.rows * (form.width + 1);
  const std::int64_t k_or_v = config.keys * (widest_row(form) + 1);
  return (q + k_or_v + config.rows * (config.keys + 1)) * bytes_of(ScalarType::f32) +
         bytes_of_tables(form.key_format, form.value_format);
}

// How threads move `rows` rows of q, k or v, elements or blocks.
std::optional<RowStaging> staging_of(const AttentionSimtConfig& config, const WeightFormat* format,
                                     std::int64_t width, std::int64_t rows) {
  if (format == nullptr) {
    return row_staging(width, rows, config.threads, widest_access(ScalarType::f32));
  }
  return row_staging(width, rows, config.threads, max_part(*format), min_part(*format));
}

}  // namespace

const std::vector<ConfigField<AttentionSimtConfig>>& attention_simt_fields() {
  using Config = AttentionSimtConfig;
  static const std::vector<ConfigField<Config>> fields = {
      numbers_field<Config>("tile", "ROWSxKEYS: rows of q and of k in a tile",
                            {&Config::rows, &Config::keys}),
      numbers_field<Config>("threads", "threads of a workgroup; 8 of them share a row",
                            {&Config::threads}),
      numbers_field<Config>("subgroup-size",
                            "lanes of a subgroup, which the device must support (default: its own)",
                            {&Config::subgroup_size}),
      numbers_field<Config>("shared-bytes", "maximum number of bytes of shared memory",
                            {&Config::shared_bytes}),
  };
  return fields;
}

AttentionSimtConfig attention_simt_config(const AttentionForm& form, const DeviceCaps& device) {
  AttentionSimtConfig config;
  config.subgroup_size = device.subgroup_size;
  config.shared_bytes = shared_bytes_of(device);
  // The largest tile that fits; sums of more than 64 values in a thread would spill.
  constexpr std::int64_t kTiles[][3] = {{64, 32, 128}, {32, 32, 128}, {32, 16, 128}, {16, 16, 128},
                                        {16, 8, 64},   {8, 8, 64},    {8, 16, 64},   {4, 8, 32}};
  for (const auto& [rows, keys, threads] : kTiles) {
    config.rows = rows;
    config.keys = keys;
    config.threads = threads;
    const bool spills = rows * form.value_width / threads > 64;
    if (!spills && reasons_against(config, form).empty()) return config;
  }
  return config;
}

std::vector<std::string> reasons_against(const AttentionSimtConfig& config,
                                         const AttentionForm& form) {
  std::vector<std::string> reasons = reasons_against(form);
  require_power_of_two("threads", config.threads, 1024, reasons);
  require_power_of_two("subgroup size", config.subgroup_size, 128, reasons);
  require_within("rows", config.rows, 1024, reasons);
  require_within("keys", config.keys, 1024, reasons);
  if (!reasons.empty()) return reasons;
  require_subgroups(config.subgroup_size, config.threads, reasons);
  require(config.threads >= kTogether,
          fmt::format("{} threads, but {} share a row", config.threads, kTogether), reasons);
  if (!reasons.empty()) return reasons;
  require_divides("threads along rows", config.threads / kTogether, config.rows, reasons);
  require_divides("threads along keys", kTogether, config.keys, reasons);
  const auto require_staging = [&](const char* what, const WeightFormat* format, std::int64_t width,
                                   std::int64_t rows) {
    require(staging_of(config, format, width, rows).has_value(),
            fmt::format("staging {}: {} threads do not divide {} rows of {} elements evenly", what,
                        config.threads, rows, width),
            reasons);
  };
  require_staging("q", nullptr, form.width, config.rows);
  require_staging("k", form.key_format, form.width, config.keys);
  require_staging("v", form.value_format, form.value_width, config.keys);
  if (form.page != 0)
    require_divides("keys", config.keys, "the keys of a page", form.page, reasons);
  const std::int64_t bytes = bytes_of_tiles(config, form);
  require(bytes <= config.shared_bytes,
          fmt::format("{} bytes of shared memory are needed, but the limit is {}", bytes,
                      config.shared_bytes),
          reasons);
  return reasons;
}

namespace {

class SimtAttention {
 public:
  SimtAttention(const AttentionSimtConfig& config, const AttentionForm& form, ScalarType type,
                const std::string& name)
      : config_(config),
        form_(form),
        type_(type),
        mma_(make_tiled_mma(
            make_layout({config.threads / kTogether, kTogether}, {kTogether, std::int64_t{1}}))),
        builder_(name, config.threads, to_index(config.subgroup_size)),
        attention_(builder_, form, type, {config.rows, config.keys}),
        visible_(builder_, form, attention_),
        bias_(builder_, form, attention_),
        sink_(read_sink(builder_, form, attention_.head())),
        log_sums_(attention_.log_sums()),
        o_(attention_.output("o", type)),
        numbers_(builder_, form.key_format, form.value_format) {}

  ir::Kernel describe() {
    attention_header(builder_, attention_simt_fields(), config_, form_, type_,
                     "scores and sums in registers, probabilities through shared memory");
    declare();
    numbers_.fill_tables();
    if (numbers_.has_tables()) builder_.barrier();
    const BiasRows biased_rows =
        bias_.rows("tile", attention_.row_tile(), config_.rows, attention_.head());
    RunningSoftmax softmax(builder_, attention_.score_scale().of_softmax(), scores_,
                           {.columns = 2, .threads = mma_.threads, .shared_by_row = 1}, sink_);
    softmax.start();
    builder_.assign(sums_, 0);
    stage(attention_.q(), shared_q_);
    builder_.loop(
        "key_tile", visible_.count(),
        [&](const Expr& i) { add_tile(visible_.first() + i, biased_rows, softmax); },
        ir::Unroll::never);
    softmax.finish(sums_);
    if (log_sums_) {
      softmax.store_log_sums(
          first_along(part(attention_.tile_of_log_sums(*log_sums_, config_.rows,
                                                       attention_.row_tile(), config_.keys)),
                      {2}));
    }
    builder_.copy(sums_, output_);
    return builder_.finish();
  }

 private:
  void declare() {
    const std::int64_t rows = config_.rows, keys = config_.keys;
    constexpr std::int64_t one = 1;
    const std::int64_t widest = widest_row(form_);
    shared_q_ = builder_.shared("shared_q", ScalarType::f32,
                                make_layout({form_.width, rows}, {one, form_.width + 1}));
    const View shared_kv = builder_.shared("shared_kv", ScalarType::f32,
                                           make_layout({widest, keys}, {one, widest + 1}));
    const auto elements = [&](std::int64_t width) {
      return composition(shared_kv, make_layout({width, keys}, {one, widest}));
    };
    shared_k_ = elements(form_.width);
    shared_v_ = elements(form_.value_width);
    shared_p_ =
        builder_.shared("shared_p", ScalarType::f32, make_layout({rows, keys}, {keys + 1, one}));
    probabilities_ = part(shared_p_);
    scores_ = builder_.make_fragment_like("scores", ScalarType::f32, probabilities_);
    output_ = part(transpose(attention_.tile_of(o_)));
    sums_ = builder_.make_fragment_like("sums", ScalarType::f32, output_);
  }

  // --- views ---

  // A thread's part of a view (rows, columns): ((1,1), rows, columns).
  View part(const View& view) const { return partition_C(mma_, view, builder_.thread()); }

  RowStaging staging(const WeightFormat* format, const View& tile) const {
    return *staging_of(config_, format, size(tile.shape().mode(0)), size(tile.shape().mode(1)));
  }
  KeyThreads threads(const WeightFormat* format, const View& tile) const {
    return {staging(format, tile).threads, builder_.thread()};
  }
  // The rows of a tile (elements, rows) in shared memory, in `format` before.
  KeyRows rows_in(const WeightFormat* format, const View& tile) const {
    return {format, size(tile.shape().mode(0)), staging(format, tile).vector};
  }
  // What a thread stages of it.
  View staged(const WeightFormat* format, const View& tile) const {
    const KeyRows rows = rows_in(format, tile);
    return threads(format, tile).part(rows.at_places(tile), rows.vector);
  }

  // --- steps ---

  void stage(const View& from, const View& to) {
    const std::int64_t vector = staging(nullptr, to).vector;
    const KeyThreads by = threads(nullptr, to);
    builder_.copy(by.part(from, vector), by.part(to, vector),
                  {.edges = Edges::zero, .vector = {to_index(vector)}});
  }

  // Keys or values: elements, or blocks by way of registers.
  void stage_keys(const std::string& of, const WeightFormat* format, WeightNumbers* numbers,
                  const View& from, const View& to) {
    if (format == nullptr) return stage(from, to);
    const KeyThreads by = threads(format, to);
    KeyParts parts(builder_, of, rows_in(format, to), type_, from, by, numbers);
    const View part_of_thread = staged(format, to);
    const View elements =
        builder_.make_fragment_like("elements_of_" + of, ScalarType::f32, part_of_thread);
    parts.load(from, by);
    parts.decode(elements);
    builder_.copy(elements, part_of_thread);
  }

  // c += a b, over `count` columns of a.
  void multiply(const std::string& of, const View& a, const View& b, const View& c,
                std::int64_t count) {
    const View tA = partition_A(mma_, a, builder_.thread()),
               tB = partition_B(mma_, b, builder_.thread());
    const View rA = builder_.make_fragment_like(of + "_a", ScalarType::f32, select(tA, 2, 0));
    const View rB = builder_.make_fragment_like(of + "_b", ScalarType::f32, select(tB, 2, 0));
    builder_.loop(of, to_index(count), [&](const Expr& i) {
      builder_.copy(select(tA, 2, i), rA);
      builder_.copy(select(tB, 2, i), rB);
      builder_.gemm(rA, rB, c);
    });
  }

  void add_tile(const Expr& tile_number, const BiasRows& biased_rows, RunningSoftmax& softmax) {
    const auto part_of = [&](const View& view) { return part(view); };
    const AttentionTile::KeyTile key_tile = attention_.key_tile(tile_number);
    stage_keys("k", form_.key_format, numbers_.k(), attention_.k(key_tile), shared_k_);
    builder_.barrier();
    builder_.assign(scores_, 0);
    multiply("qk", transpose(shared_q_), transpose(shared_k_), scores_, form_.width);
    attention_.score_scale().cap(builder_, scores_);
    bias_.add(scores_, part_of, biased_rows, tile_number);
    visible_.hide_unseen(scores_, part_of, visible_.rows_of_workgroup(), tile_number);
    softmax.update(scores_, sums_);
    builder_.copy(scores_, probabilities_);
    builder_.barrier();
    if (!form_.values_in_keys) {
      stage_keys("v", form_.value_format, numbers_.v(), attention_.v(key_tile), shared_v_);
    }
    visible_.drop_beyond(
        staged(form_.value_format, shared_v_),
        staged(form_.value_format, make_identity_view({form_.value_width, config_.keys})),
        tile_number);
    builder_.barrier();
    multiply("pv", shared_p_, shared_v_, sums_, config_.keys);
    builder_.barrier();
  }

  const AttentionSimtConfig& config_;
  const AttentionForm& form_;
  const ScalarType type_;
  const TiledMma mma_;
  Builder builder_;
  AttentionTile attention_;
  VisibleKeys visible_;
  ScoreBias bias_;
  std::optional<Expr> sink_;
  std::optional<Tensor> log_sums_;
  Tensor o_;
  KeyNumbers numbers_;
  View shared_q_;  // (width, rows)
  // (width, keys), (value_width, keys): the same memory, and so the same elements if values are in rows of keys.
  View shared_k_, shared_v_;
  View shared_p_;       // (rows, keys)
  View probabilities_;  // the thread's part of shared_p_: ((1,1), rows, keys)
  View scores_;         // in registers, of the same shape
  View output_, sums_;  // ((1,1), rows, value_width): of o, and in registers
};

}  // namespace

ir::Kernel attention_simt(const AttentionSimtConfig& config, const AttentionForm& form,
                          ScalarType type, const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  return SimtAttention(config, form, type, name).describe();
}

}  // namespace vkmoye::gen
