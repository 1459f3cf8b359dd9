// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/gen/dsl/fragment_lanes.hpp"
#include "vkmoye/gen/kernels/attention/coopmat.hpp"
#include "vkmoye/gen/kernels/attention/parts/staged_tile.hpp"
#include "vkmoye/gen/kernels/matrix_units/fragment_layout.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/layout/search.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

using AttentionConfig = AttentionCoopmatConfig;

std::int64_t bytes_of_tiles(const AttentionConfig& config, const AttentionForm& form,
                            ScalarType type) {
  const auto bytes = [&](std::int64_t width, std::int64_t count) {
    return cosize(padded_tile(config, type, width, count)) * bytes_of(type);
  };
  const std::int64_t tiles = bytes(width_in_matrices(config, form.width), config.keys) +
                             bytes(width_in_matrices(config, form.value_width), config.keys) +
                             bytes_of_tables(form.key_format, form.value_format);
  return tiles + (config.in_registers() ? 0 : bytes(config.keys, config.tile_rows()));
}

std::vector<std::string> reasons_against_staging(const AttentionConfig& config,
                                                 const AttentionForm& form, ScalarType type) {
  std::vector<std::string> reasons;
  const auto require_staging = [&](const char* of, std::int64_t row, const StoredRows& rows) {
    const std::int64_t width = width_in_matrices(config, row);
    const auto staging = StagedTile::staging(rows, type, width, config.keys, config.threads());
    require(staging.has_value(),
            fmt::format("staging: {} threads do not divide {} rows of {} of {} elements evenly",
                        config.threads(), config.keys, of, width),
            reasons);
  };
  require_staging("k", form.width, rows_of_keys(type, form));
  require_staging("v", form.value_width, rows_of_values(type, form));
  return reasons;
}

// A lane of a GPU has no more.
constexpr std::int64_t kMaxRegisters = 256;

// Registers of a lane for matrices that live through the loop over tiles, q and sums, if no element has copies.
std::int64_t lasting_registers(const AttentionConfig& config, const AttentionForm& form,
                               ScalarType type) {
  return config.rows *
         (width_in_matrices(config, form.width) * bytes_of(type) +
          width_in_matrices(config, form.value_width) * bytes_of(ScalarType::f32)) /
         bytes_of(ScalarType::f32) / config.subgroup_size;
}

// The same for those that live through a part of it: scores, and the next tiles of k and v.
std::int64_t passing_registers(const AttentionConfig& config, const AttentionForm& form,
                               ScalarType type) {
  const auto staged = [&](const StoredRows& rows, std::int64_t width) {
    return config.keys * row_elements(rows.format, width) * bytes_of(rows.type) /
           bytes_of(ScalarType::f32) / config.threads();
  };
  const std::int64_t scores = config.rows * config.keys / config.subgroup_size,
                     next = staged(rows_of_keys(type, form), form.width) +
                            staged(rows_of_values(type, form), form.value_width);
  return config.prefetch ? scores + next : std::max(scores, next);
}

}  // namespace

const std::vector<ConfigField<AttentionConfig>>& attention_coopmat_fields() {
  using Config = AttentionConfig;
  static const auto fields = with_atom_fields<Config>({
      numbers_field<Config>("rows", "rows of q of a subgroup", {&Config::rows}),
      numbers_field<Config>("keys", "rows of a tile of k and v", {&Config::keys}),
      numbers_field<Config>("subgroups", "subgroups of a workgroup", {&Config::subgroups}),
      numbers_field<Config>("shared-bytes", "maximum number of bytes of shared memory",
                            {&Config::shared_bytes}),
      choice_field<Config, bool>("prefetch",
                                 "yes: the next tile is read into registers while this one is used",
                                 {"no", "yes"}, &Config::prefetch),
      choice_field<Config, bool>(
          "scores-ahead",
          "yes: scores of the next tile are multiplied before the softmax of this one",
          {"no", "yes"}, &Config::scores_ahead),
      choice_field<Config, bool>("unroll", "yes: the compiler may unroll the loop over tiles",
                                 {"no", "yes"}, &Config::unroll),
      order_field("order-c",
                  "(row, column) of a matrix of scores -> lane * elements of a lane + number",
                  &Config::order_c),
      order_field("order-a", "order-c of an operand, a matrix of probabilities", &Config::order_a),
  });
  return fields;
}

