// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/attention/bias.hpp"
#include "vkmoye/gen/kernels/attention/key_rows.hpp"
#include "vkmoye/gen/kernels/attention/running_softmax.hpp"
#include "vkmoye/gen/kernels/attention/tile.hpp"
#include "vkmoye/gen/kernels/common/plan_step.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/common/slice_parts.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/layout/checked.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxSlices = 64;

// How the threads of a workgroup divide keys and their elements.
struct DecodeThreads {
  KeyRows k, v;
  std::int64_t threads_per_key;
  std::int64_t keys;    // at once
  std::int64_t rounds;  // of keys in a tile

  std::int64_t tile() const { return keys * rounds; }
};

DecodeThreads threads_of(const AttentionDecodeConfig& config, const AttentionForm& form,
                         ScalarType type) {
  DecodeThreads by;
  const ScalarType of_k = key_type(type, form), of_v = value_type(type, form);
  by.k = key_rows(form.key_format, of_k, form.width, config.key_threads);
  by.v = key_rows(form.value_format, of_v, form.value_width, config.key_threads);
  by.threads_per_key = power_dividing(std::gcd(by.k.parts(), by.v.parts()), config.key_threads);
  by.keys = config.threads / by.threads_per_key;
  // An access has 16 bytes, 4 registers.
  const auto accesses = [&](const KeyRows& rows, ScalarType of) {
    return ceil_div(rows.registers(bytes_of(of)), 4) * rows.parts() / by.threads_per_key;
  };
  by.rounds = std::max<std::int64_t>(
      1,
      next_power_of_two(config.reads / std::max(accesses(by.k, of_k), accesses(by.v, of_v)) + 1) /
          2);
  return by;
}

// Of the parts of maxima, row sums and sums that each subgroup has.
std::int64_t bytes_of_parts(const AttentionDecodeConfig& config, const AttentionForm& form,
                            ScalarType type) {
  const std::int64_t threads_per_key = threads_of(config, form, type).threads_per_key;
  return config.threads / config.subgroup_size * config.rows *
         (form.value_width + 2 * threads_per_key) * bytes_of(ScalarType::f32);
}

}  // namespace

const std::vector<ConfigField<AttentionDecodeConfig>>& attention_decode_fields() {
  using Config = AttentionDecodeConfig;
  static const std::vector<ConfigField<Config>> fields = {
      numbers_field<Config>("rows", "rows of q of a workgroup", {&Config::rows}),
      numbers_field<Config>("reads", "accesses of k, and of v, that a thread has in flight",
                            {&Config::reads}),
      numbers_field<Config>("threads", "threads of a workgroup", {&Config::threads}),
      numbers_field<Config>("key-threads", "maximum number of threads that share a key",
                            {&Config::key_threads}),
      numbers_field<Config>("subgroup-size",
                            "lanes of a subgroup, which the device must support (default: its own)",
                            {&Config::subgroup_size}),
      numbers_field<Config>("slices", "slices of the keys; 0: chosen by the number of keys",
                            {&Config::slices}),
      numbers_field<Config>("shared-bytes", "maximum number of bytes of shared memory",
                            {&Config::shared_bytes}),
  };
  return fields;
}

AttentionDecodeConfig attention_decode_config(const AttentionCall& call, ScalarType type,
                                              const DeviceCaps& device) {
  AttentionDecodeConfig config;
  config.subgroup_size = device.subgroup_size;
  config.key_threads = std::min<std::int64_t>(config.key_threads, config.subgroup_size);
  config.rows = std::clamp<std::int64_t>(next_power_of_two(call.rows()), 1, 8);
  // q and sums of a thread.
  const auto values = [&] {
    return config.rows * (call.form.width + call.form.value_width) /
           threads_of(config, call.form, type).threads_per_key;
  };
  while (config.rows > 1 && values() > 128) config.rows /= 2;
  if (config.rows > 2) config.reads = 8;  // q and sums of more rows leave registers for no more
  if (has_blocks(call.form)) config.reads /= 2;  // elements that are decoded need registers, too
  config.shared_bytes = shared_bytes_of(device);
  const auto too_large = [&] {
    return bytes_of_parts(config, call.form, type) > config.shared_bytes;
  };
  while (config.threads > config.subgroup_size && too_large()) config.threads /= 2;
  return config;
}

