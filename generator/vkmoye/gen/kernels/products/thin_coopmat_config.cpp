// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// The elements of a tile of `rows` rows that a lane reads at once.
std::int64_t elements_at_once(const GemmThinCoopmatConfig& config, const GemmForm& form,
                              const FragmentLanes& order, std::int64_t rows) {
  return widest_access(unit_type(form)) * config.reads * rows / size(order.lanes.mode(1));
}

// Halves config.reads until a lane can hold what it reads at once of a tile of `rows` rows of A, or of B, by `use`.
void halve_reads_until_they_fit(GemmThinCoopmatConfig& config, const GemmForm& form,
                                ir::MatrixType::Use use, std::int64_t rows) {
  const LanesOrReason apart = lanes_of(config, form, use);
  while (apart.lanes && config.reads > 1 &&
         elements_at_once(config, form, *apart.lanes, rows) > kMaxValuesAtOnce) {
    config.reads /= 2;
  }
}

// The shared memory that is left beside the table of a weight format.
std::int64_t bytes_for_sums(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  return config.shared_bytes - (form.weights == nullptr ? 0 : form.weights->table_bytes());
}

// Halves the rows of A of the atom, if the device multiplies such matrices. Precondition: config.transposed.
bool halve_rows(GemmThinCoopmatConfig& config, const GemmForm& form, const DeviceCaps& device) {
  GemmThinCoopmatConfig half = config;
  half.atom_m /= 2;
  if (!multiplies(device, half, form)) return false;
  config.atom_m = half.atom_m;
  return true;
}

constexpr std::int64_t kFewRowsOfB = 4096;
// The rows of weights that a lane decodes at once, at most, by default.
constexpr std::int64_t kMaxPackedRows = 8;

}  // namespace

