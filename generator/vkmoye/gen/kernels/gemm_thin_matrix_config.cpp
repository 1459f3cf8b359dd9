#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/kernels/fragment_lanes.hpp"
#include "vkmoye/gen/kernels/gemm_matrix_config.hpp"
#include "vkmoye/gen/kernels/gemm_thin_matrix.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

using Config = GemmThinMatrixConfig;

ConfigField<Config> order_field(const char* name, const char* help, OrderOrReason Config::*order) {
  return {name, help, "a layout such as ((8,2),(2,4,2)):((32,4),(1,8,2))",
          [=](const Config& config) {
            const OrderOrReason& known = config.*order;
            return known.layout ? to_string(*known.layout) : "as the device has it";
          },
          [=](const std::string& text, Config& config) {
            config.*order = {parse_layout(text), ""};
            return true;
          }};
}

// What a lane reads at once of a tile of `rows`.
std::int64_t elements_at_once(const Config& config, const GemmForm& form,
                              const FragmentLanes& order, std::int64_t rows) {
  return widest_access(form.operand) * config.reads * rows / size(order.lanes.mode(1));
}

}  // namespace

const std::vector<ConfigField<Config>>& gemm_thin_matrix_fields() {
  static const std::vector<ConfigField<Config>> fields = {
      numbers_field<Config>("atom", "MxNxK: of one product of matrix units, as the device has it",
                            {&Config::atom_m, &Config::atom_n, &Config::atom_k}),
      numbers_field<Config>("subgroup-size", "lanes of a subgroup, as the device has them",
                            {&Config::subgroup}),
      numbers_field<Config>("tile", "MxN: elements of C that one workgroup sums up",
                            {&Config::tile_m, &Config::tile_n}),
      numbers_field<Config>("subgroups", "of a workgroup, along k", {&Config::subgroups}),
      numbers_field<Config>("reads", "blocks of k that a lane reads at once", {&Config::reads}),
      order_field("order-a", "(row, k) of a matrix of A -> lane * elements of a lane + number",
                  &Config::order_a),
      order_field("order-b", "(row, k) of a matrix of B -> lane * elements of a lane + number",
                  &Config::order_b),
  };
  return fields;
}

std::vector<ProbedMatrix> probes(const Config& config, const GemmForm& form) {
  using Use = ir::MatrixType::Use;
  const auto extent = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const std::uint32_t lanes = extent(config.subgroup), k = extent(config.atom_k);
  return {{form.operand, {Use::a, extent(config.atom_m), k}, lanes},
          {form.operand, {Use::b, k, extent(config.atom_n)}, lanes}};
}

Config gemm_thin_matrix_config(const GemmForm& form, const DeviceCaps& device) {
  const GemmMatrixConfig usual = gemm_matrix_config(form, device);
  Config config;
  config.atom_m = config.tile_m = usual.atom_m;
  config.atom_n = config.tile_n = usual.atom_n;
  config.atom_k = usual.atom_k;
  config.subgroup = usual.subgroup;
  config.subgroups = std::min<std::int64_t>(16, 512 / usual.subgroup);
  const auto matrices = probes(config, form);
  config.order_a = fragment_layout(device, matrices[0]);
  config.order_b = fragment_layout(device, matrices[1]);
  for (const bool is_a : {true, false}) {
    const OrderOrReason& order = is_a ? config.order_a : config.order_b;
    const std::int64_t rows = is_a ? config.atom_m : config.atom_n;
    if (!order.layout) continue;
    const LanesOrReason apart = take_apart(*order.layout, config.held(rows));
    while (apart.lanes && config.reads > 1 &&
           elements_at_once(config, form, *apart.lanes, rows) > kMostAtOnce) {
      config.reads /= 2;
    }
  }
  return config;
}

