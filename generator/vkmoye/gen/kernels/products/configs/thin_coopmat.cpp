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
std::int64_t bytes_for_sums(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  return config.shared_bytes - (form.weights == nullptr ? 0 : form.weights->table_bytes());
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
      numbers_field<Config>("tile", "MxN: the tile of C of a workgroup",
                            {&Config::tile_m, &Config::tile_n}),
      numbers_field<Config>("subgroups", "subgroups of a workgroup, along k", {&Config::subgroups}),
      numbers_field<Config>("reads", "blocks of k that a lane reads at once", {&Config::reads}),
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
  shape.subgroups_m = shape.subgroups_n = 1;
  shape.subgroups_k = config.subgroups;
  shape.rows = config.tile_m;
  shape.columns = config.tile_n;
  shape.columns_at_once = columns_that_fit(shape, form.accumulator, bytes_for_sums(config, form));
  return shape;
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
  if (!reasons.empty()) return reasons;

  require_threads(config.threads(), reasons);
  require_divides("atom m", config.atom_m, config.tile_m, reasons);
  require_divides("atom n", config.atom_n, config.tile_n, reasons);
  require_even_distribution(config, reasons);
  if (config.source == SourceOfB::weight_blocks) require_whole_blocks(config, form, reasons);
  if (!reasons.empty()) return reasons;
  return reasons_against(accumulator_shape(config, form), form.accumulator,
                         bytes_for_sums(config, form));
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
      const std::int64_t values = elements_at_once(config, form, lanes, use);
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
    return reasons_against(packed_weights(config, form));
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
