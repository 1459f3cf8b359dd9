// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/kernels/products/configs/rules.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

// The 32-bit registers for what a lane reads at once of A and of weights in blocks, at most: four times those of a GPU.
constexpr std::int64_t kMaxWordsOfLane = 1024;
constexpr std::int64_t kMaxWeightsOfBlock = 128;

void require_whole_blocks(const GemmThinCoopmatConfig& config, const GemmForm& form,
                          std::vector<std::string>& reasons) {
  const WeightFormat& format = *form.weights;
  require(!config.transposed, "products by weights in blocks cannot be transposed", reasons);
  require(
      format.elements <= kMaxWeightsOfBlock,
      fmt::format(
          "a lane reads whole blocks and as many elements of A: those of {}, of {} weights, are "
          "more than its registers hold",
          format.name, format.elements),
      reasons);
  require_whole_words(config.reads, format, reasons);
}

ProbedMatrix probe(const GemmThinCoopmatConfig& config, const GemmForm& form, Use use) {
  return {multiplied_type(form), matrix_type(config, use), to_index(config.subgroup_size)};
}

// The shared memory that is left beside the table of a weight format.
std::int64_t bytes_beside_table(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  return config.shared_bytes - (form.weights == nullptr ? 0 : form.weights->table_bytes());
}
// The same beside tiles of A as well, once their depth is known.
std::int64_t bytes_for_sums(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  const bool has_tiles = config.across > 0 && lanes_of(config, form, Use::b).lanes;
  return bytes_beside_table(config, form) - (has_tiles ? bytes_of_tiles(config, form) : 0);
}

void require_across(const GemmThinCoopmatConfig& config, const GemmForm& form,
                    std::vector<std::string>& reasons) {
  if (config.across == 0) return;
  require(config.source == SourceOfB::packed_weights && !config.transposed,
          "subgroups side by side are for packed weights that are not transposed", reasons);
  require(config.subgroups % config.across == 0,
          fmt::format("{} subgroups side by side do not divide {} subgroups", config.across,
                      config.subgroups),
          reasons);
  const bool has_table = form.weights != nullptr && form.weights->table_bytes() > 0;
  require(!has_table || config.tile_n >= config.columns(),
          fmt::format("weights with a table, side by side, need blocks of {} rows, not {}",
                      config.columns(), config.tile_n),
          reasons);
}

}  // namespace

std::int64_t elements_at_once(const GemmThinCoopmatConfig& config, const GemmForm& form,
                              const FragmentLanes& lanes, Use use) {
  return widest_access(multiplied_type(form)) * config.reads * config.tile_rows(use) /
         size(lanes.to_lane.mode(1));
}

const std::vector<ConfigField<GemmThinCoopmatConfig>>& gemm_thin_coopmat_fields() {
  using Config = GemmThinCoopmatConfig;
  static const auto fields = with_atom_fields<Config>({
      numbers_field<Config>(
          "tile", "MxN: the tile of C of a workgroup; N is also the rows of a packed block",
          {&Config::tile_m, &Config::tile_n}),
      numbers_field<Config>("subgroups", "subgroups of a workgroup: along k, but for --across",
                            {&Config::subgroups}),
      numbers_field<Config>("reads", "blocks of k that a lane reads at once", {&Config::reads}),
      numbers_field<Config>("across",
                            "for packed weights: subgroups side by side, each with at least four "
                            "matrices along n, which share tiles of A in shared memory; 0: all lie "
                            "along k",
                            {&Config::across}),
      shared_bytes_field<Config>(),
      choice_field<Config, bool>(
          "transposed", "yes: matrix units compute C^T = B A^T, so an atom of A may have 8 rows",
          {"no", "yes"}, &Config::transposed),
      order_field("order-a", "(row, k) of a matrix of A -> lane * elements of a lane + number",
                  &Config::order_a),
      order_field("order-b", "(row, k) of a matrix of B -> lane * elements of a lane + number",
                  &Config::order_b),
  });
  return fields;
}

AccumulatorShape accumulator_shape(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  AccumulatorShape shape;
  static_cast<MatrixAtom&>(shape) = config;
  shape.subgroups_m = 1;
  shape.subgroups_n = std::max<std::int64_t>(1, config.across);
  shape.subgroups_k = config.subgroups_k();
  shape.rows = config.tile_m;
  shape.columns = config.columns();
  shape.columns_at_once = columns_that_fit(shape, form.accumulator, bytes_for_sums(config, form));
  return shape;
}

