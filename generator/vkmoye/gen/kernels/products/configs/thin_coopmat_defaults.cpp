// SPDX-License-Identifier: MIT
// The configs of products of few rows by default: for plain B, for weights in blocks, for packed ones.
#include <algorithm>
#include <utility>

#include "vkmoye/base/round_up.hpp"
#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/kernels/products/configs/rules.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

// Workgroups with `rows` x `columns` of C, for an M x N x K product of `shape`.
std::int64_t workgroups_for(const std::vector<std::int64_t>& shape, std::int64_t rows,
                            std::int64_t columns) {
  return round_up(shape[0], rows) / rows * (round_up(shape[1], columns) / columns);
}

void take_orders_of(const DeviceCaps& device, const GemmForm& form, GemmThinCoopmatConfig& config) {
  const auto matrices = probes(config, form);
  config.order_a = fragment_layout(device, matrices[0]);
  config.order_b = fragment_layout(device, matrices[1]);
}

// Halves config.reads until a lane can hold what it reads at once of a tile of A, or of B, by `use`.
void halve_reads_until_they_fit(GemmThinCoopmatConfig& config, const GemmForm& form, Use use) {
  const LanesOrReason apart = lanes_of(config, form, use);
  while (apart.lanes && config.reads > 1 &&
         elements_at_once(config, form, *apart.lanes, use) > kMaxValuesAtOnce) {
    config.reads /= 2;
  }
}

// Halves the rows of A of the atom, if the device multiplies such matrices. Precondition: config.transposed.
bool halve_rows(GemmThinCoopmatConfig& config, const GemmForm& form, const DeviceCaps& device) {
  GemmThinCoopmatConfig half = config;
  half.atom_m /= 2;
  if (!multiplies(device, half, form)) return false;
  config.atom_m = half.atom_m;
  return true;
}

// `config` with atoms of half as many rows of A, transposed, if the device multiplies them, all rows of A fit into one,
// and no option says otherwise: half the products and fewer registers. On an H100, a row by 28672x4096 of q4_0 takes
// 32.9 us so, and 36.5 without.
std::optional<GemmThinCoopmatConfig> transposed_config(GemmThinCoopmatConfig config,
                                                       const TypedRequest<GemmProduct>& request) {
  for (const char* given : {"atom", "transposed", "order-a", "order-b"}) {
    if (request.options.count(given) != 0) return std::nullopt;
  }
  if (!request.form.shape || config.transposed || config.across > 0) return std::nullopt;
  config.transposed = true;
  const bool has = halve_rows(config, request.form, request.device);
  if (!has || (*request.form.shape)[0] > config.atom_m) return std::nullopt;
  config.tile_m = config.atom_m;
  take_orders_of(request.device, request.form, config);
  return config;
}

// Whether `count` workgroups of eight subgroups, of which a multiprocessor runs one at a time, keep nearly all of 132
// multiprocessors busy, as many as an H100 has; Vulkan does not say how many a GPU has.
bool fill_rounds(std::int64_t count) {
  constexpr std::int64_t kMultiprocessors = 132;
  return count * 6 >= round_up(count, kMultiprocessors) * 5;
}

// Whether no option says otherwise than `config`.
bool agrees(const GemmThinCoopmatConfig& config, const Options& options) {
  const auto& fields = gemm_thin_coopmat_fields();
  return std::all_of(fields.begin(), fields.end(), [&](const auto& field) {
    const auto given = options.find(field.name);
    return given == options.end() || given->second == field.show(config);
  });
}

// `config` with subgroups side by side, where that is faster and no option says otherwise. On an H200, 512 rows by
// 8192x8192 of q4_0 take 207 us so and 254 else; by 28672x4096, 437 and 481; by 4096x14336, where blocks have half as
// many rows and two subgroups share k, 229 and 278. Other formats and types need more registers: they are as before.
std::optional<GemmThinCoopmatConfig> side_by_side_config(GemmThinCoopmatConfig config,
                                                         const TypedRequest<GemmProduct>& request) {
  constexpr std::int64_t kSubgroupsSideBySide = 8;
  const GemmForm& form = request.form;
  const auto& shape = request.form.shape;
  const bool is_simple = form.weights != nullptr && form.weights->code.bits() <= 4 &&
                         form.weights->table_bytes() == 0 && !form.weights->minimum &&
                         !form.weights->has_sub_blocks() && form.a_type == ScalarType::f16;
  if (!is_simple || !shape || config.subgroup_size != 32) return std::nullopt;
  config.reads = 2;
  config.subgroups = config.across = kSubgroupsSideBySide;
  config.across = kSubgroupsSideBySide * config.tile_n / config.columns();  // the others share k
  const std::int64_t count =
      request.form.batch * workgroups_for(*shape, config.tile_m, config.across * config.columns());
  if (!fill_rounds(count) || !agrees(config, request.options)) return std::nullopt;
  if (!reasons_against(config, form).empty()) return std::nullopt;
  const bool is_known = config.order_a.layout && config.order_b.layout;
  if (is_known && !reasons_against_orders(config, form).empty()) return std::nullopt;
  return config;
}

