// SPDX-License-Identifier: MIT
#pragma once
// Attention with matrix units: scores and probabilities stay in registers.
//
//   a workgroup    rows of q for each of its subgroups, as matrices in registers
//                  tiles of k and v through shared memory; the next ones wait in registers, blocks as in memory
//   a subgroup     scores = q k^T, probabilities = exp2(..), sums += probabilities v: three sets of matrices
//
// The lanes that hold a row of scores find its maximum by shuffles. A probe of the device finds the layout that says
// which lanes these are; it may be any that dsl/matrix_values.hpp takes. If the order of an operand is unknown, or not
// that of a result, probabilities go through shared memory. The interface is that of simt.hpp, for q of f16 and bf16.
// Keys and values in blocks, or of another type, are rounded to the type of q. Source: FlashAttention-2 (Dao, 2023).
//
// The config:
//
//   rows 32, keys 64, 8 subgroups of 32 lanes, matrices of 16x16:
//     a workgroup has 256 rows of q, a subgroup 2 x 4 matrices of scores for 64 keys
//   rows 16: half as many registers, for wider heads
//   width 40: rows of 48 elements, three matrices, in shared memory and registers; the last 8 elements are zeros
//
// coopmat_config.cpp chooses and checks the config.

#include <optional>
#include <string>
#include <vector>

#include "vkmoye/base/round_up.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/matrix_units/atom.hpp"
#include "vkmoye/gen/kernels/matrix_units/fragment_layout.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

struct AttentionCoopmatConfig : MatrixAtom {
  std::int64_t rows = 16;             // rows of q per subgroup
  std::int64_t keys = 64;             // keys per tile
  std::int64_t subgroups = 8;         // subgroups per workgroup
  std::int64_t shared_bytes = 49152;  // maximum shared memory
  bool prefetch = true;               // whether the next tile waits in registers
  bool scores_ahead = false;          // whether the next scores come before this softmax
  bool unroll = false;                // whether the compiler may unroll the loop over tiles
  OrderOrReason order_c, order_a;     // fragment orders of scores and sums, and of probabilities

  std::int64_t threads() const { return subgroups * subgroup_size; }
  std::int64_t tile_rows() const { return subgroups * rows; }
  /// The order of scores and of probabilities, if both are known and equal; these then become operands in registers.
  std::optional<Layout> common_order() const {
    return order_a.layout == order_c.layout ? order_a.layout : std::nullopt;
  }
  bool in_registers() const { return common_order().has_value(); }
};

/// The config for `device`: tile, subgroups and orders for the matrices that `options` select. Others are read later.
AttentionCoopmatConfig attention_coopmat_config(const AttentionForm& form, ScalarType type,
                                                const DeviceCaps& device,
                                                const Options& options = {});

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<AttentionCoopmatConfig>>& attention_coopmat_fields();

/// Elements of a row of q and k, or of v, in shared memory and in matrices: `width`, and zeros up to whole matrices.
inline std::int64_t width_in_matrices(const AttentionCoopmatConfig& config, std::int64_t width) {
  return round_up(width, config.atom_k);
}

/// Where probabilities go and when tiles are fetched: the second line of the text.
std::string why_text(const AttentionCoopmatConfig& config);

/// The matrices whose orders the kernel depends on: scores and sums, then probabilities.
std::vector<ProbedMatrix> probes(const AttentionCoopmatConfig& config, ScalarType type);

/// The shared tile of `count` rows of `width` elements: (width, count), with rows set apart so that neither the threads
/// that stage it nor those that load matrices from it have bank conflicts.
Layout padded_tile(const AttentionCoopmatConfig& config, ScalarType type, std::int64_t width,
                   std::int64_t count);

/// Every reason against `config`, except those of the orders.
std::vector<std::string> reasons_against(const AttentionCoopmatConfig& config,
                                         const AttentionForm& form, ScalarType type);
/// Why `device` cannot multiply the matrices of `config`, or hold them, or why their orders, if they are known, cannot
/// be used. Precondition: `reasons_against` is empty.
std::vector<std::string> reasons_against_units(const AttentionCoopmatConfig& config,
                                               const AttentionForm& form, ScalarType type,
                                               const DeviceCaps& device);
/// Why the orders of `config` cannot be used. Precondition: `reasons_against` is empty.
std::vector<std::string> reasons_against_orders(const AttentionCoopmatConfig& config);

/// Throws KernelError with every reason.
ir::Kernel attention_coopmat(const AttentionCoopmatConfig& config, const AttentionForm& form,
                             ScalarType type, const std::string& name = "attention/coopmat");

}  // namespace vkmoye::gen
