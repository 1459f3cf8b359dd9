// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/simt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/gen/kernels/products/arrays/buffers.hpp"
#include "vkmoye/gen/kernels/products/configs/rules.hpp"
#include "vkmoye/layout/injective.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {

OperandStaging operand_staging(const GemmSimtConfig& config, const GemmOperand& x, Moved moved) {
  const std::int64_t contiguous = x.along(config.tile_k);
  std::int64_t vector =
      std::min<std::int64_t>({4, contiguous, config.vector_bytes / bytes_of(x.type)});
  vector = moved == Moved::one_by_one ? 1 : vector >= 4 ? 4 : std::max<std::int64_t>(1, vector);
  const std::int64_t lanes = std::min<std::int64_t>(32, contiguous / vector);
  return {lanes, size(config.threads) / lanes, vector};
}

// The fastest config of a sweep on an H200. f32: 8 x 16 sums in each of 128 threads read 6 vectors of
// shared memory for 128 multiply-adds. f64: 8 x 8, for which there are enough registers. i32 also
// takes 8 x 8 if subgroups may have 64 lanes: compilers for such GPUs accumulate integer products in
// pairs of registers, and 128 pairs do not fit.
GemmSimtConfig gemm_simt_config(const GemmForm& form, const DeviceCaps& device) {
  GemmSimtConfig config;
  config.threads = make_layout({{8, 2}, {4, 2}}, {{1, 32}, {8, 64}});  // a subgroup of 32: 8 x 4
  config.values_m = config.values_n = 4;
  config.pad_a = config.pad_b = 4;
  config.stages = config.fragments = 2;
  config.prefetch = true;
  config.vector_bytes = 16;
  const bool f64 = form.a_type == ScalarType::f64 || form.b_type == ScalarType::f64;
  const bool pairs = form.accumulator == ScalarType::i32 && device.max_subgroup_size > 32;
  if (f64 || pairs) config.threads = make_layout({{8, 2}, {4, 4}}, {{1, 32}, {8, 64}});
  if (!f64) return config;
  config.values_m = config.values_n = 2;
  config.pad_a = config.pad_b = 2;
  constexpr std::uint64_t kOfLargeTile = 2 * (130 + 130) * 8 * sizeof(double);
  if (device.max_shared_bytes < kOfLargeTile) config.tile_n = 64;
  return config;
}

const std::vector<ConfigField<GemmSimtConfig>>& gemm_simt_fields() {
  using Config = GemmSimtConfig;
  static const std::vector<ConfigField<Config>> fields = {
      numbers_field<Config>(
          "tile", "MxNxK: the tile of C of a workgroup, and the depth of the tiles of A and B",
          {&Config::tile_m, &Config::tile_n, &Config::tile_k}),
      layout_field<Config>("threads", "layout of a workgroup's threads over (m, n)",
                           &Config::threads),
      numbers_field<Config>("values", "MxN: contiguous elements of C of a thread",
                            {&Config::values_m, &Config::values_n}),
      numbers_field<Config>("pad", "A,B: padding elements after each column of the shared tiles",
                            {&Config::pad_a, &Config::pad_b}, ','),
      numbers_field<Config>("stages", "shared tiles of A and of B: 1, or 2 that alternate",
                            {&Config::stages}),
      choice_field<Config>("prefetch",
                           "yes: load the next tiles into registers while these are multiplied",
                           {"no", "yes"}, &Config::prefetch),
      numbers_field<Config>("fragments",
                            "fragments of A and of B in registers: 1, or 2 that alternate",
                            {&Config::fragments}),
      numbers_field<Config>("unroll", "steps of k that the compiler unrolls; 0: a whole tile",
                            {&Config::unroll}),
      numbers_field<Config>("vector", "maximum number of bytes of an access to memory",
                            {&Config::vector_bytes}),
  };
  return fields;
}

std::vector<std::pair<std::string, std::string>> GemmSimtConfig::items() const {
  GemmSimtConfig in_effect = *this;
  in_effect.prefetch = prefetch || stages == 2;
  if (unroll == 0) in_effect.unroll = tile_k;
  return gen::items(gemm_simt_fields(), in_effect);
}

