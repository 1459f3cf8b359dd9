// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/threads_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/layout/checked.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

// The values that are set and out of range; a value of 0 is not set yet.
std::vector<std::string> reasons_against_choices(const ThreadsConfig& config) {
  std::vector<std::string> reasons;
  const auto require_power = [&](const char* what, std::int64_t value, std::int64_t max) {
    if (value != 0) require_power_of_two(what, value, max, reasons);
  };
  require_power("threads", config.threads, 1024);
  require_power("columns", config.columns, 1024);
  if (config.rounds < 0 || config.rounds > 16) {
    reasons.push_back(fmt::format("rounds {} is outside 0..16 (0: chosen)", config.rounds));
  }
  if (config.vector_bytes != 0) require_access(config.type, config.vector_bytes, reasons);
  require_power_of_two("subgroup-size", config.subgroup_size, 128, reasons);
  return reasons;
}

// The accesses that a thread makes to a row of less than a line. One access of each of 8 threads is the fewest lines at
// once, but most instructions, and threads without an element; on an H200, in us:
//
//   threads of a row               1     2     4     8
//   reduce/sum   f32  8388608x3    38.8  62.7  121
//   reduce/sum   f16  2000000x12   15.8  20.0  33.0
//   reduce/max   u8   513472x30    9.8   10.7  12.4  16.5    in accesses of 2 bytes
//   softmax/rows f32  4000000x3    38.3  44.1  75.7
//   norm/layer   f32  4000000x7    228   119   161   258
//   softmax/rows f16  2000000x20   97.3  65.6  76.7  108     in accesses of 8 bytes
//   norm/rms     bf16 1670601x15   223   123   68.7  84.2
//   softmax/rows f32  2000000x16   99.2  65.1  65.4          in accesses of 16 bytes
//   softmax/rows f32  1000000x32         77.4  65.1  65.9    the same
//   reduce/sum   f32  2000000x32   79.5  74.9        71.5    the same
std::int64_t accesses_of_short_rows(RowUse use, std::int64_t vector_bytes) {
  const bool is_widest = vector_bytes == kWidestCopy;
  switch (use) {
    case RowUse::read: return is_widest ? 1 : 8;
    case RowUse::written:
    case RowUse::weighted: return is_widest ? 2 : 4;
    case RowUse::searched: break;
  }
  return 1;
}

// Long rows of 8 and 16 bits, which more threads than usual would hold with 32 values each, are read twice, in blocks
// of 16 values for each thread. With weights, or codes of 8 bits, the usual number of threads is the fastest; else half
// as many, if that is 512, or a row is longer than a block, or fills at most three quarters of it. Rows that are
// searched are read more often, so they are cut in the last case alone. On an H200, in us:
//
//   threads and values             all, 32    half, 16    256, 16
//   norm/rms     bf16 2048x14336   71.4                   47.8
//   norm/layer   bf16 2048x14336   113                    72.4
//   norm/rms     bf16 270x38720    31.0       23.2        24.0
//   softmax/rows bf16 640x51776    79.0       64.5        64.0
//   softmax/rows e5m2 2098x19008   100                    53.9
//   softmax/rows f16  2048x16384   43.2                   52.2      all busy
//   softmax/rows f32  1000x30000   79.9                   101
void cut_long_rows(ThreadsConfig& config, std::int64_t cols, std::int64_t usual, RowUse use) {
  const std::size_t bytes = size_of(config.type);
  const std::int64_t block = config.columns * next_power_of_two(config.rounds) * config.width();
  const bool is_searched = use == RowUse::searched, leaves_quarter = 4 * cols <= 3 * block;
  const bool is_longest = config.columns == 1024 || cols > block;
  if (!is_searched && (bytes == 1 || (bytes == 2 && use == RowUse::weighted))) {
    config.columns = usual;
  } else if (bytes == 2 && (leaves_quarter || (is_longest && !is_searched))) {
    config.columns /= 2;
  } else {
    return;
  }
  config.rounds = std::max<std::int64_t>(1, kMaxValues / 2 / config.width());
}

}  // namespace