std::string why_text(const AttentionConfig& config) {
  return fmt::format(
      "scores stay in registers{}{}{}",
      config.in_registers() ? "" : ", probabilities go through shared memory",
      config.scores_ahead ? "; those of the next tile come before the softmax of this one" : "",
      config.prefetch ? "; the next tiles of k and v are fetched meanwhile" : "");
}

std::vector<ProbedMatrix> probes(const AttentionConfig& config, ScalarType type) {
  using Use = ir::MatrixType::Use;
  const auto of = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const std::uint32_t m = of(config.atom_m), n = of(config.atom_n),
                      lanes = of(config.subgroup_size);
  return {{ScalarType::f32, {Use::accumulator, m, n}, lanes}, {type, {Use::a, m, n}, lanes}};
}

Layout padded_tile(const AttentionConfig& config, ScalarType type, std::int64_t width,
                   std::int64_t count) {
  const std::int64_t vector = widest_access(type);
  const auto staging = row_staging(width, count, config.threads(), vector);
  std::vector<TileAccess> accesses;
  // Rows of a matrix, in vectors; lanes have one of each row first.
  const std::int64_t rows = std::min(config.atom_m, count);
  accesses.push_back({make_layout({rows, config.atom_m / vector > 0 ? config.atom_m / vector : 1},
                                  {width, vector}),
                      vector});
  if (staging && staging->vector == vector) {
    const std::int64_t threads_per_row = std::min(config.threads(), width / vector);
    accesses.push_back(
        {make_layout({threads_per_row, std::min(count, config.threads() / threads_per_row)},
                     {vector, width}),
         vector});
  }
  const StorageSearch found =
      cheapest_padding(make_layout({width, count}), accesses, bytes_of(type));
  return make_layout({width, count}, {std::int64_t{1}, width + found.padding});
}

AttentionConfig attention_coopmat_config(const AttentionForm& form, ScalarType type,
                                         const DeviceCaps& device, const Options& options) {
  throw_if_any("attention/coopmat", reasons_against(form));
  AttentionConfig config;
  static_cast<MatrixAtom&>(config) = matrix_atom(type, ScalarType::f32, device);
  read_matrices(attention_coopmat_fields(), options, {"atom", "subgroup-size"}, config);
  config.shared_bytes = shared_bytes_of(device);
  const auto matrices = probes(config, type);
  config.order_c = fragment_layout(device, matrices[0]);
  config.order_a = fragment_layout(device, matrices[1]);
  // Two rows of matrices where there are registers for them: q, scores and sums are 16 + 32 + 32 registers for each 16
  // rows at a width of 64. Operands in an order of their own may need more: on RDNA3, lanes hold copies.
  const bool is_narrow = form.width <= 64 && form.value_width <= 64;
  const bool has_registers = is_narrow && config.subgroup_size >= 32 && config.in_registers();
  config.rows = config.atom_m * (has_registers ? 2 : 1);
  // Few lanes mean a CPU, whose compiler takes seconds for more matrices.
  if (config.subgroup_size < 32) {
    config.subgroups = 2;
    config.keys = config.rows;
  }
  while (config.keys > config.rows && config.keys > config.atom_n &&
         bytes_of_tiles(config, form, type) > config.shared_bytes) {
    config.keys /= 2;
  }
  while (config.subgroups > 1 && config.tile_rows() > config.keys &&
         !reasons_against_staging(config, form, type).empty()) {
    config.subgroups /= 2;
  }
  config.prefetch = lasting_registers(config, form, type) + passing_registers(config, form, type) <=
                    kMaxRegisters;
  return config;
}