std::vector<std::string> reasons_against(const Config& config, const GemmForm& form) {
  std::vector<std::string> reasons = reasons_against_form(form);
  const auto require = [&](bool holds, std::string reason) {
    if (!holds) reasons.push_back(std::move(reason));
  };
  require_power_of_two("atom m", config.atom_m, 64, reasons);
  require_power_of_two("atom n", config.atom_n, 64, reasons);
  require_power_of_two("atom k", config.atom_k, 64, reasons);
  require_power_of_two("tile m", config.tile_m, 64, reasons);
  require_power_of_two("tile n", config.tile_n, 64, reasons);
  require_power_of_two("subgroup size", config.subgroup, 128, reasons);
  require_power_of_two("subgroups", config.subgroups, 64, reasons);
  require_power_of_two("reads", config.reads, 8, reasons);
  require(are_matrix_types(form) && form.operand != ScalarType::bf16,
          fmt::format("operands of {} summed up in {}: there are f16 in f16 and f32, i8 in i32, u8 "
                      "in u32",
                      to_string(form.operand), to_string(form.accumulator)));
  require(form.result != ScalarType::bf16, "a result of bf16: no shader rounds to it");
  if (!reasons.empty()) return reasons;

  require(config.threads() <= 1024,
          fmt::format("{} threads, there are at most 1024", config.threads()));
  const auto divides = [&](const char* what, std::int64_t part, std::int64_t whole) {
    require(whole % part == 0, fmt::format("{} {} does not divide {}", what, part, whole));
  };
  divides("atom m", config.atom_m, config.tile_m);
  divides("atom n", config.atom_n, config.tile_n);
  divides("subgroup size", config.subgroup, config.atom_m * config.atom_k);
  divides("subgroup size", config.subgroup, config.atom_n * config.atom_k);
  return reasons;
}

std::vector<std::string> reasons_against_orders(const Config& config, const GemmForm& form) {
  std::vector<std::string> reasons;
  std::vector<FragmentLanes> lanes;
  const auto matrices = probes(config, form);
  for (const bool is_a : {true, false}) {
    const OrderOrReason& order = is_a ? config.order_a : config.order_b;
    const std::int64_t rows = is_a ? config.atom_m : config.atom_n;
    const std::string name = to_string(matrices[is_a ? 0 : 1]);
    if (!order.layout) {
      reasons.push_back(fmt::format("{}; --order-{} takes one", order.reason, is_a ? 'a' : 'b'));
      continue;
    }
    const bool fits = order.layout->rank() == 2 && size(order.layout->mode(0)) == rows &&
                      size(order.layout->mode(1)) == config.atom_k && is_compact(*order.layout);
    if (!fits) {
      reasons.push_back(
          fmt::format("{}: the order {} gives not each of {} rows and {} of k a place", name,
                      to_string(*order.layout), rows, config.atom_k));
      continue;
    }
    LanesOrReason apart = take_apart(*order.layout, config.held(rows));
    if (!apart.lanes) {
      reasons.push_back(fmt::format("{}: {}", name, apart.reason));
      continue;
    }
    const std::int64_t vector = widest_access(form.operand);
    const std::int64_t along_k = size(apart.lanes->k_numbers);
    if (vector % along_k != 0) {
      reasons.push_back(
          fmt::format("{}: a lane holds {} along k, 16 bytes are {}", name, along_k, vector));
    }
    const std::int64_t tile = is_a ? config.tile_m : config.tile_n;
    const std::int64_t values = elements_at_once(config, form, *apart.lanes, tile);
    if (values > kMostAtOnce) {
      reasons.push_back(
          fmt::format("{}: a lane has {} elements of a tile, at most {} are moved at "
                      "once",
                      name, values, kMostAtOnce));
    }
    lanes.push_back(*std::move(apart.lanes));
  }
  if (reasons.empty() && lanes[0].k_modes != lanes[1].k_modes) {
    reasons.push_back(fmt::format("the orders {} of A and {} of B divide k differently among lanes",
                                  to_string(*config.order_a.layout),
                                  to_string(*config.order_b.layout)));
  }
  return reasons;
}

}  // namespace vkmoye::gen