void fit_vector(ThreadsConfig& config, std::optional<std::int64_t> cols) {
  if (config.vector_bytes != 0) return;
  config.vector_bytes = kWidestCopy;
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  while (cols && config.vector_bytes > bytes && *cols * bytes % config.vector_bytes != 0)
    config.vector_bytes /= 2;
}

void fit_columns(ThreadsConfig& config, std::optional<std::int64_t> cols, RowUse use) {
  if (!reasons_against_choices(config).empty()) return;
  constexpr std::int64_t kLine = 8;  // threads whose accesses of 16 bytes are a line of 128
  const auto at_least_1 = [](std::int64_t value) { return std::max<std::int64_t>(1, value); };
  const std::int64_t width = at_least_1(config.width());
  const std::int64_t max_accesses = width == 1 ? 16 : 8;
  const std::int64_t max_rounds = std::clamp<std::int64_t>(kMaxValues / width, 1, max_accesses);
  const std::int64_t accesses = ceil_div(at_least_1(cols.value_or(1)), width);
  if (config.columns == 0) {
    const std::int64_t rounds = at_least_1(config.rounds != 0 ? config.rounds : max_rounds);
    const std::int64_t sharing =
        next_power_of_two(ceil_div(accesses, accesses_of_short_rows(use, config.vector_bytes)));
    const std::int64_t fitting =
        std::max(next_power_of_two(ceil_div(accesses, rounds)), std::min(kLine, sharing));
    config.columns = cols ? std::min(fitting, config.threads) : config.threads;
  }
  if (config.rounds == 0) {
    // As few as fill the blocks that the row takes: of 711 columns, 64 threads have 12 rounds each, not 16.
    const std::int64_t of_thread = ceil_div(accesses, at_least_1(config.columns));
    config.rounds = cols ? ceil_div(of_thread, ceil_div(of_thread, max_rounds)) : max_rounds;
  }
}

void fit_to_rows(ThreadsConfig& config, std::optional<std::int64_t> cols, RowUse use) {
  fit_vector(config, cols);
  const std::int64_t usual = std::min<std::int64_t>(256, config.max_threads);
  // Reading long rows of single elements twice is faster than using more threads than usual.
  const std::int64_t max_threads = config.width() == 1 ? usual : config.max_threads;
  const bool chooses_threads = config.threads == 0;
  const bool chooses_all = chooses_threads && config.columns == 0 && config.rounds == 0;
  if (chooses_threads) config.threads = cols ? max_threads : usual;
  fit_columns(config, cols, use);
  if (cols && chooses_all && config.columns > usual) cut_long_rows(config, *cols, usual, use);
  if (chooses_threads) config.threads = std::max(usual, config.columns);
}

ThreadsConfig threads_config(ScalarType type, const DeviceCaps& device) {
  ThreadsConfig config;
  config.type = type;
  config.subgroup_size = device.subgroup_size;
  std::uint32_t max_threads = device.max_workgroup_invocations;
  if (device.max_workgroup_subgroups != 0) {
    max_threads = std::min(max_threads, device.max_workgroup_subgroups * device.subgroup_size);
  }
  config.max_threads = std::min<std::int64_t>(config.max_threads, std::bit_floor(max_threads));
  return config;
}

std::vector<std::string> reasons_against(const ThreadsConfig& config) {
  std::vector<std::string> reasons = reasons_against_choices(config);
  if (!reasons.empty()) return reasons;
  if (config.columns > config.threads) {
    reasons.push_back(fmt::format("{} threads side by side, but a workgroup has {}", config.columns,
                                  config.threads));
  }
  require_subgroups(config.subgroup_size, config.threads, reasons);
  return reasons;
}

ScalarType computing_type(ScalarType type) {
  return type == ScalarType::f16 ? ScalarType::f32 : ir::arithmetic_type(type);
}

std::vector<std::string> reasons_against_rows(const ThreadsConfig& config) {
  auto reasons = reasons_against(config);
  if (computing_type(config.type) != ScalarType::f32) {
    reasons.push_back(
        fmt::format("type {}: the kernel computes rows in f32, and converts f16, bf16, "
                    "e4m3 and e5m2 alone",
                    to_string(config.type)));
  }
  return reasons;
}

}  // namespace vkmoye::gen