std::int64_t fragment_vector(ScalarType type, std::int64_t values) {
  return std::min<std::int64_t>({4, values, widest_access(type)});
}

std::vector<std::string> reasons_against(const GemmSimtConfig& config, const GemmForm& form) {
  std::vector<std::string> reasons;
  require_power_of_two("tile m", config.tile_m, 1024, reasons);
  require_power_of_two("tile n", config.tile_n, 1024, reasons);
  require_power_of_two("tile k", config.tile_k, 1024, reasons);
  require_power_of_two("values m", config.values_m, 1024, reasons);
  require_power_of_two("values n", config.values_n, 1024, reasons);
  const auto require = [&](bool holds, std::string reason) {
    gen::require(holds, std::move(reason), reasons);
  };
  require(config.pad_a >= 0 && config.pad_a <= 1024 && config.pad_b >= 0 && config.pad_b <= 1024,
          fmt::format("pads {} and {} are not both within 0..1024", config.pad_a, config.pad_b));
  require(config.stages == 1 || config.stages == 2,
          fmt::format("{} stages: there must be 1 or 2", config.stages));
  require(config.fragments == 1 || (config.fragments == 2 && config.stages == 2),
          fmt::format("{} fragments with {} stages: there must be 1, or 2 with 2 stages",
                      config.fragments, config.stages));
  require(config.fragments == 1 || (config.tile_k % 2 == 0 && config.unroll == 0),
          "2 fragments need an even tile k, fully unrolled");
  require(config.unroll >= 0 && config.unroll <= 1024 &&
              (config.unroll == 0 || config.tile_k % config.unroll == 0),
          fmt::format("unroll {} does not divide tile k {}", config.unroll, config.tile_k));
  require(is_power_of_two(config.vector_bytes, 16),
          fmt::format("vectors of {} bytes: there must be 1, 2, 4, 8 or 16", config.vector_bytes));
  for (std::string& reason : reasons_against_arithmetic(form, {.experts = true})) {
    reasons.push_back(std::move(reason));
  }
  require_tile_of_expert(form, config.tile_m, reasons);
  const bool numbered = config.threads.rank() == 2 && size(config.threads) <= 1024 &&
                        cosize(config.threads) == size(config.threads) &&
                        is_injective(config.threads);
  require(numbered, fmt::format("{} does not number at most 1024 threads over (m, n)",
                                to_string(config.threads)));
  if (!reasons.empty()) return reasons;

  require_divides("the threads' rows times values", size(config.threads, 0) * config.values_m,
                  config.tile_m, reasons);
  require_divides("the threads' columns times values", size(config.threads, 1) * config.values_n,
                  config.tile_n, reasons);
  for (const auto& [x, values] : {std::pair{operand_a(form, config.tile_m), config.values_m},
                                  std::pair{operand_b(form, config.tile_n), config.values_n}}) {
    const OperandStaging s = operand_staging(config, x, Moved::in_vectors);
    const OperandStaging single = operand_staging(config, x, Moved::one_by_one);
    const std::int64_t along = x.along(config.tile_k), across = x.across(config.tile_k);
    const std::string staging = fmt::format("staging {}", x.title);
    require_divides(staging + ": vectors of", s.vector * s.lanes, along, reasons);
    // A tile that is contiguous along the same axis in both is stored to shared memory in vectors.
    const std::int64_t read = fragment_vector(x.type, values);
    require(
        x.k_contiguous || s.vector == 1 || read == 1 || s.vector == read,
        fmt::format("{}: the shared tile is written {} elements at once and read {}: besides 1, "
                    "only one width is possible",
                    x.title, s.vector, read));
    require_divides(staging + ": threads across", s.others, across, reasons);
    require_divides(staging + " one by one: threads", single.lanes, along, reasons);
    require_divides(staging + " one by one: threads across", single.others, across, reasons);
  }
  return reasons;
}

}  // namespace vkmoye::gen
