// SPDX-License-Identifier: MIT
#pragma once
// Products with few rows or few columns in matrix units, at the speed of reading the larger operand.
//
//   C (16,4096): a workgroup computes 16x16 of C, its 16 subgroups sum parts of k
//     a subgroup      64 of 1024 k: its sums are one matrix
//     a lane          16 bytes of 2 rows of A and of 2 rows of B, in 2 blocks of k each, in flight
//     at the end      the sums of all subgroups are added through shared memory, see sums/accumulators.hpp
//
// A and B are not packed: a lane reads 16 bytes at a time, and k is permuted in the same way in both, see
// sources/tile_reads.hpp. If k is not contiguous or rows are not aligned, elements are read one by one,
// which is correct but slower.
//
// SourceOfB says where lanes read B; weights come in blocks or packed:
//
//   weight_blocks     gemm/quantised_coopmat: a lane reads whole blocks of its rows, as they lie in a GGUF file,
//                     decodes 8 weights at a time from their words, and takes the elements of A in the same order.
//                     Nothing is exchanged between lanes, and each weight is decoded once for all rows of a tile of C.
//                     Arguments as in thin.hpp.
//   packed_weights    gemm/packed_weights: blocks of tile_n rows, see sources/packed_weights.hpp. Where matrix units
//                     have 16x8 sums, up to 8 rows of A are columns of C^T = B A^T: with 16x16 sums, half of the work
//                     would be for rows that do not exist in A. With hundreds of rows, subgroups lie side by side along
//                     n (`across`, packed_across.cpp): they share tiles of A in shared memory, and each decodes weights
//                     of its own. In place of ldb, it takes the arguments
//
//     k_blocks    blocks along k
//     b_blocks    blocks along the rows of B, all matrices of a batch together
//     b_step      blocks from one matrix of a batch to the next
//
// Otherwise the interface is that of simt.hpp. The fragment order of the device must be a layout, see packed_form.hpp.
// configs/thin_coopmat_defaults.cpp chooses the config, configs/thin_coopmat.cpp checks it.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/dsl/fragment_lanes.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
#include "vkmoye/gen/kernels/products/packing/packed_form.hpp"
#include "vkmoye/gen/kernels/products/sources/packed_weights.hpp"
#include "vkmoye/gen/kernels/products/sums/accumulators.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

/// What lanes read of B, see above: elements in their own order, packed weights, or blocks of weights.
enum class SourceOfB : std::uint8_t { elements, packed_weights, weight_blocks };

struct GemmThinCoopmatConfig : MatrixAtom {
  // The tile of C that a workgroup computes; with packed weights, tile_n is also the rows of a block, and with `across`
  // a workgroup computes across * columns() columns.
  std::int64_t tile_m = 16, tile_n = 16;
  std::int64_t subgroups = 16;  // subgroups per workgroup: along k, but for `across`
  std::int64_t reads = 2;       // blocks of k, or of weights, that a lane reads at once
  // Subgroups side by side along n, which share tiles of A in shared memory; the others share k. 0: all read A itself.
  std::int64_t across = 0;
  std::int64_t shared_bytes = 32768;  // maximum shared memory
  OrderOrReason order_a, order_b;     // fragment orders of a matrix of A and of B
  SourceOfB source = SourceOfB::elements;

  std::int64_t threads() const { return subgroups * subgroup_size; }
  // The columns of C of a subgroup: with `across`, at least four matrices, as blocks of weights may have fewer.
  std::int64_t columns() const { return across == 0 ? tile_n : std::max(tile_n, 4 * atom_n); }
  std::int64_t subgroups_k() const { return across == 0 ? subgroups : subgroups / across; }
  // The rows of a matrix and of a tile of A or B, the order of a matrix, and its elements in a lane. `use`: which one.
  std::int64_t atom_rows(ir::MatrixType::Use use) const { return is_a(use) ? atom_m : atom_n; }
  std::int64_t tile_rows(ir::MatrixType::Use use) const { return is_a(use) ? tile_m : tile_n; }
  const OrderOrReason& order(ir::MatrixType::Use use) const {
    return is_a(use) ? order_a : order_b;
  }
  std::int64_t elements_per_lane(ir::MatrixType::Use use) const {
    return atom_rows(use) * atom_k / subgroup_size;
  }
  static bool is_a(ir::MatrixType::Use use) { return use == ir::MatrixType::Use::a; }
};