std::int64_t depth_of_tile(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  return packed_weights(config, form).depth() * config.reads * config.subgroups_k();
}
std::int64_t bytes_of_tiles(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  return 2 * config.tile_m * depth_of_tile(config, form) * bytes_of(multiplied_type(form));
}

std::vector<ProbedMatrix> probes(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  return {probe(config, form, Use::a), probe(config, form, Use::b)};
}

PackedWeights packed_weights(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  return {form.weights, *lanes_of(config, form, Use::b).lanes, config.tile_n};
}

PackedForm packed_form(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  PackedForm packed{'b',
                    multiplied_type(form),
                    to_index(config.subgroup_size),
                    config.atom_n,
                    config.atom_k,
                    config.tile_n / config.atom_n,
                    2,
                    form.weights};
  const LanesOrReason lanes = lanes_of(config, form, Use::b);
  if (lanes.lanes) {
    const std::int64_t depth =
        packed_depth(*form.weights, size(lanes.lanes->to_lane.mode(0)) * kPackedVector);
    packed.steps = std::max<std::int64_t>(1, depth / config.atom_k);
  }
  return packed;
}

std::vector<std::string> reasons_against(const GemmThinCoopmatConfig& config,
                                         const GemmForm& form) {
  const bool has_weights = config.source != SourceOfB::elements;
  std::vector<std::string> reasons =
      reasons_against_matrices(form, {.weights = has_weights}, config, 64);
  if (has_weights) {
    const bool in_blocks = config.source == SourceOfB::weight_blocks;
    require_weights(form, in_blocks ? "weights in blocks" : "packed weights", reasons);
  }
  require_power_of_two("tile m", config.tile_m, 64, reasons);
  require_power_of_two("tile n", config.tile_n, 64, reasons);
  require_power_of_two("subgroups", config.subgroups, 64, reasons);
  require_power_of_two("reads", config.reads, 8, reasons);
  if (config.across != 0) require_power_of_two("across", config.across, 64, reasons);
  require_across(config, form, reasons);
  if (!reasons.empty()) return reasons;

  require_threads(config.threads(), reasons);
  require_divides("atom m", config.atom_m, config.tile_m, reasons);
  require_divides("atom n", config.atom_n, config.tile_n, reasons);
  require_even_distribution(config, reasons);
  if (config.source == SourceOfB::weight_blocks) require_whole_blocks(config, form, reasons);
  if (!reasons.empty()) return reasons;
  const AccumulatorShape sums = accumulator_shape(config, form);
  if (config.across > 0) return reasons_against(sums, form.accumulator);
  return reasons_against(sums, form.accumulator, bytes_for_sums(config, form));
}

LanesOrReason lanes_of(const GemmThinCoopmatConfig& config, const GemmForm& form, Use use) {
  const OrderOrReason& order = config.order(use);
  const std::int64_t rows = config.atom_rows(use);
  if (!order.layout) {
    return {{},
            fmt::format("{}; use --order-{} to give one", order.reason, use == Use::a ? 'a' : 'b')};
  }
  const std::string name = to_string(probe(config, form, use));
  const bool fits = order.layout->rank() == 2 && size(order.layout->mode(0)) == rows &&
                    size(order.layout->mode(1)) == config.atom_k && is_compact(*order.layout);
  if (!fits) {
    return {{},
            fmt::format("{}: the order {} does not cover each of {} rows and {} of k once", name,
                        to_string(*order.layout), rows, config.atom_k)};
  }
  LanesOrReason lanes = split_order(*order.layout, config.elements_per_lane(use));
  if (lanes.lanes && !lanes.lanes->rows_of_lanes_first) {
    lanes = {
        {},
        fmt::format(
            "fragment order {}: a lane holds adjacent rows, and other lanes the following ones",
            to_string(*order.layout))};
  }
  if (!lanes.lanes) lanes.reason = fmt::format("{}: {}", name, lanes.reason);
  return lanes;
}

