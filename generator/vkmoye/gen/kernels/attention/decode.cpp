// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/attention/scores.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/layout/checked.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxSlices = 64;

// The largest power of two up to `most` that divides `whole`.
std::int64_t power_dividing(std::int64_t whole, std::int64_t most) {
  return std::min(most, whole & -whole);
}

// How the threads of a workgroup divide keys and their elements.
struct DecodeThreads {
  std::int64_t vector, beside,
      keys;             // elements of an access; threads that share a key; keys at once
  std::int64_t rounds;  // of keys in a tile

  std::int64_t tile() const { return keys * rounds; }
};

DecodeThreads threads_of(const AttentionDecodeConfig& config, const AttentionForm& form,
                         ScalarType type) {
  const std::int64_t both = std::gcd(form.width, form.value_width);
  const std::int64_t vector = power_dividing(both, widest_access(type));
  const std::int64_t beside = power_dividing(both / vector, config.key_threads);
  const std::int64_t accesses = std::max(form.width, form.value_width) / (vector * beside);
  return {vector, beside, config.threads / beside,
          std::max<std::int64_t>(1, next_power_of_two(config.reads / accesses + 1) / 2)};
}

// Of the parts of maxima, totals and sums that each subgroup has.
std::int64_t bytes_of_parts(const AttentionDecodeConfig& config, const AttentionForm& form,
                            ScalarType type) {
  const std::int64_t beside = threads_of(config, form, type).beside;
  return config.threads / config.subgroup_size * config.rows * (form.value_width + 2 * beside) *
         bytes_of(ScalarType::f32);
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
                            {&Config::together}),
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
           threads_of(config, call.form, type).beside;
  };
  while (config.rows > 1 && values() > 128) config.rows /= 2;
  if (config.rows > 2) config.reads = 8;  // q and sums of more rows leave registers for no more
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
      config.rows * std::max(form.width, form.value_width) / by.beside * by.rounds;
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
  const std::int64_t others = std::max<std::int64_t>(
      1, call.kv_heads * call.batch * vkmoye::ceil_div(call.rows(), config.rows));
  const std::int64_t tiles =
      vkmoye::ceil_div(call.keys, threads_of(config, call.form, type).tile());
  return std::clamp<std::int64_t>(std::min(tiles / 2, vkmoye::ceil_div(kWorkgroups, others)), 1,
                                  kMaxSlices);
}