/// The config for products of `form` on `device`: for its matrices, with their orders if they are known. Of `options`,
/// the options of a request, it uses only those that determine the matrices.
GemmThinCoopmatConfig gemm_thin_coopmat_config(const GemmForm& form, const DeviceCaps& device,
                                               const Options& options = {});

/// The config for weights in blocks and, if it is known, for products of `shape` (M, N, K).
GemmThinCoopmatConfig quantised_coopmat_config(
    const GemmForm& form, const std::optional<std::vector<std::int64_t>>& shape,
    const DeviceCaps& device);

/// The config for packed weights, before the options of the request are applied. The order in which weights are packed
/// depends on N, not on M: N must be known both when they are packed and when they are used, or neither time. If
/// transposed atoms of half as many rows can hold all rows of A, they are used, unless an option says otherwise.
GemmThinCoopmatConfig packed_weights_config(const TypedRequest<GemmProduct>& request);

/// The config of a request for gemm/packed_weights. Throws KernelError for options that cannot be read.
GemmThinCoopmatConfig packed_weights_config_of(const KernelRequest& request);

/// How weights of form.weights are packed. Precondition: the order of B can be used, see lanes_of.
PackedWeights packed_weights(const GemmThinCoopmatConfig& config, const GemmForm& form);

/// Packed weights as the form of an operand; with two matrices along k if the order of B is not known.
PackedForm packed_form(const GemmThinCoopmatConfig& config, const GemmForm& form);

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<GemmThinCoopmatConfig>>& gemm_thin_coopmat_fields();

/// How the sums of a workgroup are divided: each subgroup sums all rows and columns, over a part of k; with `across`,
/// its own columns.
AccumulatorShape accumulator_shape(const GemmThinCoopmatConfig& config, const GemmForm& form);

/// With `across`: the k of a tile of A, and the bytes of the two that are in shared memory. Precondition: the orders
/// can be used.
std::int64_t depth_of_tile(const GemmThinCoopmatConfig& config, const GemmForm& form);
std::int64_t bytes_of_tiles(const GemmThinCoopmatConfig& config, const GemmForm& form);

/// The matrices whose orders the kernel depends on, A and B.
std::vector<ProbedMatrix> probes(const GemmThinCoopmatConfig& config, const GemmForm& form);

/// The matrices that gemm/packed_weights depends on, and those of the config that would be chosen if its orders were
/// known. If B is the first operand of the matrix units, also B as the second one, in whose order weights are packed.
std::vector<ProbedMatrix> packed_weights_probes(const GemmThinCoopmatConfig& config,
                                                const TypedRequest<GemmProduct>& request);

/// The order of a matrix of A, or of B, by `use`, split into lanes and numbers, or why it cannot be used.
/// Precondition: `reasons_against` is empty.
LanesOrReason lanes_of(const GemmThinCoopmatConfig& config, const GemmForm& form,
                       ir::MatrixType::Use use);

/// The elements of a tile that a lane with these `lanes` reads at once, for an operand that is not in blocks.
std::int64_t elements_at_once(const GemmThinCoopmatConfig& config, const GemmForm& form,
                              const FragmentLanes& lanes, ir::MatrixType::Use use);

/// Every reason against `config` for `form`, except those of the orders.
std::vector<std::string> reasons_against(const GemmThinCoopmatConfig& config, const GemmForm& form);

/// Why the orders of `config` cannot be used: one of them cannot be split into lanes, they divide k differently among
/// lanes, or lanes cannot hold what they read. Precondition: `reasons_against` is empty.
std::vector<std::string> reasons_against_orders(const GemmThinCoopmatConfig& config,
                                                const GemmForm& form);

/// Why the orders of `config` cannot be used on `device`, also because its matrices have others. An order that has not
/// been probed yet gives no reason.
std::vector<std::string> reasons_against_orders_on(const DeviceCaps& device,
                                                   const GemmThinCoopmatConfig& config,
                                                   const GemmForm& form);

/// The kernel with `across`. Precondition: there are no reasons against `config`.
ir::Kernel gemm_packed_across(const GemmThinCoopmatConfig& config, const GemmForm& form,
                              const std::string& name);

/// Throws KernelError with every reason.
ir::Kernel gemm_thin_coopmat(const GemmThinCoopmatConfig& config, const GemmForm& form,
                             const std::string& name = "gemm/thin_coopmat");

}  // namespace vkmoye::gen
