// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/packed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/kernels/products/configs/rules.hpp"
#include "vkmoye/gen/kernels/products/sums/accumulators.hpp"

namespace vkmoye::gen {
namespace {

// Few rows: B is read once, by subgroups that share k. The fastest of a sweep at N = K = 8192 on an H100; 192 and 256
// rows take 123 and 126 us with two along k, 177 and 179 with one. Blocks of B stay as they are for many rows.
void share_k_of_few_rows(std::int64_t m, GemmPackedConfig& config) {
  if (m > 4 * config.part_m) return;
  if (m > 2 * config.part_m) {
    config.subgroups_k = 2;
    return;
  }
  config.subgroups_m = m > config.part_m ? 2 : 1;
  config.subgroups_n = 1;
  while (config.part_m / 2 >= m && config.part_m > config.atom_m) config.part_m /= 2;
  config.subgroups_k = config.part_m == config.atom_m ? 16 : 8 / config.subgroups_m;
}

}  // namespace

AccumulatorShape accumulator_shape(const GemmPackedConfig& config, const GemmForm& form) {
  AccumulatorShape shape{config, config.part_m, config.part_n};
  shape.columns_at_once = columns_that_fit(shape, form.accumulator, config.shared_bytes);
  return shape;
}

const std::vector<ConfigField<GemmPackedConfig>>& gemm_packed_fields() {
  using Config = GemmPackedConfig;
  static const auto fields = with_atom_fields<Config>({
      numbers_field<Config>("part", "MxN: the part of C of a subgroup",
                            {&Config::part_m, &Config::part_n}),
      subgroups_field<Config>("that alternate between blocks of k"),
      shared_bytes_field<Config>(),
      choice_field<Config, PrefetchAs>("prefetch-as",
                                       "what holds the next step while it is prefetched",
                                       {"matrices", "words"}, &Config::prefetch_as),
      numbers_field<Config>("steps",
                            "steps of k in a block of a packed operand: a power of two from 2",
                            {&Config::steps}),
      numbers_field<Config>("strip",
                            "tiles along M that workgroups cover before the next tile along N",
                            {&Config::strip}),
  });
  return fields;
}

GemmPackedConfig gemm_packed_config(const GemmForm& form,
                                    const std::optional<std::vector<std::int64_t>>& shape,
                                    const DeviceCaps& device) {
  GemmPackedConfig config;
  static_cast<MatrixAtom&>(config) = gemm_atom(form, device);
  config.shared_bytes = static_cast<std::int64_t>(device.max_shared_bytes);
  const std::int64_t fragments = config.subgroup_size < 32 ? 2 : 4;  // see gemm_coopmat_config
  config.part_m = fragments * config.atom_m;
  // Sums of 16 bits leave registers for more of them if two share a register: not on GPUs of 64 lanes (AMD).
  const bool is_wide = config.subgroup_size == 32 && device.max_subgroup_size == 32 &&
                       form.accumulator == ScalarType::f16;
  config.part_n = (is_wide ? 6 : fragments) * config.atom_n;
  const bool is_measured = config.subgroup_size == 32 && device.max_subgroup_size == 32;
  if (shape && is_measured) share_k_of_few_rows((*shape)[0], config);
  return config;
}

PackedForm packed_form(const GemmPackedConfig& config, const GemmForm& form, char use) {
  const bool is_a = use == 'a';
  const std::int64_t rows = is_a ? config.atom_m : config.atom_n;
  return {use,         multiplied_type(form), to_index(config.subgroup_size),
          rows,        config.atom_k,         (is_a ? config.part_m : config.part_n) / rows,
          config.steps};
}

std::vector<std::string> reasons_against(const GemmPackedConfig& config, const GemmForm& form) {
  std::vector<std::string> reasons = reasons_against_matrices(form, {.weights = true}, config, 64,
                                                              {ScalarType::f16, ScalarType::bf16});
  require_subgroup_counts(config, reasons);
  require_within("part m", config.part_m, 1024, reasons);
  require_within("part n", config.part_n, 1024, reasons);
  require_power_of_two("steps", config.steps, 16, reasons);
  require_within("strip", config.strip, 65536, reasons);
  require(config.steps % 2 == 0, fmt::format("steps {} is not even", config.steps), reasons);
  if (!reasons.empty()) return reasons;

  require_threads(config.threads(), reasons);
  require_divides("atom m", config.atom_m, config.part_m, reasons);
  require_divides("atom n", config.atom_n, config.part_n, reasons);
  require_even_distribution(config, reasons);
  if (!reasons.empty()) return reasons;
  return reasons_against(accumulator_shape(config, form), form.accumulator, config.shared_bytes);
}

GemmPackedConfig gemm_packed_config_of(const KernelRequest& request) {
  return config_of<GemmPackedConfig>(
      "gemm/packed", request, gemm_packed_fields(), [](const TypedRequest<GemmProduct>& typed) {
        return gemm_packed_config(typed.form, typed.form.shape, typed.device);
      });
}

}  // namespace vkmoye::gen
