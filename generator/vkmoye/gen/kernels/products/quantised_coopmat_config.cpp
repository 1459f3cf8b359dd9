// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/kernels/products/parts/weight_units.hpp"
#include "vkmoye/gen/kernels/products/quantised_coopmat.hpp"

namespace vkmoye::gen {
namespace {

// The 32-bit registers for what a lane reads at once of A and B, at most: four times those of a GPU.
constexpr std::int64_t kMaxWordsOfLane = 1024;

// The fastest of sweeps by N = K = 8192 on an H100: elements of k that a lane reads at once of a row; up to 4 rows have
// small tiles, 22.7 us in q4_0, and 16 rows large ones with fewer subgroups, 27.4 us instead of 50.
constexpr std::int64_t kElementsOfLane = 64, kFewRows = 4, kSubgroups = 4, kFewSubgroups = 2;
// With fewer workgroups, tiles are smaller.
constexpr std::int64_t kWorkgroups = 128;

}  // namespace

GemmThinCoopmatConfig quantised_coopmat_config(
    const GemmForm& form, const std::optional<std::vector<std::int64_t>>& shape,
    const DeviceCaps& device) {
  GemmThinCoopmatConfig config = gemm_thin_coopmat_config(form, device);
  if (form.weights == nullptr) return config;
  config.reads = blocks_of_pair(*form.weights);
  config.tile_n = config.atom_n;
  const std::int64_t max_subgroups = config.subgroups;
  config.subgroups = std::min<std::int64_t>(kSubgroups, max_subgroups);
  if (device.kind == DeviceKind::cpu) return config;  // whose compilers take minutes for more
  config.reads = std::max<std::int64_t>(config.reads, kElementsOfLane / form.weights->elements);
  const std::int64_t m = shape ? (*shape)[0] : kFewRows + 1;
  if (m <= kFewRows) return config;
  // Each weight is for more rows of A, each element of A for more rows of weights, as far as there are registers.
  const bool has_long_blocks = form.weights->elements > kElementsOfLane;
  if (m > config.atom_m && !has_long_blocks) config.tile_m = 2 * config.atom_m;
  config.tile_n = (form.weights->bits == 4 ? 4 : 2) / (has_long_blocks ? 2 : 1) * config.atom_n;
  config.subgroups = std::min<std::int64_t>(kFewSubgroups, max_subgroups);
  const std::int64_t n = shape ? (*shape)[1] : 0;
  const auto workgroups = [&] {
    return (n + config.tile_n - 1) / config.tile_n * ((m + config.tile_m - 1) / config.tile_m);
  };
  while (n > 0 && workgroups() < kWorkgroups && config.tile_n > config.atom_n) config.tile_n /= 2;
  if (n > 0 && workgroups() < kWorkgroups) {
    config.subgroups = std::min(2 * kSubgroups, max_subgroups);
  }
  return config;
}

std::vector<std::string> reasons_against_quantised(const GemmThinCoopmatConfig& config,
                                                   const GemmForm& form) {
  std::vector<std::string> reasons = reasons_against(config, form);
  if (form.weights == nullptr) {
    reasons.push_back(
        fmt::format("B of {}: the kernel multiplies by weights in blocks, such as {}*q4_0,f32",
                    to_string(form.b_type), to_string(form.a_type)));
    return reasons;
  }
  require(!config.transposed, "gemm/quantised_coopmat cannot be transposed", reasons);
  require(config.reads % blocks_of_pair(*form.weights) == 0,
          fmt::format("{} blocks of {} are not whole words of 4 bytes", config.reads,
                      form.weights->name),
          reasons);
  const std::int64_t words = weight_groups(*form.weights, kGroupOfPairs).words;
  require(
      form.weights->codes_bytes() % (4 * words) == 0,
      fmt::format("the {} bytes of codes of a block of {} are not a multiple of the {} that have "
                  "{} consecutive weights",
                  form.weights->codes_bytes(), form.weights->name, 4 * words, kGroupOfPairs),
      reasons);
  return reasons;
}

std::vector<std::string> reasons_against_orders_of_quantised(const GemmThinCoopmatConfig& config,
                                                             const GemmForm& form) {
  std::int64_t words = 0;
  const auto check = [&](ir::MatrixType::Use use, const FragmentLanes& lanes,
                         const std::string& name, std::vector<std::string>& reasons) {
    const std::int64_t along_k = size(lanes.k_numbers);
    require(kGroupOfPairs % along_k == 0,
            fmt::format("{}: a lane holds {} elements along k, which must divide {}", name, along_k,
                        kGroupOfPairs),
            reasons);
    const bool is_a = use == ir::MatrixType::Use::a;
    const std::int64_t rows = (is_a ? config.tile_m : config.tile_n) / size(lanes.lanes.mode(1));
    const std::int64_t unit = is_a ? 2 * form.weights->elements : form.weights->bytes;
    words += rows * config.reads * unit / 4;
  };
  std::vector<std::string> reasons = reasons_against_lanes(config, form, check);
  require(words <= kMaxWordsOfLane,
          fmt::format("a lane has {} words of A and B at once, but at most {} are possible", words,
                      kMaxWordsOfLane),
          reasons);
  return reasons;
}

}  // namespace vkmoye::gen
