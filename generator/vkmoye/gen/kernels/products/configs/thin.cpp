// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/thin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "vkmoye/gen/kernels/common/threads_config.hpp"
#include "vkmoye/gen/kernels/products/configs/rules.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxRows = 16, kMaxRowsOfA = 8;  // of A: for weights in blocks
constexpr std::int64_t kMaxSums = 256;                  // per thread: they are held in registers

std::int64_t power_below(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
}

ThinOperand operand(const GemmForm& form, bool is_a) {
  return is_a ? ThinOperand{true, form.a_type, form.a_k_contiguous}
              : ThinOperand{false, form.b_type, form.b_k_contiguous};
}

// Bytes of shared memory: the rows of A, at most those of reduce_across, and the table of the format.
std::int64_t shared_bytes(const GemmThinConfig& config, const GemmForm& form) {
  const std::int64_t of_thread = config.reads_k * form.weights->elements + config.pad_of_thread;
  const std::int64_t sums = config.along_k > config.subgroup_size
                                ? 4 * config.threads * config.rows * config.reads_row
                                : 0;
  return config.rows * config.along_k * of_thread * bytes_of(shared_type_of_a(config, form)) +
         sums + form.weights->table_bytes();
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
      subgroup_size_field<Config>(),
  };
  return fields;
}

const std::vector<ConfigField<GemmThinConfig>>& gemm_quantised_fields() {
  using Config = GemmThinConfig;
  static const std::vector<ConfigField<Config>> fields = {
      numbers_field<Config>("rows", "rows of A at once: 1 to 8", {&Config::rows}),
      numbers_field<Config>("threads", "threads of a workgroup", {&Config::threads}),
      numbers_field<Config>("along-k", "threads that share a row of weights", {&Config::along_k}),
      numbers_field<Config>("blocks", "blocks of a row of weights that a thread reads at once",
                            {&Config::reads_k}),
      numbers_field<Config>("weights", "rows of weights of a thread", {&Config::reads_row}),
      subgroup_size_field<Config>(),
      shared_bytes_field<Config>(),
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

GemmThinConfig gemm_quantised_config(const GemmForm& form,
                                     const std::optional<std::vector<std::int64_t>>& shape,
                                     const DeviceCaps& device) {
  GemmThinConfig config;
  config.in_blocks = true;
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
  config.reads_k = blocks_at_once(*form.weights, 64);
  // For long blocks, 8 threads along k are faster: an H200, 128 threads, 1x8192x8192 by q4_K 25.2 us, with 16 29.1;
  // 1x16384x4096 by q6_K 69.4 and 77.2.
  config.along_k = config.rows == 1 && form.weights->elements <= 64 ? 16 : 8;
  // Two rows of weights share what is read of many rows of A.
  config.reads_row = config.rows > 4 && form.weights->code.bits() < 8 && !is_cpu ? 2 : 1;
  const std::int64_t of_thread = config.reads_k * form.weights->elements;
  if (shape) {  // no more threads along k than have elements
    const auto parts = static_cast<std::uint64_t>(ceil_div((*shape)[2], of_thread));
    config.along_k = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::bit_ceil(parts)), 2,
                                              config.along_k);
  }
  const auto shrink = [&](std::int64_t& value, std::int64_t min) {
    while (value > min && shared_bytes(config, form) > config.shared_bytes) value /= 2;
  };
  shrink(config.along_k, 8);  // A first: with fewer threads along k there are more rows of weights
  shrink(config.reads_row, 1);
  shrink(config.threads, config.subgroup_size);
  shrink(config.along_k, 1);
  const std::int64_t min_along_k = config.threads * 4 / of_thread;
  config.along_k = std::max(config.along_k, min_along_k);
  return config;
}

ThinTile thin_tile(const GemmThinConfig& config, const GemmForm& form) {
  ThinTile tile = {operand(form, config.n_is_small), operand(form, !config.n_is_small), 1, 1};
  ThinOperand &large = tile.large, &small = tile.small;
  const std::int64_t widest = widest_access(small.type);
  large.vector = config.vector_bytes / bytes_of(large.type);
  large.blocks = config.reads_row;
  small.blocks = config.rows;
  if (config.in_blocks) {
    large.vector = access_words(*form.weights, config.reads_k);
    tile.block_k = form.weights->elements;
    tile.k = tile.block_k * config.reads_k;
    return tile;
  }
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

namespace {

void require_decoding(const GemmThinConfig& config, const GemmForm& form,
                      std::vector<std::string>& reasons) {
  require_whole_words(config.reads_k, *form.weights, reasons);
  require_divides("threads, with 4 elements of A each,", 4 * config.threads, "k of a tile",
                  config.along_k * config.reads_k * form.weights->elements, reasons);
  const std::int64_t bytes = shared_bytes(config, form);
  require(bytes <= config.shared_bytes,
          fmt::format("{} bytes of shared memory, more than {}", bytes, config.shared_bytes),
          reasons);
}

}  // namespace

std::vector<std::string> reasons_against(const GemmThinConfig& config, const GemmForm& form) {
  const bool in_blocks = config.in_blocks;
  std::vector<std::string> reasons =
      in_blocks ? reasons_against_form(form, {.weights = true}) : reasons_against_arithmetic(form);
  if (in_blocks) {
    require_weights(form, "weights in blocks", reasons);
    require_within("rows", config.rows, kMaxRowsOfA, reasons);
  } else {
    require(
        config.rows >= 1 && config.rows <= kMaxRows,
        fmt::format("{} rows of the small operand: there must be 1 to {}", config.rows, kMaxRows),
        reasons);
    require_access(operand(form, config.n_is_small).type, config.vector_bytes, reasons);
  }
  require_power_of_two("threads", config.threads, 1024, reasons);
  require_power_of_two("threads along k", config.along_k, 1024, reasons);
  require_power_of_two(in_blocks ? "blocks" : "reads along k", config.reads_k, in_blocks ? 16 : 64,
                       reasons);
  require_power_of_two(in_blocks ? "rows of weights of a thread" : "reads across k",
                       config.reads_row, in_blocks ? 8 : 64, reasons);
  require_power_of_two("subgroup-size", config.subgroup_size, 128, reasons);
  if (!reasons.empty()) return reasons;

  require(config.along_k <= config.threads,
          fmt::format("{} threads along k, but a workgroup has {}", config.along_k, config.threads),
          reasons);
  require_subgroups(config.subgroup_size, config.threads, reasons);
  if (in_blocks) {
    require_decoding(config, form, reasons);
    return reasons;
  }
  const ThinTile tile = thin_tile(config, form);
  const auto limit = [&](const char* what, std::int64_t values) {
    require(values <= kMaxSums,
            fmt::format("a thread has {} {}, but its registers hold at most {}", values, what,
                        kMaxSums),
            reasons);
  };
  limit("sums", tile.large.rows() * config.rows);
  limit("elements of the large operand", tile.large.rows() * tile.k);
  limit("elements of the small operand", config.rows * tile.k);
  return reasons;
}

}  // namespace vkmoye::gen