std::vector<std::string> reasons_against(const AttentionDecodeConfig& config,
                                         const AttentionForm& form, ScalarType type) {
  std::vector<std::string> reasons = reasons_against(form);
  require_power_of_two("rows", config.rows, 64, reasons);
  require_power_of_two("reads", config.reads, 64, reasons);
  require_power_of_two("threads", config.threads, 1024, reasons);
  require_power_of_two("key-threads", config.key_threads, 32, reasons);
  require_power_of_two("subgroup size", config.subgroup_size, 128, reasons);
  require(config.slices >= 0 && config.slices <= kMaxSlices,
          fmt::format("slices {} are outside 0..{}", config.slices, kMaxSlices), reasons);
  if (!reasons.empty()) return reasons;
  require_subgroups(config.subgroup_size, config.threads, reasons);
  require(config.key_threads <= config.subgroup_size,
          fmt::format("{} threads share a key, but a subgroup has {}", config.key_threads,
                      config.subgroup_size),
          reasons);
  const std::int64_t bytes = bytes_of_parts(config, form, type);
  require(bytes <= config.shared_bytes,
          fmt::format("{} bytes of shared memory are needed, but the limit is {}", bytes,
                      config.shared_bytes),
          reasons);
  const DecodeThreads by = threads_of(config, form, type);
  const std::int64_t values =
      config.rows * std::max(form.width, form.value_width) / by.threads_per_key * by.rounds;
  require(values <= 1024,
          fmt::format("{} products of a thread in a tile, but at most 1024 are possible", values),
          reasons);
  return reasons;
}

std::int64_t slices_of(const AttentionDecodeConfig& config, const AttentionCall& call,
                       ScalarType type) {
  if (config.slices > 0) return config.slices;
  constexpr std::int64_t kWorkgroups =
      1024;  // several for each of more than a hundred multiprocessors
  const std::int64_t others =
      std::max<std::int64_t>(1, call.kv_heads * call.batch * ceil_div(call.rows(), config.rows));
  const std::int64_t tiles = ceil_div(call.keys, threads_of(config, call.form, type).tile());
  return std::clamp<std::int64_t>(std::min(tiles / 2, ceil_div(kWorkgroups, others)), 1,
                                  kMaxSlices);
}