ir::Kernel attention_decode(const AttentionDecodeConfig& config, const AttentionForm& form,
                            ScalarType type, const std::string& name) {
  throw_if_any(name, reasons_against(config, form, type));
  constexpr ScalarType f32 = ScalarType::f32;
  constexpr std::int64_t one = 1;
  const DecodeThreads by = threads_of(config, form, type);
  const std::int64_t rows = config.rows;
  Builder k(name, config.threads, to_index(config.subgroup_size));
  auto items = gen::items(attention_decode_fields(), config);
  items.insert(items.begin(), {{"type", std::string(to_string(type))}, {"form", form_text(form)}});
  k.describe(items, "keys are split among workgroups and threads, which combine at the end");
  AttentionTile attention(k, form, type, {rows, by.tile()});
  const Tensor slice_sums =
      k.output("slice_sums", f32,
               {{"e", form.value_width}, {"row", "rows"}, {"head", "heads"}, {"slice", "slices"}});
  const auto of_rows = [&](const char* of) {
    return k.output(of, f32, {{"row", "rows"}, {"head", "heads"}, {"slice", "slices"}});
  };
  const Tensor slice_most = of_rows("slice_most"), slice_totals = of_rows("slice_totals");

  // A thread's parts: of q and of the sums (vector, accesses, 1, rows), of a tile of keys or values (vector, accesses,
  // keys); scores (1, 1, keys, rows).
  const Layout threads = make_layout({by.beside, by.keys});
  const Expr beside = k.thread() % to_index(by.beside), key = k.thread() / to_index(by.beside);
  const TiledCopy copy = make_tiled_copy(threads, make_layout({by.vector, one}));
  const TiledCopy along_rows =
      make_tiled_copy(make_layout({by.beside, one}), make_layout({by.vector, one}));
  const TiledCopy along_keys =
      make_tiled_copy(make_layout({one, by.keys}), make_layout({one, one}));
  const auto mine = [&](const View& tile) { return partition(tile, copy, k.thread()); };
  const Vector vector = {to_index(by.vector)};

  const View from_q = partition(attention.q(), along_rows, beside);
  const View q_elements = k.make_fragment_like("q_elements", f32, from_q);
  const View q = repeat(q_elements, 2, 1);
  const View next_k = k.make_fragment_like("next_k", type, mine(attention.k(0)), vector.count);
  const View next_v = k.make_fragment_like("next_v", type, mine(attention.v(0)), vector.count);
  const View key_elements = k.make_fragment_like("key_elements", f32, next_k);
  const View value_elements = k.make_fragment_like("value_elements", f32, next_v);
  const View places = repeat(
      permute(partition(make_identity_view({rows, by.tile()}), along_keys, key), {0, 2, 1}), 0, 1);
  const View scores = k.make_fragment_like("scores", f32, places);
  const View to = partition(slice(tile(slice_sums, {form.value_width, rows, 1, 1},
                                       {0, attention.row_tile(), k.block_y(), k.block_z()}),
                                  {_, _, 0, 0}),
                            along_rows, beside);
  const View own = k.make_fragment_like("sums", f32, to);
  const View sums = repeat(own, 2, 1);
  // `view` with a mode for each element of `tile` and each row: products over them are added where it has none.
  const auto over = [&](const View& view, const View& tile) {
    const IntTuple shape = tile.shape();
    return broadcast(view, IntTuple{shape.mode(0), shape.mode(1), shape.mode(2), IntTuple(rows)});
  };
  const auto multiply_and_add = [](const Expr& sum, const Expr& a, const Expr& b) {
    return multiply_add(a, b, sum);
  };

  k.copy(from_q, q_elements, {.edges = Edges::zero, .vector = vector});
  RunningSoftmax softmax(k, attention.factor(), scores, 2, threads, 1);
  softmax.start();
  k.assign(own, ir::number(f32, 0));
  const Expr slices = maximum(Builder::extent(slice_sums, 3), 1);
  const Expr of_slice = k.let("tiles_of_slice", (attention.count() + slices - 1) / slices);
  const Expr before = k.let("tiles_before", of_slice * k.block_z());
  const Expr count =
      k.let("own_tiles", minimum(maximum(attention.count(), before) - before, of_slice));
  k.loop(
      "key_tile", count,
      [&](const Expr& i) {
        const Expr at = attention.first() + before + i;
        k.copy(mine(attention.k(at)), next_k, {.edges = Edges::zero, .vector = vector});
        k.copy(mine(attention.v(at)), next_v, {.edges = Edges::zero, .vector = vector});
        k.copy(next_k, key_elements, {.vector = vector});
        k.assign(scores, ir::number(f32, 0));
        k.titled("scores += key_elements * q_elements", [&] {
          const View all = over(scores, next_k);
          k.apply(all, multiply_and_add, all, key_elements, q);
        });
        k.reduce_across(scores, kSum, threads, 0);
        attention.hide(scores, places, attention.rows(), at);
        softmax.update_apart(scores, sums);
        k.copy(next_v, value_elements, {.vector = vector});
        k.titled("sums += value_elements * scores", [&] {
          const View all = over(sums, next_v);
          k.apply(all, multiply_and_add, all, value_elements, scores);
        });
      },
      ir::Unroll::never);
  softmax.merge(sums);
  k.branch({equal(key, 0)},
           [&] { k.copy(own, to, {.vector = {to_index(std::min<std::int64_t>(by.vector, 4))}}); });
  k.branch({equal(k.thread(), 0)}, [&] {
    const auto target = [&](const Tensor& of) {
      return slice(tile(of, {rows, 1, 1}, {attention.row_tile(), k.block_y(), k.block_z()}),
                   {_, 0, 0});
    };
    const Layout values(rows, 1);
    k.apply(
        target(slice_most), [&](const Expr& m) { return m * attention.factor(); },
        k.retile(softmax.most(), values));
    k.copy(k.retile(softmax.total(), values), target(slice_totals));
  });
  return k.finish();
}