std::vector<std::string> reasons_against(const AttentionConfig& config, const AttentionForm& form,
                                         ScalarType type) {
  std::vector<std::string> reasons = reasons_against(form);
  // Matrices of bf16 are written as f16, and so are those arrays: see spirv/bfloat16.hpp.
  const bool has_f16 = key_type(type, form) == ScalarType::f16 ||
                       value_type(type, form) == ScalarType::f16 || form.mask == ScalarType::f16;
  require(type != ScalarType::bf16 || !has_f16,
          "matrices of bf16 and arrays of f16 cannot be in one shader", reasons);
  require_atom(config, 64, reasons);
  require_power_of_two("rows", config.rows, 256, reasons);
  require_power_of_two("keys", config.keys, 256, reasons);
  require_power_of_two("subgroups", config.subgroups, 32, reasons);
  if (!reasons.empty()) return reasons;
  require_threads(config.threads(), reasons);
  require(config.atom_m == config.atom_n && config.atom_n == config.atom_k,
          fmt::format("matrices {}x{}x{}: they must be square, because a result becomes an operand",
                      config.atom_m, config.atom_n, config.atom_k),
          reasons);
  require_divides("atom", config.atom_m, config.rows, reasons);
  require_divides("rows", config.rows, "keys", config.keys, reasons);
  require_divides("keys", config.keys, "rows of the workgroup", config.tile_rows(), reasons);
  require_even_distribution(config, reasons);
  if (!reasons.empty()) return reasons;
  add_all(reasons, reasons_against_staging(config, form, type));
  if (!reasons.empty()) return reasons;
  const std::int64_t bytes = bytes_of_tiles(config, form, type);
  require(bytes <= config.shared_bytes,
          fmt::format("{} bytes of shared memory are needed, but the limit is {}", bytes,
                      config.shared_bytes),
          reasons);
  return reasons;
}

std::vector<std::string> reasons_against_units(const AttentionConfig& config,
                                               const AttentionForm& form, ScalarType type,
                                               const DeviceCaps& device) {
  std::vector<std::string> reasons;
  const auto& shapes = device.matrix_shapes;
  require(std::any_of(shapes.begin(), shapes.end(),
                      [&](const MatrixShape& shape) {
                        return config.is(shape) && multiplies(shape, type, ScalarType::f32);
                      }),
          fmt::format("the device does not multiply matrices {}x{}x{} of {} in f32", config.atom_m,
                      config.atom_n, config.atom_k, to_string(type)),
          reasons);
  if (config.threads() > device.max_workgroup_invocations) {
    reasons.push_back(fmt::format("{} threads, but the device has workgroups of at most {}",
                                  config.threads(), device.max_workgroup_invocations));
  }
  const std::int64_t registers = lasting_registers(config, form, type);
  require(registers <= kMaxRegisters,
          fmt::format("q and sums take {} registers of each of {} lanes for {} rows {} and {} "
                      "wide, but at most {} are possible",
                      registers, config.subgroup_size, config.rows, form.width, form.value_width,
                      kMaxRegisters),
          reasons);
  const bool is_known =
      config.order_c.layout || find_order(device, probes(config, type).front()) != nullptr;
  if (is_known) add_all(reasons, reasons_against_orders(config));
  return reasons;
}

std::vector<std::string> reasons_against_orders(const AttentionConfig& config) {
  if (!config.order_c.layout) {
    return {fmt::format("{}; use --order-c to give one", config.order_c.reason)};
  }
  const Layout& order = *config.order_c.layout;
  const bool fits = order.rank() == 2 && size(order, 0) == config.atom_m &&
                    size(order, 1) == config.atom_n && is_compact(order);
  if (!fits) {
    return {fmt::format("scores: the order {} does not give each of {}x{} elements one place",
                        to_string(order), config.atom_m, config.atom_n)};
  }
  const LanesOrReason lanes =
      split_order(order, config.atom_m * config.atom_n / config.subgroup_size);
  return lanes.lanes ? std::vector<std::string>() : std::vector{"scores: " + lanes.reason};
}

}  // namespace vkmoye::gen