const std::vector<ConfigField<GemmThinCoopmatConfig>>& gemm_thin_coopmat_fields() {
  static const auto fields = with_atom_fields<GemmThinCoopmatConfig>({
      numbers_field<GemmThinCoopmatConfig>(
          "tile", "MxN: the tile of C of a workgroup",
          {&GemmThinCoopmatConfig::tile_m, &GemmThinCoopmatConfig::tile_n}),
      numbers_field<GemmThinCoopmatConfig>("subgroups", "subgroups of a workgroup, along k",
                                           {&GemmThinCoopmatConfig::subgroups}),
      numbers_field<GemmThinCoopmatConfig>("reads", "blocks of k that a lane reads at once",
                                           {&GemmThinCoopmatConfig::reads}),
      numbers_field<GemmThinCoopmatConfig>("shared-bytes",
                                           "maximum number of bytes of shared memory",
                                           {&GemmThinCoopmatConfig::shared_bytes}),
      choice_field<GemmThinCoopmatConfig, bool>(
          "transposed", "yes: matrix units compute C^T = B A^T, so an atom of A may have 8 rows",
          {"no", "yes"}, &GemmThinCoopmatConfig::transposed),
      order_field("order-a", "(row, k) of a matrix of A -> lane * elements of a lane + number",
                  &GemmThinCoopmatConfig::order_a),
      order_field("order-b", "(row, k) of a matrix of B -> lane * elements of a lane + number",
                  &GemmThinCoopmatConfig::order_b),
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
  using Use = ir::MatrixType::Use;
  const auto extent = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const std::uint32_t lanes = extent(config.subgroup_size), k = extent(config.atom_k);
  const auto matrix = [&](std::int64_t rows, bool is_first) {
    return is_first ? ir::MatrixType{Use::a, extent(rows), k}
                    : ir::MatrixType{Use::b, k, extent(rows)};
  };
  return {{unit_type(form), matrix(config.atom_m, !config.transposed), lanes},
          {unit_type(form), matrix(config.atom_n, config.transposed), lanes}};
}

GemmThinCoopmatConfig gemm_thin_coopmat_config(const GemmForm& form, const DeviceCaps& device,
                                               const Options& options) {
  GemmThinCoopmatConfig config;
  static_cast<MatrixAtom&>(config) = gemm_atom(form, device);
  read_matrices(gemm_thin_coopmat_fields(), options, {"atom", "subgroup-size", "transposed"},
                config);
  if (config.transposed && !options.contains("atom")) halve_rows(config, form, device);
  config.tile_m = config.atom_m;
  config.tile_n = config.atom_n;
  config.subgroups = std::min<std::int64_t>(16, 512 / config.subgroup_size);
  config.shared_bytes = static_cast<std::int64_t>(device.max_shared_bytes);
  const auto matrices = probes(config, form);
  config.order_a = fragment_layout(device, matrices[0]);
  config.order_b = fragment_layout(device, matrices[1]);
  halve_reads_until_they_fit(config, form, ir::MatrixType::Use::a, config.atom_m);
  halve_reads_until_they_fit(config, form, ir::MatrixType::Use::b, config.atom_n);
  return config;
}

GemmThinCoopmatConfig packed_weights_config(const TypedRequest<GemmProduct>& request) {
  const GemmForm& form = request.form;
  const auto& shape = request.form.shape;
  GemmThinCoopmatConfig config = gemm_thin_coopmat_config(form, request.device, request.options);
  const std::int64_t fragments = config.subgroup_size < 32 ? 2 : 4;
  // On an H100, a row of A by 4096 of B takes a quarter less time with twice as many workgroups. What is packed depends
  // on the tile of N, so the number of rows of A must not matter.
  const bool has_few_workgroups = shape && (*shape)[1] <= kFewRowsOfB;
  config.tile_n = (has_few_workgroups ? 2 : fragments) * config.atom_n;
  const LanesOrReason of_b = lanes_of(config, form, ir::MatrixType::Use::b);
  while (of_b.lanes && config.tile_n > config.atom_n &&
         config.tile_n / size(of_b.lanes->lanes.mode(1)) > kMaxPackedRows) {
    config.tile_n /= 2;
  }
  const std::int64_t m = shape ? (*shape)[0] : 1, most = fragments * config.atom_m;
  while (config.tile_m < m && config.tile_m < most) config.tile_m *= 2;
  // The fastest of a sweep at N = K = 8192 on an H200: what is in flight at once is limited by registers.
  if (config.tile_m > config.atom_m && config.tile_m < most) config.reads = 1;
  const std::int64_t subgroups = m > most ? 4 : config.tile_m == most ? 8 : 16;
  config.subgroups = std::min(subgroups, config.subgroups);
  halve_reads_until_they_fit(config, form, ir::MatrixType::Use::a, config.tile_m);
  // What is packed must not change.
  const auto transposed = transposed_config(config, request);
  const bool is_known = transposed && transposed->order_a.layout && transposed->order_b.layout;
  const bool can = is_known && transposed->order_b.layout == config.order_b.layout;
  return can ? *transposed : config;
}

std::optional<GemmThinCoopmatConfig> transposed_config(GemmThinCoopmatConfig config,
                                                       const TypedRequest<GemmProduct>& request) {
  for (const char* given : {"atom", "transposed", "order-a", "order-b"}) {
    if (request.options.count(given) != 0) return std::nullopt;
  }
  if (!request.form.shape || config.transposed) return std::nullopt;
  config.transposed = true;
  const bool has = halve_rows(config, request.form, request.device);
  if (!has || (*request.form.shape)[0] > config.atom_m) return std::nullopt;
  config.tile_m = config.atom_m;
  const auto matrices = probes(config, request.form);
  config.order_a = fragment_layout(request.device, matrices[0]);
  config.order_b = fragment_layout(request.device, matrices[1]);
  return config;
}

std::vector<ProbedMatrix> packed_weights_probes(const GemmThinCoopmatConfig& config,
                                                const TypedRequest<GemmProduct>& request) {
  std::vector<ProbedMatrix> all = probes(config, request.form);
  if (config.transposed) {
    GemmThinCoopmatConfig plain = config;
    plain.transposed = false;
    all.push_back(probes(plain, request.form).back());
  }
  if (const auto transposed = transposed_config(config, request)) {
    for (ProbedMatrix& matrix : probes(*transposed, request.form)) all.push_back(std::move(matrix));
  }
  return all;
}

GemmThinCoopmatConfig packed_weights_config_of(const KernelRequest& untyped) {
  const char* const name = "gemm/packed_weights";
  const KernelEntry& entry = *find_kernel(name);
  const auto request = typed_request<GemmProduct>(name, entry.weights, untyped);
  throw_if_any(name, reasons_against_types(entry, request.form));
  GemmThinCoopmatConfig config = packed_weights_config(request);
  throw_if_any(name, read_fields(gemm_thin_coopmat_fields(), request.options, config));
  throw_if_any(name, reasons_against(config, request.form));
  return config;
}

PackedWeights packed_weights(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  return {form.weights, *lanes_of(config, form, ir::MatrixType::Use::b).lanes, config.tile_n};
}

PackedForm packed_form(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  PackedForm packed{'b',
                    unit_type(form),
                    to_index(config.subgroup_size),
                    config.atom_n,
                    config.atom_k,
                    config.tile_n / config.atom_n,
                    2,
                    form.weights};
  const LanesOrReason lanes = lanes_of(config, form, ir::MatrixType::Use::b);
  if (lanes.lanes) {
    packed.steps =
        std::max<std::int64_t>(1, size(lanes.lanes->lanes.mode(0)) * kPackedVector / config.atom_k);
  }
  return packed;
}

std::vector<std::string> reasons_against(const GemmThinCoopmatConfig& config,
                                         const GemmForm& form) {
  std::vector<std::string> reasons = reasons_against_form(form, {.weights = true});
  require_matrix_types(form, {ScalarType::f16, ScalarType::bf16, ScalarType::i8, ScalarType::u8},
                       reasons);
  require_atom(config, 64, reasons);
  require_power_of_two("tile m", config.tile_m, 64, reasons);
  require_power_of_two("tile n", config.tile_n, 64, reasons);
  require_power_of_two("subgroups", config.subgroups, 64, reasons);
  require_power_of_two("reads", config.reads, 8, reasons);
  if (!reasons.empty()) return reasons;

  require_threads(config.threads(), reasons);
  require_divides("atom m", config.atom_m, config.tile_m, reasons);
  require_divides("atom n", config.atom_n, config.tile_n, reasons);
  require_even_distribution(config, reasons);
  if (!reasons.empty()) return reasons;
  return reasons_against(accumulator_shape(config, form), form.accumulator,
                         bytes_for_sums(config, form));
}

LanesOrReason lanes_of(const GemmThinCoopmatConfig& config, const GemmForm& form,
                       ir::MatrixType::Use use) {
  const bool is_a = use == ir::MatrixType::Use::a;
  const OrderOrReason& order = is_a ? config.order_a : config.order_b;
  const std::int64_t rows = is_a ? config.atom_m : config.atom_n;
  if (!order.layout) {
    return {{}, fmt::format("{}; use --order-{} to give one", order.reason, is_a ? 'a' : 'b')};
  }
  const std::string name = to_string(probes(config, form)[is_a ? 0 : 1]);
  const bool fits = order.layout->rank() == 2 && size(order.layout->mode(0)) == rows &&
                    size(order.layout->mode(1)) == config.atom_k && is_compact(*order.layout);
  if (!fits) {
    return {{},
            fmt::format("{}: the order {} does not cover each of {} rows and {} of k once", name,
                        to_string(*order.layout), rows, config.atom_k)};
  }
  LanesOrReason lanes = split_order(*order.layout, config.elements_per_lane(rows));
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

std::vector<std::string> reasons_against_lanes(const GemmThinCoopmatConfig& config,
                                               const GemmForm& form, const CheckOfLanes& check) {
  std::vector<std::string> reasons;
  std::vector<FragmentLanes> lanes;
  const auto matrices = probes(config, form);
  for (const ir::MatrixType::Use use : {ir::MatrixType::Use::a, ir::MatrixType::Use::b}) {
    LanesOrReason apart = lanes_of(config, form, use);
    if (!apart.lanes) {
      reasons.push_back(std::move(apart.reason));
      continue;
    }
    check(use, *apart.lanes, to_string(matrices[use == ir::MatrixType::Use::a ? 0 : 1]), reasons);
    lanes.push_back(*std::move(apart.lanes));
  }
  if (reasons.empty() && lanes[0].k_modes != lanes[1].k_modes) {
    reasons.push_back(fmt::format("the orders {} of A and {} of B divide k differently among lanes",
                                  to_string(*config.order_a.layout),
                                  to_string(*config.order_b.layout)));
  }
  return reasons;
}

std::vector<std::string> reasons_against_orders(const GemmThinCoopmatConfig& config,
                                                const GemmForm& form) {
  const auto check = [&](ir::MatrixType::Use use, const FragmentLanes& lanes,
                         const std::string& name, std::vector<std::string>& reasons) {
    const bool is_a = use == ir::MatrixType::Use::a;
    const std::int64_t vector = widest_access(unit_type(form));
    const std::int64_t along_k = size(lanes.k_numbers);
    require(
        vector % along_k == 0,
        fmt::format("{}: a lane holds {} elements along k, which must divide the {} of 16 bytes",
                    name, along_k, vector),
        reasons);
    const std::int64_t tile = is_a ? config.tile_m : config.tile_n;
    const std::int64_t values = elements_at_once(config, form, lanes, tile);
    const bool is_copied = is_a || form.weights == nullptr;
    require(!is_copied || values <= kMaxValuesAtOnce,
            fmt::format("{}: a lane has {} elements of a tile, but at most {} are possible", name,
                        values, kMaxValuesAtOnce),
            reasons);
  };
  std::vector<std::string> reasons = reasons_against_lanes(config, form, check);
  if (reasons.empty() && form.weights != nullptr) {
    return reasons_against(packed_weights(config, form));
  }
  return reasons;
}

std::vector<std::string> reasons_against_orders_on(const DeviceCaps& device,
                                                   const GemmThinCoopmatConfig& config,
                                                   const GemmForm& form,
                                                   ReasonsAgainstOrders* against) {
  std::vector<std::string> reasons;
  bool known = true;
  const auto matrices = probes(config, form);
  for (const ir::MatrixType::Use use : {ir::MatrixType::Use::a, ir::MatrixType::Use::b}) {
    const bool is_a = use == ir::MatrixType::Use::a;
    const ProbedMatrix& matrix = matrices[is_a ? 0 : 1];
    const OrderOrReason& order = is_a ? config.order_a : config.order_b;
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
  return reasons.empty() && known ? against(config, form) : reasons;
}

}  // namespace vkmoye::gen