ir::Kernel attention_decode(const AttentionDecodeConfig& config, const AttentionForm& form,
                            ScalarType type, const std::string& name) {
  throw_if_any(name, reasons_against(config, form, type));
  constexpr ScalarType f32 = ScalarType::f32;
  constexpr std::int64_t one = 1;
  const DecodeThreads by = threads_of(config, form, type);
  const std::int64_t rows = config.rows;
  Builder builder(name, config.threads, to_index(config.subgroup_size));
  auto items = gen::items(attention_decode_fields(), config);
  items.insert(items.begin(), {{"type", type_text(type, form)}, {"form", form_text(form)}});
  builder.describe(items, "keys are split among workgroups and threads, which combine at the end");
  AttentionTile attention(builder, form, type, {rows, by.tile()}, /*rows_of_head_groups=*/true);
  ScoreBias bias(builder, form, attention);
  const Builder::AxisName row = {"row", attention.row_extent()},
                          head = {"head", attention.head_extent()},
                          slice_axis = {"slice", "slices"};
  const Tensor slice_sums =
      builder.output("slice_sums", f32, {{"e", form.value_width}, row, head, slice_axis});
  const auto of_rows = [&](const char* of) {
    return builder.output(of, f32, {row, head, slice_axis});
  };
  const Tensor slice_max = of_rows("slice_max"), slice_row_sums = of_rows("slice_row_sums");

  // A thread's parts: of q and of the sums (vector, accesses, 1, rows), of a tile of keys or values (vector, accesses,
  // keys); scores (1, 1, keys, rows).
  const Layout threads = make_layout({by.threads_per_key, by.keys});
  const Expr thread_of_key = builder.thread() % to_index(by.threads_per_key),
             key = builder.thread() / to_index(by.threads_per_key);
  const KeyThreads own_keys = {threads, builder.thread()},
                   own_rows = {make_layout({by.threads_per_key, one}), thread_of_key};
  const TiledCopy along_keys =
      make_tiled_copy(make_layout({one, by.keys}), make_layout({one, one}));
  // Of a tile of rows of q, or of the result: elements at the places of k, or of v.
  const auto of_rows_of = [&](const KeyRows& of, const View& tile) {
    return own_rows.part(of.at_places(tile), of.vector);
  };
  const View from_q = of_rows_of(by.k, attention.q());
  const View q_elements = builder.make_fragment_like("q_elements", f32, from_q);
  const View q = repeat(q_elements, 2, 1);
  KeyParts next_k(builder, "k", by.k, key_type(type, form), attention.k(attention.some_keys()),
                  own_keys);
  KeyParts next_v(builder, "v", by.v, value_type(type, form), attention.v(attention.some_keys()),
                  own_keys);
  const auto places = [&](const KeyRows& of) {
    return own_keys.part(of.at_places(make_identity_view({of.width, by.tile()})), of.vector);
  };
  const View key_elements = builder.make_fragment_like("key_elements", f32, places(by.k));
  const View value_elements = builder.make_fragment_like("value_elements", f32, places(by.v));
  const auto part = [&](const View& tile) {
    return repeat(permute(partition(tile, along_keys, key), {0, 2, 1}), 0, 1);
  };
  const View scores =
      builder.make_fragment_like("scores", f32, part(make_identity_view({rows, by.tile()})));
  const View to =
      of_rows_of(by.v, slice(tile(slice_sums, {form.value_width, rows, 1, 1},
                                  {0, attention.row_tile(), builder.block_y(), builder.block_z()}),
                             {_, _, 0, 0}));
  const View own = builder.make_fragment_like("sums", f32, to);
  const View sums = repeat(own, 2, 1);
  // `view` with a mode for each element of `tile` and each row: products over them are added where it has none.
  const auto over = [&](const View& view, const View& tile) {
    const IntTuple shape = tile.shape();
    return broadcast(view, IntTuple{shape.mode(0), shape.mode(1), shape.mode(2), IntTuple(rows)});
  };
  const auto multiply_and_add = [](const Expr& sum, const Expr& a, const Expr& b) {
    return multiply_add(a, b, sum);
  };

  // Rows whose heads matter, one by one.
  std::vector<QueryOfHead> single_rows;
  for (std::int64_t i = 0; i < rows && !has_rows_of_groups(form); ++i) {
    single_rows.push_back(attention.query_of_head(
        fmt::format("row{}", i), to_index(rows) * attention.row_tile() + to_index(i)));
  }
  const auto access = [&](const KeyRows& of, ScalarType in) {
    return Vector{to_index(std::min(of.run(), widest_access(in)))};
  };
  const CopyOptions from_buffer = {.edges = Edges::zero, .vector = access(by.k, type)};
  if (form.orders.q == AttentionOrder::bhsd) {
    builder.copy(from_q, q_elements, from_buffer);
  } else {
    for (std::int64_t i = 0; i < rows; ++i) {
      const View row = attention.q(single_rows[static_cast<std::size_t>(i)]);
      builder.copy(slice(of_rows_of(by.k, row), {_, _, 0}), slice(q_elements, {_, _, i}),
                   from_buffer);
    }
  }
  const auto load_keys = [&](const Expr& at) {
    if (form.page == 0) {
      next_k.load(attention.k(attention.key_tile(at)), own_keys);
      next_v.load(attention.v(attention.key_tile(at)), own_keys);
      return;
    }
    // Keys of different threads, and rounds, may be in different pages.
    builder.unrolled_loop("key_round", to_index(by.rounds), [&](const Expr& round) {
      const auto own_key =
          attention.key_tile(to_index(by.tile()) * at + to_index(by.keys) * round + key, 1);
      next_k.load(attention.k(own_key), own_rows, round);
      next_v.load(attention.v(own_key), own_rows, round);
    });
  };
  std::vector<BiasRows> biased_rows;
  for (std::size_t i = 0; i < single_rows.size() && has_bias(form); ++i) {
    const QueryOfHead& row = single_rows[i];
    biased_rows.push_back(bias.rows(fmt::format("row{}", i), row.query, 1, row.head));
  }
  RunningSoftmax softmax(builder, attention.exponent_factor(), scores,
                         {.columns = 2, .threads = threads, .shared_by_row = 1});
  softmax.start();
  builder.assign(own, ir::number(f32, 0));
  const Expr slices = maximum(Builder::extent(slice_sums, 3), 1);
  const SliceParts own_tiles = slice_parts(builder, attention.count(), slices, builder.block_z(),
                                           {"tiles_of_slice", "tiles_before", "own_tiles"});
  builder.loop(
      "key_tile", own_tiles.count,
      [&](const Expr& i) {
        const Expr at = attention.first() + own_tiles.first + i;
        load_keys(at);
        next_k.decode(key_elements);
        builder.assign(scores, ir::number(f32, 0));
        builder.titled("scores += key_elements * q_elements", [&] {
          const View all = over(scores, key_elements);
          builder.apply(all, multiply_and_add, all, key_elements, q);
        });
        builder.reduce_across(scores, kSum, threads, 0);
        attention.cap(scores);
        for (std::size_t i = 0; i < biased_rows.size(); ++i) {
          const auto row = static_cast<std::int64_t>(i);
          const auto part_of_row = [&](const View& tile) {
            return slice(part(tile), {_, _, _, 0});
          };
          bias.add(slice(scores, {_, _, _, row}), part_of_row, biased_rows[i], at);
        }
        attention.hide_unseen(scores, part, attention.rows_of_workgroup(), at);
        softmax.update_per_thread(scores, sums);
        next_v.decode(value_elements);
        attention.drop_beyond(value_elements, places(by.v), at);
        builder.titled("sums += value_elements * scores", [&] {
          const View all = over(sums, value_elements);
          builder.apply(all, multiply_and_add, all, value_elements, scores);
        });
      },
      ir::Unroll::never);
  softmax.merge(sums);
  builder.branch({equal(key, 0)}, [&] { builder.copy(own, to, {.vector = access(by.v, f32)}); });
  builder.branch({equal(builder.thread(), 0)}, [&] {
    const auto target = [&](const Tensor& of) {
      return slice(
          tile(of, {rows, 1, 1}, {attention.row_tile(), builder.block_y(), builder.block_z()}),
          {_, 0, 0});
    };
    const Layout values(rows, 1);
    builder.apply(
        target(slice_max), [&](const Expr& m) { return m * attention.exponent_factor(); },
        builder.retile(softmax.row_max(), values));
    builder.copy(builder.retile(softmax.row_sum(), values), target(slice_row_sums));
  });
  return builder.finish_or_assume_written(
      slice_sums, "threads divide the elements of the rows of a workgroup among them, each once");
}

KernelPlan attention_decode_plan(const AttentionDecodeConfig& config, const AttentionCall& call,
                                 ScalarType type, const DeviceCaps& device) {
  const std::int64_t slices = slices_of(config, call, type);
  const auto bytes = [&](std::int64_t width) {
    return static_cast<std::uint64_t>(width * call.rows() * call.kv_heads * call.batch * slices) *
           size_of(ScalarType::f32);
  };
  KernelPlan plan;
  plan.arrays = attention_arrays(call, type);
  plan.scratch = {{"sums of slices", bytes(call.form.value_width)},
                  {"maxima of slices", bytes(1)},
                  {"row sums of slices", bytes(1)}};
  std::vector<std::string> names;
  for (const PlanArray& array : plan.arrays) names.push_back(array.name);
  for (const char* name : {"slice_sums", "slice_max", "slice_row_sums"}) names.emplace_back(name);
  Arguments all = attention_arguments(call);
  all["rows"] = call.rows();
  all["heads"] = call.kv_heads * call.batch;
  all["slices"] = slices;
  plan.steps = {plan_step(attention_decode(config, call.form, type), names, all),
                plan_step(attention_combine(call.form, type, device), names, all)};
  return plan;
}

}  // namespace vkmoye::gen
