// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/coopmat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "vkmoye/gen/kernels/products/configs/rules.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"
#include "vkmoye/gen/kernels/products/sums/accumulators.hpp"

namespace vkmoye::gen {
namespace {

std::array<GemmOperand, 2> operands(const GemmCoopmatConfig& config, const GemmForm& form) {
  return {operand_a(form, config.tile_m), operand_b(form, config.tile_n)};
}

// The bytes of the tiles of A and B, and of the table of a weight format, in shared memory.
std::int64_t operand_bytes(const GemmCoopmatConfig& config, const GemmForm& form) {
  std::int64_t bytes = form.weights == nullptr ? 0 : form.weights->table_bytes();
  for (const GemmOperand& x : operands(config, form)) {
    bytes += x.across(config.tile_k) *
             (x.along(config.tile_k) * bytes_of(multiplied_type(form)) + config.pad);
  }
  return bytes;
}

// The bytes of shared memory for the sums.
std::int64_t sum_bytes(const GemmCoopmatConfig& config, const GemmForm& form) {
  return shared_bytes(accumulator_shape(config, form), form.accumulator);
}

}  // namespace

std::int64_t stored_at_once(const GemmCoopmatConfig& config, const GemmForm& form,
                            const GemmOperand& x) {
  const std::int64_t rows = x.use == ir::MatrixType::Use::a ? config.atom_m : config.atom_n;
  return std::min(widest_access(multiplied_type(form)), x.k_contiguous ? config.atom_k : rows);
}

AccumulatorShape accumulator_shape(const GemmCoopmatConfig& config, const GemmForm& form) {
  AccumulatorShape shape{config, config.subgroup_rows(), config.subgroup_columns()};
  shape.direct = config.direct;
  shape.columns_at_once =
      columns_that_fit(shape, form.accumulator, config.shared_bytes - operand_bytes(config, form));
  return shape;
}

DecodingThreads decoding_threads(const GemmCoopmatConfig& config, const GemmForm& form) {
  const std::int64_t of_thread = config.blocks * form.weights->elements;
  const std::int64_t along = std::max<std::int64_t>(1, config.tile_k / of_thread);
  const std::int64_t across = std::max<std::int64_t>(1, config.threads() / along);
  return {along, across, std::max<std::int64_t>(1, config.tile_n / across)};
}

namespace {

constexpr std::int64_t kMaxWordsAtOnce = 48;  // of weights of a thread: they are held in registers

void require_decoding(const GemmCoopmatConfig& config, const GemmForm& form,
                      std::vector<std::string>& reasons) {
  const WeightFormat& format = *form.weights;
  require_power_of_two("blocks", config.blocks, 16, reasons);
  require_whole_words(config.blocks, format, reasons);
  require(stored_at_once(config, form, operand_b(form, config.tile_n)) == 8,
          fmt::format("atom k {}: weights are decoded 8 at a time", config.atom_k), reasons);
  require_divides("weights of a thread", config.blocks * format.elements, "tile k", config.tile_k,
                  reasons);
  if (!reasons.empty()) return;
  const DecodingThreads threads = decoding_threads(config, form);
  require(threads.along * threads.across == config.threads() &&
              threads.across * threads.rows == config.tile_n,
          fmt::format("decoding B: {} threads, {} side by side, do not divide {} rows",
                      config.threads(), threads.along, config.tile_n),
          reasons);
  const std::int64_t words = threads.rows * ((config.blocks * format.bytes + 2) / 4);
  require(words <= kMaxWordsAtOnce,
          fmt::format("a thread has {} words of weights, but its registers hold at most {}", words,
                      kMaxWordsAtOnce),
          reasons);
}

}  // namespace

Layout staging_threads(std::int64_t vectors, std::int64_t rows, std::int64_t stride) {
  constexpr std::int64_t kTogether = 8;  // 128 bytes: each of 32 banks once
  const std::int64_t together = std::max<std::int64_t>(1, kTogether / vectors);
  for (std::int64_t apart = 2; together > 1 && apart * together <= rows; apart *= 2) {
    const auto meet_no_bank_twice = [&](std::int64_t step) {
      std::set<std::int64_t> banks;
      for (std::int64_t row = 0; row < together; ++row) {
        for (std::int64_t v = 0; v < vectors; ++v) {
          banks.insert((row * step * stride + v) % kTogether);
        }
      }
      return banks.size() == static_cast<std::size_t>(kTogether);
    };
    if (meet_no_bank_twice(1)) break;
    if (!meet_no_bank_twice(apart)) continue;
    const IntTuple modes{apart, together, rows / (apart * together)};
    const IntTuple strides{vectors * together, vectors, vectors * together * apart};
    return make_layout({vectors, modes}, {1, strides});
  }
  return make_layout({vectors, rows});
}

const std::vector<ConfigField<GemmCoopmatConfig>>& gemm_coopmat_fields() {
  using Config = GemmCoopmatConfig;
  static const auto fields = with_atom_fields<Config>({
      numbers_field<Config>(
          "tile", "MxNxK: the tile of C of a workgroup, and the depth of the tiles of A and B",
          {&Config::tile_m, &Config::tile_n, &Config::tile_k}),
      subgroups_field<Config>("over the k of a tile"),
      numbers_field<Config>("pad", "bytes after each row of the shared tiles", {&Config::pad}),
      shared_bytes_field<Config>(),
      numbers_field<Config>("strip",
                            "tiles along M that workgroups cover before the next tile along N; 1: "
                            "along N first",
                            {&Config::strip}),
      choice_field<Config, bool>("unroll", "yes: the compiler may unroll the loop over k",
                                 {"no", "yes"}, &Config::unroll),
      choice_field<Config, bool>("direct",
                                 "yes: sums are stored to C without shared memory where possible",
                                 {"no", "yes"}, &Config::direct),
      numbers_field<Config>("blocks",
                            "blocks of weights that a thread decodes at once, if B is in blocks",
                            {&Config::blocks}),
  });
  return fields;
}

namespace {

// Few rows: 64x128 of C for 4 subgroups, each of which has 32x64, and 64 weights of a row for a thread, or a block if
// that has more; smaller tiles where these do not fit.
void fit_to_weights(GemmCoopmatConfig& config, const GemmForm& form) {
  config.blocks = blocks_at_once(*form.weights, 64);
  config.tile_k = config.blocks * form.weights->elements;
  config.subgroups_n = 2;
  config.tile_m = std::max<std::int64_t>(config.subgroups_m * config.atom_m, 64);
  config.tile_n = std::max(config.subgroups_n * config.atom_n, config.threads());
  if (config.subgroup_size < 32) config.tile_m = config.tile_n = 32;
  while (operand_bytes(config, form) + sum_bytes(config, form) > config.shared_bytes) {
    if (config.subgroups_m > 1) {
      config.subgroups_m = 1;
      config.tile_n = std::max(config.subgroups_n * config.atom_n, config.threads());
    } else if (config.tile_m > config.atom_m) {
      config.tile_m /= 2;
    } else {
      return;
    }
  }
}

}  // namespace

GemmCoopmatConfig gemm_coopmat_config(const GemmForm& form, const DeviceCaps& device) {
  GemmCoopmatConfig config;
  static_cast<MatrixAtom&>(config) = gemm_atom(form, device);
  // Rows of 64 bytes; of 128 for elements of 1 byte, so that there are four steps of k.
  config.tile_k = bytes_of(multiplied_type(form)) == 1 ? 128 : 32;
  // Few lanes mean a CPU, whose compiler takes seconds for each product of larger matrices.
  if (config.subgroup_size < 32) config.tile_m = config.tile_n = config.tile_k = 32;
  config.shared_bytes = static_cast<std::int64_t>(device.max_shared_bytes);
  const auto too_large = [&] {
    return operand_bytes(config, form) + sum_bytes(config, form) > config.shared_bytes;
  };
  // The fastest config of a sweep on an H200; each subgroup has 64x64 of C in both cases.
  if (config.subgroup_size >= 32) {
    const GemmCoopmatConfig narrow = config;
    config.tile_n = 256;
    config.subgroups_n = 4;
    config.tile_k = 64 / bytes_of(multiplied_type(form));
    if (too_large()) config = narrow;
  }
  // The last tile of an expert is half empty on average.
  constexpr std::int64_t kRowsOfExpert = 64;
  if (form.has_experts) config.tile_m = std::min(config.tile_m, kRowsOfExpert);
  if (form.weights != nullptr) {
    fit_to_weights(config, form);
    return config;
  }
  while (too_large() && config.tile_k > config.atom_k) config.tile_k /= 2;
  return config;
}

std::vector<std::string> reasons_against(const GemmCoopmatConfig& config, const GemmForm& form) {
  std::vector<std::string> reasons =
      reasons_against_matrices(form, {.weights = true, .experts = true}, config, 256);
  require_tile_of_expert(form, config.tile_m, reasons);
  require_within("tile m", config.tile_m, 1024, reasons);
  require_within("tile n", config.tile_n, 1024, reasons);
  require_power_of_two("tile k", config.tile_k, 1024, reasons);
  require_subgroup_counts(config, reasons);
  require_within("strip", config.strip, 65536, reasons);
  require(config.pad >= 0 && config.pad <= 1024 && config.pad % 16 == 0,
          fmt::format("pad {} is not a multiple of 16 bytes up to 1024", config.pad), reasons);
  if (!reasons.empty()) return reasons;

  const std::int64_t threads = config.threads();
  require_threads(threads, reasons);
  require_divides("subgroups m times atom m", config.subgroups_m * config.atom_m, config.tile_m,
                  reasons);
  require_divides("subgroups n times atom n", config.subgroups_n * config.atom_n, config.tile_n,
                  reasons);
  require_divides("subgroups k times atom k", config.subgroups_k * config.atom_k, config.tile_k,
                  reasons);
  require_even_distribution(config, reasons);
  if (form.weights != nullptr) require_decoding(config, form, reasons);
  for (const GemmOperand& x : operands(config, form)) {
    if (x.in_blocks) continue;
    const std::int64_t along = x.along(config.tile_k), across = x.across(config.tile_k);
    const std::int64_t at_once = stored_at_once(config, form, x);
    require_divides(fmt::format("staging {}: vectors of", x.title), at_once, along, reasons);
    if (along % at_once != 0) continue;
    const std::int64_t side_by_side = along / at_once, others = threads / side_by_side;
    require(others >= 1 && across % others == 0,
            fmt::format("staging {}: {} threads, {} side by side, do not divide {} rows", x.title,
                        threads, side_by_side, across),
            reasons);
  }
  if (!reasons.empty()) return reasons;

  for (std::string& reason : reasons_against(accumulator_shape(config, form), form.accumulator)) {
    reasons.push_back(std::move(reason));
  }
  const std::int64_t operands = operand_bytes(config, form), sums = sum_bytes(config, form);
  require(
      operands + sums <= config.shared_bytes,
      fmt::format("{} bytes of shared memory are needed, {} for the tiles of A and B and {} for "
                  "sums, but the limit is {}",
                  operands + sums, operands, sums, config.shared_bytes),
      reasons);
  return reasons;
}

}  // namespace vkmoye::gen