std::vector<std::string> reasons_against_orders(const GemmThinCoopmatConfig& config,
                                                const GemmForm& form) {
  const bool is_in_blocks = config.source == SourceOfB::weight_blocks;
  const std::int64_t vector = widest_access(multiplied_type(form));
  std::vector<std::string> reasons;
  std::vector<FragmentLanes> all;
  std::int64_t words = 0;  // that a lane has at once, where B is in blocks
  for (const Use use : {Use::a, Use::b}) {
    LanesOrReason apart = lanes_of(config, form, use);
    if (!apart.lanes) {
      reasons.push_back(std::move(apart.reason));
      continue;
    }
    const bool is_a = use == Use::a;
    const std::string name = to_string(probe(config, form, use));
    const FragmentLanes& lanes = all.emplace_back(*std::move(apart.lanes));
    require(
        vector % size(lanes.k_numbers) == 0,
        fmt::format("{}: a lane holds {} elements along k, which must divide the {} of 16 bytes",
                    name, size(lanes.k_numbers), vector),
        reasons);
    if (is_in_blocks) {
      const std::int64_t bytes = is_a ? 2 * form.weights->elements : form.weights->bytes;
      words += config.tile_rows(use) / size(lanes.to_lane.mode(1)) * config.reads * bytes / 4;
    } else if (is_a || config.source == SourceOfB::elements) {
      const std::int64_t values =
          elements_at_once(config, form, lanes, use) / (config.across > 0 ? config.reads : 1);
      require(values <= kMaxValuesAtOnce,
              fmt::format("{}: a lane has {} elements of a tile, but at most {} are possible", name,
                          values, kMaxValuesAtOnce),
              reasons);
    }
  }
  if (reasons.empty() && all[0].k_modes != all[1].k_modes) {
    reasons.push_back(fmt::format("the orders {} of A and {} of B divide k differently among lanes",
                                  to_string(*config.order_a.layout),
                                  to_string(*config.order_b.layout)));
  }
  require(words <= kMaxWordsOfLane,
          fmt::format("a lane has {} words of A and B at once, but at most {} are possible", words,
                      kMaxWordsOfLane),
          reasons);
  if (reasons.empty() && config.source == SourceOfB::packed_weights) {
    reasons = reasons_against(packed_weights(config, form));
  }
  if (reasons.empty() && config.across > 0) {
    const std::int64_t rows = config.threads() / size(all[0].to_lane.mode(0));
    const std::int64_t next = config.tile_m * depth_of_tile(config, form) / config.threads();
    require(
        next <= kMaxValuesAtOnce,
        fmt::format("a thread has {} elements of the next tile of A, but at most {} are possible",
                    next, kMaxValuesAtOnce),
        reasons);
    require_divides("rows of A that threads read at once", rows, config.tile_m, reasons);
    const std::int64_t tiles = bytes_of_tiles(config, form);
    const std::int64_t sums = shared_bytes(accumulator_shape(config, form), form.accumulator);
    require(tiles + sums <= bytes_beside_table(config, form),
            fmt::format("{} bytes of shared memory are needed, {} for tiles of A and {} for sums, "
                        "but the limit is {}",
                        tiles + sums, tiles, sums, bytes_beside_table(config, form)),
            reasons);
  }
  return reasons;
}

std::vector<std::string> reasons_against_orders_on(const DeviceCaps& device,
                                                   const GemmThinCoopmatConfig& config,
                                                   const GemmForm& form) {
  std::vector<std::string> reasons;
  bool known = true;
  for (const Use use : {Use::a, Use::b}) {
    const ProbedMatrix matrix = probe(config, form, use);
    const OrderOrReason& order = config.order(use);
    const bool is_probed = find_order(device, matrix) != nullptr;
    known = known && (is_probed || order.layout);
    if (!is_probed || !order.layout) continue;
    const OrderOrReason actual = fragment_layout(device, matrix);
    const auto differs = [&] {
      if (size(*actual.layout) != size(*order.layout)) return true;
      for (std::int64_t i = 0; i < size(*actual.layout); ++i) {
        if ((*actual.layout)(i) != (*order.layout)(i)) return true;
      }
      return false;
    };
    if (!actual.layout) {
      reasons.push_back(actual.reason);
    } else if (differs()) {
      reasons.push_back(fmt::format("{}: the device has the order {}, not {}", to_string(matrix),
                                    to_string(*actual.layout), to_string(*order.layout)));
    }
  }
  return reasons.empty() && known ? reasons_against_orders(config, form) : reasons;
}

}  // namespace vkmoye::gen