ir::Kernel attention_combine(const AttentionForm& form, ScalarType type, const DeviceCaps& device,
                             const std::string& name) {
  throw_if_any(name, reasons_against(form));
  constexpr ScalarType f32 = ScalarType::f32;
  constexpr std::int64_t one = 1;
  const std::int64_t vector = power_dividing(form.value_width, widest_access(f32));
  const std::int64_t beside = power_dividing(form.value_width / vector, 32);
  const std::int64_t lanes = device.subgroup_size;
  const std::int64_t at_once = std::max<std::int64_t>(8, lanes / beside);  // slices
  const Layout threads = make_layout({beside, at_once});
  Builder k(name, size(threads), to_index(lanes));
  k.describe({{"type", std::string(to_string(type))}, {"form", form_text(form)}},
             "slices are weighed by their maxima, and added up always in the same order");
  const Tensor slice_sums =
      k.input("slice_sums", f32,
              {{"e", form.value_width}, {"row", "rows"}, {"head", "heads"}, {"slice", "slices"}});
  const auto of_rows = [&](const char* of) {
    return k.input(of, f32, {{"row", "rows"}, {"head", "heads"}, {"slice", "slices"}});
  };
  const Tensor slice_most = of_rows("slice_most"), slice_totals = of_rows("slice_totals");
  const Tensor o =
      k.output("o", type, {{"e", form.value_width}, {"row", "rows"}, {"head", "heads"}});

  const Expr beside_at = k.thread() % to_index(beside), slice_at = k.thread() / to_index(beside);
  const auto tile_of_sums = [&](const Expr& chunk) {  // (vector, accesses, 1)
    return partition(slice(tile(slice_sums, {form.value_width, 1, 1, at_once},
                                {0, k.block_x(), k.block_y(), chunk}),
                           {_, 0, 0, _}),
                     make_tiled_copy(threads, make_layout({vector, one})), k.thread());
  };
  const auto of_slice = [&](const Tensor& of, const Expr& chunk) {  // (1)
    return partition(slice(tile(of, {1, 1, at_once}, {k.block_x(), k.block_y(), chunk}), {0, 0, _}),
                     make_tiled_copy(make_layout({at_once}), make_layout({one})), slice_at);
  };
  const View part = k.make_fragment_like("part", f32, tile_of_sums(0));
  const View most = k.registers("most_of_slice", f32, Layout(IntTuple{1, 1, 1}));
  const View total = k.registers("total_of_slice", f32, Layout(IntTuple{1, 1, 1}));
  const View sums = k.make_fragment_like("sums", f32, part);
  RunningSoftmax softmax(k, ir::number(f32, 1), most, 2, threads, 1);
  softmax.start();
  k.assign(sums, ir::number(f32, 0));
  k.loop("chunk", ceil_div(Builder::extent(slice_sums, 3), to_index(at_once)),
         [&](const Expr& chunk) {
           k.assign(most, ir::number(f32, -3e38));  // where there is no slice
           k.copy(of_slice(slice_most, chunk), k.retile(most, Layout(1, 1)));
           k.copy(of_slice(slice_totals, chunk), k.retile(total, Layout(1, 1)),
                  {.edges = Edges::zero});
           k.copy(tile_of_sums(chunk), part, {.edges = Edges::zero, .vector = {to_index(vector)}});
           softmax.update_apart(most, sums, &total);
           k.titled("sums += part * most_of_slice", [&] {
             k.apply(
                 sums,
                 [](const Expr& sum, const Expr& x, const Expr& weight) {
                   return multiply_add(x, weight, sum);
                 },
                 sums, part, most);
           });
         });
  softmax.merge(sums);
  softmax.divide(sums);
  const View to =
      partition(slice(tile(o, {form.value_width, 1, 1}, {0, k.block_x(), k.block_y()}), {_, _, 0}),
                make_tiled_copy(make_layout({beside, one}), make_layout({vector, one})), beside_at);
  k.branch({equal(slice_at, 0)}, [&] { k.copy(sums, to, {.vector = {to_index(vector)}}); });
  return k.finish();
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
                  {"totals of slices", bytes(1)}};
  Arguments arguments = attention_arguments(call);
  arguments["slices"] = slices;
  plan.steps.push_back({attention_decode(config, call.form, type), arguments, {0, 1, 2, 4, 5, 6}});
  Arguments of_combine;
  for (const char* extent : {"rows", "heads", "slices"}) of_combine[extent] = arguments.at(extent);
  plan.steps.push_back({attention_combine(call.form, type, device), of_combine, {4, 5, 6, 3}});
  return plan;
}

}  // namespace vkmoye::gen