constexpr std::int64_t kFewRowsOfB = 4096;
// The rows of weights that a lane decodes at once, at most, by default.
constexpr std::int64_t kMaxPackedRows = 8;

// The fastest of sweeps by N = K = 8192 on an H100: elements of k that a lane reads at once of a row; up to 4 rows have
// small tiles, 22.7 us in q4_0, and 16 rows large ones with fewer subgroups, 27.4 us instead of 50.
constexpr std::int64_t kElementsOfLane = 64, kFewRows = 4, kSubgroups = 4, kFewSubgroups = 2;
// With fewer workgroups, tiles are smaller.
constexpr std::int64_t kWorkgroups = 128;

}  // namespace

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
  take_orders_of(device, form, config);
  halve_reads_until_they_fit(config, form, Use::a);
  halve_reads_until_they_fit(config, form, Use::b);
  return config;
}

GemmThinCoopmatConfig quantised_coopmat_config(
    const GemmForm& form, const std::optional<std::vector<std::int64_t>>& shape,
    const DeviceCaps& device) {
  GemmThinCoopmatConfig config = gemm_thin_coopmat_config(form, device);
  config.source = SourceOfB::weight_blocks;
  if (form.weights == nullptr) return config;
  config.reads = blocks_at_once(*form.weights, 0);
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
  config.tile_n =
      (form.weights->code.bits() < 8 ? 4 : 2) / (has_long_blocks ? 2 : 1) * config.atom_n;
  config.subgroups = std::min<std::int64_t>(kFewSubgroups, max_subgroups);
  const std::int64_t n = shape ? (*shape)[1] : 0;
  const auto workgroups = [&] { return workgroups_for(*shape, config.tile_m, config.tile_n); };
  while (n > 0 && workgroups() < kWorkgroups && config.tile_n > config.atom_n) config.tile_n /= 2;
  if (n > 0 && workgroups() < kWorkgroups) {
    config.subgroups = std::min(2 * kSubgroups, max_subgroups);
  }
  return config;
}

GemmThinCoopmatConfig packed_weights_config(const TypedRequest<GemmProduct>& request) {
  const GemmForm& form = request.form;
  const auto& shape = request.form.shape;
  GemmThinCoopmatConfig config = gemm_thin_coopmat_config(form, request.device, request.options);
  config.source = SourceOfB::packed_weights;
  const std::int64_t fragments = config.subgroup_size < 32 ? 2 : 4;
  // On an H100, a row of A by 4096 of B takes a quarter less time with twice as many workgroups. What is packed depends
  // on the tile of N, so the number of rows of A must not matter.
  const bool has_few_workgroups = shape && (*shape)[1] <= kFewRowsOfB;
  config.tile_n = (has_few_workgroups ? 2 : fragments) * config.atom_n;
  const LanesOrReason of_b = lanes_of(config, form, Use::b);
  while (of_b.lanes && config.tile_n > config.atom_n &&
         config.tile_n / size(of_b.lanes->to_lane.mode(1)) > kMaxPackedRows) {
    config.tile_n /= 2;
  }
  const std::int64_t m = shape ? (*shape)[0] : 1, most = fragments * config.atom_m;
  while (config.tile_m < m && config.tile_m < most) config.tile_m *= 2;
  // The fastest of a sweep at N = K = 8192 on an H200: what is in flight at once is limited by registers.
  if (config.tile_m > config.atom_m && config.tile_m < most) config.reads = 1;
  const std::int64_t subgroups = m > most ? 4 : config.tile_m == most ? 8 : 16;
  config.subgroups = std::min(subgroups, config.subgroups);
  halve_reads_until_they_fit(config, form, Use::a);
  read_matrices(gemm_thin_coopmat_fields(), request.options, {"across"}, config);
  if (m > most) {
    if (const auto side_by_side = side_by_side_config(config, request)) return *side_by_side;
  }
  config.subgroups = std::max(config.subgroups, config.across);
  // What is packed must not change.
  const auto transposed = transposed_config(config, request);
  const bool is_known = transposed && transposed->order_a.layout && transposed->order_b.layout;
  const bool can = is_known && transposed->order_b.layout == config.order_b.layout;
  return can ? *transposed : config;
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

GemmThinCoopmatConfig packed_weights_config_of(const KernelRequest& request) {
  return config_of<GemmThinCoopmatConfig>("gemm/packed_weights", request,
                                          gemm_thin_coopmat_fields(), packed_weights_config);
}

}  // namespace vkmoye::gen
