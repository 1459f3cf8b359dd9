// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/quantised.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"
#include "vkmoye/gen/kernels/products/thin.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxRowsOfA = 8;

// Bytes of shared memory of the rows of A.
std::int64_t bytes_of_a(const GemmQuantisedConfig& config, const GemmForm& form) {
  const std::int64_t unit = config.blocks * form.weights->elements + config.pad_of_unit;
  return config.rows * config.along_k * unit * bytes_of(form.a_type);
}

std::int64_t all_shared(const GemmQuantisedConfig& config, const GemmForm& form) {
  const std::int64_t sums = config.along_k > config.subgroup_size
                                ? 4 * config.threads * config.rows * config.weights
                                : 0;  // at most, of reduce_across
  return bytes_of_a(config, form) + sums + form.weights->table_bytes();
}

}  // namespace

const std::vector<ConfigField<GemmQuantisedConfig>>& gemm_quantised_fields() {
  using Config = GemmQuantisedConfig;
  static const std::vector<ConfigField<Config>> fields = {
      numbers_field<Config>("rows", "rows of A at once: 1 to 8", {&Config::rows}),
      numbers_field<Config>("threads", "threads of a workgroup", {&Config::threads}),
      numbers_field<Config>("along-k", "threads that share a row of weights", {&Config::along_k}),
      numbers_field<Config>("blocks", "blocks of a row of weights that a thread reads at once",
                            {&Config::blocks}),
      numbers_field<Config>("weights", "rows of weights of a thread", {&Config::weights}),
      numbers_field<Config>("subgroup-size",
                            "lanes of a subgroup, which the device must support (default: its own)",
                            {&Config::subgroup_size}),
      numbers_field<Config>("shared-bytes", "maximum number of bytes of shared memory",
                            {&Config::shared_bytes}),
  };
  return fields;
}

std::int64_t depth(const GemmQuantisedConfig& config, const GemmForm& form) {
  return config.along_k * config.blocks * form.weights->elements;
}

GemmQuantisedConfig gemm_quantised_config(const GemmForm& form,
                                          const std::optional<std::vector<std::int64_t>>& shape,
                                          const DeviceCaps& device) {
  GemmQuantisedConfig config;
  config.subgroup_size = device.subgroup_size;
  config.threads = std::max(config.threads, config.subgroup_size);
  config.shared_bytes = static_cast<std::int64_t>(device.max_shared_bytes);
  if (form.weights == nullptr) return config;
  const std::int64_t m = shape ? std::max<std::int64_t>(1, (*shape)[0]) : 1;
  const bool is_cpu = device.kind == DeviceKind::cpu;
  const std::int64_t max_rows = is_cpu ? kMaxRowsOnCpu : kMaxRowsOfA;
  const std::int64_t times = (m + max_rows - 1) / max_rows;
  config.rows = (m + times - 1) / times;
  // As many elements of k as 2 blocks of 32 have, in whole words: the fastest of a sweep at N = K = 8192 on an H200.
  config.blocks = blocks_at_once(*form.weights, 64);
  if (config.rows == 1 && !is_cpu) config.threads = std::max<std::int64_t>(config.threads, 256);
  config.along_k = config.rows == 1 ? 16 : 8;
  // Two rows of weights share what is read of many rows of A.
  config.weights = config.rows > 4 && form.weights->code.bits() < 8 && !is_cpu ? 2 : 1;
  const std::int64_t unit = config.blocks * form.weights->elements;
  if (shape) {  // no more threads along k than have elements
    const auto units = static_cast<std::uint64_t>(((*shape)[2] + unit - 1) / unit);
    config.along_k = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::bit_ceil(units)), 2,
                                              config.along_k);
  }
  const auto shrink = [&](std::int64_t& value, std::int64_t min) {
    while (value > min && all_shared(config, form) > config.shared_bytes) value /= 2;
  };
  shrink(config.along_k, 8);  // A first: with fewer threads along k there are more rows of weights
  shrink(config.weights, 1);
  shrink(config.threads, config.subgroup_size);
  shrink(config.along_k, 1);
  const std::int64_t min_along_k = config.threads * 4 / unit;
  config.along_k = std::max(config.along_k, min_along_k);
  return config;
}

std::vector<std::string> reasons_against(const GemmQuantisedConfig& config, const GemmForm& form) {
  std::vector<std::string> reasons = reasons_against_form(form, {.weights = true});
  if (form.weights == nullptr) {
    reasons.push_back(
        fmt::format("B of {}: the kernel multiplies by weights in blocks, such as {}*q4_0,f32",
                    to_string(form.b_type), to_string(form.a_type)));
  }
  require_within("rows", config.rows, kMaxRowsOfA, reasons);
  require_power_of_two("threads", config.threads, 1024, reasons);
  require_power_of_two("threads along k", config.along_k, 1024, reasons);
  require_power_of_two("blocks", config.blocks, 16, reasons);
  require_power_of_two("rows of weights of a thread", config.weights, 8, reasons);
  require_power_of_two("subgroup-size", config.subgroup_size, 128, reasons);
  if (!reasons.empty()) return reasons;
  if (config.along_k > config.threads) {
    reasons.push_back(
        fmt::format("{} threads along k, but a workgroup has {}", config.along_k, config.threads));
    return reasons;
  }
  require_subgroups(config.subgroup_size, config.threads, reasons);
  require(config.blocks == 1 || config.blocks % blocks_of_pair(*form.weights) == 0,
          fmt::format("{} blocks of {} are not whole words of 4 bytes", config.blocks,
                      form.weights->name),
          reasons);
  require_divides("threads, with 4 elements of A each,", 4 * config.threads, "the k of a tile",
                  depth(config, form), reasons);
  const std::int64_t bytes = all_shared(config, form);
  require(bytes <= config.shared_bytes,
          fmt::format("{} bytes of shared memory, more than {}", bytes, config.shared_bytes),
          reasons);
  return reasons;
}

}  // namespace vkmoye::gen
