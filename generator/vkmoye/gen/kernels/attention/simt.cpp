// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/simt.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/mma.hpp"
#include "vkmoye/gen/kernels/attention/bias.hpp"
#include "vkmoye/gen/kernels/attention/key_rows.hpp"
#include "vkmoye/gen/kernels/attention/running_softmax.hpp"
#include "vkmoye/gen/kernels/attention/staging.hpp"
#include "vkmoye/gen/kernels/attention/tile.hpp"
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
  return (q + k_or_v + config.rows * (config.keys + 1)) * bytes_of(ScalarType::f32);
}

// How threads move `rows` rows of q, k or v, elements or blocks.
std::optional<RowStaging> staging_of(const AttentionSimtConfig& config, const WeightFormat* format,
                                     std::int64_t width, std::int64_t rows) {
  if (format == nullptr) {
    return row_staging(width, rows, config.threads, widest_access(ScalarType::f32));
  }
  return row_staging(width, rows, config.threads, format->elements, min_part(*format));
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
                                        {16, 8, 64},   {8, 8, 64},    {8, 16, 64}};
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

ir::Kernel attention_simt(const AttentionSimtConfig& config, const AttentionForm& form,
                          ScalarType type, const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  const std::int64_t rows = config.rows, keys = config.keys;
  Builder builder(name, config.threads, to_index(config.subgroup_size));
  auto items = gen::items(attention_simt_fields(), config);
  items.insert(items.begin(), {{"type", type_text(type, form)}, {"form", form_text(form)}});
  builder.describe(items, "scores and sums in registers, weights through shared memory");
  AttentionTile attention(builder, form, type, {rows, keys});
  ScoreBias bias(builder, form, attention);
  const auto sink = read_sink(builder, form, attention.head());
  const auto log_sums = attention.log_sums();
  const Tensor o = attention.output("o", type);
  const TiledMma mma = make_tiled_mma(
      make_layout({config.threads / kTogether, kTogether}, {kTogether, std::int64_t{1}}));

  const std::int64_t step = widest_row(form) + 1;
  const View sQ =
      builder.shared("shared_q", ScalarType::f32,
                     make_layout({form.width, rows}, {std::int64_t{1}, form.width + 1}));
  const View sKV = builder.shared("shared_kv", ScalarType::f32,
                                  make_layout({step - 1, keys}, {std::int64_t{1}, step}));
  const auto columns = [&](std::int64_t width) {
    return composition(sKV, make_layout({width, keys}, {std::int64_t{1}, step - 1}));
  };
  const View sK = columns(form.width), sV = columns(form.value_width);  // (width, keys)
  const View sP = builder.shared("shared_p", ScalarType::f32,
                                 make_layout({rows, keys}, {keys + 1, std::int64_t{1}}));
  const auto staging = [&](const WeightFormat* format, const View& tile) {
    return *staging_of(config, format, size(tile.shape().mode(0)), size(tile.shape().mode(1)));
  };
  // What a thread has of a tile (elements, rows) in shared memory, of rows in `format`.
  const auto rows_in = [&](const WeightFormat* format, const View& tile) {
    return KeyRows{format, size(tile.shape().mode(0)), staging(format, tile).vector.count};
  };
  const auto staged = [&](const WeightFormat* format, const View& tile) {
    return staging(format, tile).part(rows_in(format, tile).at_places(tile), builder.thread());
  };
  const auto stage = [&](const View& from, const View& to) {
    const RowStaging by = staging(nullptr, to);
    builder.copy(by.part(from, builder.thread()), by.part(to, builder.thread()),
                 {.edges = Edges::zero, .vector = by.vector});
  };
  // Keys or values: elements, or blocks by way of registers.
  const auto stage_keys = [&](const std::string& of, const WeightFormat* format, const View& from,
                              const View& to) {
    if (format == nullptr) return stage(from, to);
    const KeyThreads all = {staging(format, to).threads, builder.thread()};
    KeyParts parts(builder, of, rows_in(format, to), type, from, all);
    const View own = staged(format, to);
    const View elements = builder.make_fragment_like("elements_of_" + of, ScalarType::f32, own);
    parts.load(from, all);
    parts.decode(elements);
    builder.copy(elements, own);
  };
  const View weights = partition_C(mma, sP, builder.thread());  // ((1,1), rows, keys)
  const View scores = builder.make_fragment_like("scores", ScalarType::f32, weights);
  const View mine = partition_C(mma, transpose(attention.tile_of(o)), builder.thread());
  const View sums =
      builder.make_fragment_like("sums", ScalarType::f32, mine);  // ((1,1), rows, value_width)
  const auto multiply = [&](const std::string& of, const View& a, const View& b, const View& c,
                            std::int64_t count) {
    const View tA = partition_A(mma, a, builder.thread()),
               tB = partition_B(mma, b, builder.thread());
    const View rA = builder.make_fragment_like(of + "_a", ScalarType::f32, select(tA, 2, 0));
    const View rB = builder.make_fragment_like(of + "_b", ScalarType::f32, select(tB, 2, 0));
    builder.loop(of, to_index(count), [&](const Expr& i) {
      builder.copy(select(tA, 2, i), rA);
      builder.copy(select(tB, 2, i), rB);
      builder.gemm(rA, rB, c);
    });
  };

  const BiasRows biased_rows = bias.rows("tile", attention.row_tile(), rows, attention.head());
  const auto part = [&](const View& tile) { return partition_C(mma, tile, builder.thread()); };
  RunningSoftmax softmax(builder, attention.exponent_factor(), scores,
                         {.columns = 2, .threads = mma.threads, .shared_by_row = 1}, sink);
  softmax.start();
  builder.assign(sums, ir::number(ScalarType::f32, 0));
  stage(attention.q(), sQ);
  builder.loop(
      "key_tile", attention.count(),
      [&](const Expr& i) {
        const Expr at = attention.first() + i;
        const AttentionTile::KeyTile keys_at = attention.key_tile(at);
        stage_keys("k", form.key_format, attention.k(keys_at), sK);
        builder.barrier();
        builder.assign(scores, ir::number(ScalarType::f32, 0));
        multiply("qk", transpose(sQ), transpose(sK), scores, form.width);
        attention.cap(scores);
        bias.add(scores, part, biased_rows, at);
        attention.hide_unseen(scores, part, attention.rows_of_workgroup(), at);
        softmax.update(scores, sums);
        builder.copy(scores, weights);
        builder.barrier();
        stage_keys("v", form.value_format, attention.v(keys_at), sV);
        attention.drop_beyond(
            staged(form.value_format, sV),
            staged(form.value_format, make_identity_view({form.value_width, keys})), at);
        builder.barrier();
        multiply("pv", sP, sV, sums, keys);
        builder.barrier();
      },
      ir::Unroll::never);
  softmax.finish(sums);
  if (log_sums) {
    softmax.store_log_sums(first_along(
        part(attention.tile_of_log_sums(*log_sums, rows, attention.row_tile(), keys)), {2}));
  }
  builder.copy(sums, mine);
  return builder.finish();
}

}  // namespace vkmoye::gen
