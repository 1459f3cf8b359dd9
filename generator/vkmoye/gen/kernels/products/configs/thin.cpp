// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/thin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "vkmoye/gen/kernels/common/threads_config.hpp"
#include "vkmoye/gen/kernels/products/simt.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxRows = 16;
constexpr std::int64_t kMaxSums = 256;  // per thread: they are held in registers

std::int64_t power_below(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
}

ThinOperand operand(const GemmForm& form, bool is_a) {
  return is_a ? ThinOperand{true, form.a_type, form.a_k_contiguous}
              : ThinOperand{false, form.b_type, form.b_k_contiguous};
}

}  // namespace

const std::vector<ConfigField<GemmThinConfig>>& gemm_thin_fields() {
  using Config = GemmThinConfig;
  static const std::vector<ConfigField<Config>> fields = {
      choice_field<Config>("small", "which of m and n is small", {"m", "n"}, &Config::n_is_small),
      numbers_field<Config>("rows", "rows of the small operand at once: 1 to 16", {&Config::rows}),
      numbers_field<Config>("threads", "threads of a workgroup", {&Config::threads}),
      numbers_field<Config>("along-k", "threads that share a row of the large operand",
                            {&Config::along_k}),
      numbers_field<Config>(
          "reads",
          "KxR: accesses to the large operand that a thread has in flight, along k "
          "and across",
          {&Config::reads_k, &Config::reads_row}),
      numbers_field<Config>("vector", "bytes of such an access, at most 16",
                            {&Config::vector_bytes}),
      numbers_field<Config>("subgroup-size",
                            "lanes of a subgroup, which the device must support (default: its own)",
                            {&Config::subgroup_size}),
  };
  return fields;
}

GemmThinConfig gemm_thin_config(const GemmForm& form,
                                const std::optional<std::vector<std::int64_t>>& shape,
                                const DeviceCaps& device) {
  GemmThinConfig config;
  config.subgroup_size = device.subgroup_size;
  config.threads = std::max(config.threads, config.subgroup_size);
  config.rows = 1;
  if (shape) {
    config.n_is_small = (*shape)[1] < (*shape)[0];
    const std::int64_t rows = std::max<std::int64_t>(1, std::min((*shape)[0], (*shape)[1]));
    const std::int64_t max_rows = device.kind == DeviceKind::cpu ? kMaxRowsOnCpu : kMaxRows;
    const std::int64_t blocks = (rows + max_rows - 1) / max_rows;
    config.rows = (rows + blocks - 1) / blocks;
  }
  const ThinOperand large = operand(form, config.n_is_small);
  if (large.k_contiguous) {
    // With few rows, more reads in flight help; with many, reusing the elements of the small operand does.
    config.along_k = std::min(config.subgroup_size, config.threads);
    config.reads_k = config.rows <= 2 ? 4 : config.rows <= 8 ? 2 : 1;
    config.reads_row = config.rows <= 2 ? 2 : 4;
    return config;
  }
  // Lines of 64 bytes, so that there are enough workgroups, and no more sums than fit in registers.
  constexpr std::int64_t kMaxUsualSums = 64;
  const std::int64_t max_threads = threads_config(large.type, device).max_threads;
  config.threads = std::min<std::int64_t>(512, max_threads);
  config.along_k = config.threads / 4;
  config.reads_k = 8;
  const std::int64_t bytes = bytes_of(large.type);
  const std::int64_t usual = kMaxUsualSums / config.rows * bytes;
  config.vector_bytes = std::max(bytes, power_below(std::min(kWidestCopy, usual)));
  return config;
}

ThinTile thin_tile(const GemmThinConfig& config, const GemmForm& form) {
  ThinTile tile = {operand(form, config.n_is_small), operand(form, !config.n_is_small), 1, 1};
  ThinOperand &large = tile.large, &small = tile.small;
  const std::int64_t widest = widest_access(small.type);
  large.vector = config.vector_bytes / bytes_of(large.type);
  large.blocks = config.reads_row;
  small.blocks = config.rows;
  if (large.k_contiguous) {
    tile.block_k = large.vector;
    tile.k = tile.block_k * config.reads_k;
  } else {
    tile.block_k = small.k_contiguous ? std::min(config.reads_k, widest) : 1;
    tile.k = config.reads_k;
    large.block_rows = large.vector;
  }
  // The largest power of two that divides its rows.
  const std::int64_t dividing = config.rows & -config.rows;
  small.vector = std::min(small.k_contiguous ? tile.block_k : dividing, widest);
  return tile;
}

std::vector<std::string> reasons_against(const GemmThinConfig& config, const GemmForm& form) {
  std::vector<std::string> reasons = reasons_against_arithmetic(form);
  if (config.rows < 1 || config.rows > kMaxRows) {
    reasons.push_back(
        fmt::format("{} rows of the small operand: there must be 1 to {}", config.rows, kMaxRows));
  }
  require_power_of_two("threads", config.threads, 1024, reasons);
  require_power_of_two("threads along k", config.along_k, 1024, reasons);
  require_power_of_two("reads along k", config.reads_k, 64, reasons);
  require_power_of_two("reads across k", config.reads_row, 64, reasons);
  require_power_of_two("subgroup-size", config.subgroup_size, 128, reasons);
  require_access(operand(form, config.n_is_small).type, config.vector_bytes, reasons);
  if (!reasons.empty()) return reasons;
  if (config.along_k > config.threads) {
    reasons.push_back(
        fmt::format("{} threads along k, but a workgroup has {}", config.along_k, config.threads));
  }
  require_subgroups(config.subgroup_size, config.threads, reasons);
  const ThinTile tile = thin_tile(config, form);
  const auto limit = [&](const char* what, std::int64_t values) {
    if (values <= kMaxSums) return;
    reasons.push_back(fmt::format("a thread has {} {}, but its registers hold at most {}", values,
                                  what, kMaxSums));
  };
  limit("sums", tile.large.rows() * config.rows);
  limit("elements of the large operand", tile.large.rows() * tile.k);
  limit("elements of the small operand", config.rows * tile.k);
  return reasons;
}

}  // namespace vkmoye::gen
