// SPDX-License-Identifier: MIT
// Chooses and checks the config of attention_decode.

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/attention/decode.hpp"
#include "vkmoye/gen/kernels/attention/decode_threads.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/layout/checked.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxSlicesOfKeys = 64;

// Of the parts of maxima, row sums and sums that each subgroup has, and of tables of numbers.
std::int64_t bytes_of_parts(const AttentionDecodeConfig& config, const AttentionForm& form,
                            ScalarType type) {
  const DecodeThreads by = decode_threads(config, form, type);
  return config.threads / config.subgroup_size * config.rows *
             (by.v.width + 2 * by.threads_per_key) * bytes_of(ScalarType::f32) +
         bytes_of_tables(form.key_format, form.value_format);
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
  throw_if_any("attention/decode", reasons_against(call.form));
  AttentionDecodeConfig config;
  config.subgroup_size = device.subgroup_size;
  config.key_threads = std::min<std::int64_t>(config.key_threads, config.subgroup_size);
  config.rows = std::clamp<std::int64_t>(next_power_of_two(call.rows()), 1, 8);
  // q and sums of a thread.
  const auto values = [&] {
    const DecodeThreads by = decode_threads(config, call.form, type);
    return config.rows * (by.k.width + by.v.width) / by.threads_per_key;
  };
  constexpr std::int64_t kMaxValues = 128, kMaxKeyThreads = 32;
  while (config.rows > 1 && values() > kMaxValues) config.rows /= 2;
  while (values() > kMaxValues &&
         config.key_threads < std::min<std::int64_t>(config.subgroup_size, kMaxKeyThreads)) {
    config.key_threads *= 2;
  }
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
  require(config.slices >= 0 && config.slices <= kMaxSlicesOfKeys,
          fmt::format("slices {} are outside 0..{}", config.slices, kMaxSlicesOfKeys), reasons);
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
  const DecodeThreads by = decode_threads(config, form, type);
  const std::int64_t values =
      config.rows * std::max(by.k.width, by.v.width) / by.threads_per_key * by.rounds;
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
  const std::int64_t tiles = ceil_div(call.keys, decode_threads(config, call.form, type).tile());
  return std::clamp<std::int64_t>(std::min(tiles / 2, ceil_div(kWorkgroups, others)), 1,
                                  kMaxSlicesOfKeys);
}

}  // namespace vkmoye::gen
