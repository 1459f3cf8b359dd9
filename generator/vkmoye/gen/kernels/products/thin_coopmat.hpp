// SPDX-License-Identifier: MIT
#pragma once
// Products with few rows or columns in matrix units, at the speed of reading the larger operand.
//
//   C (16,4096): a workgroup has 16x16 of C, its 16 subgroups have parts of k
//     a subgroup      64 of 1024 k: its sums are one matrix
//     a lane          16 bytes of 2 rows of A, of 2 rows of B, of 2 blocks of k each, in flight
//     at the end      the sums of all subgroups go through shared memory and are added up
//
// A and B are read from where they lie, 16 bytes a lane, and k is permuted alike in both, see
// products/fragments/lanes.hpp. Where k is not contiguous or rows begin elsewhere, elements are read one by one:
// right, but slower.
//
// Interface: that of gemm.hpp. A device must have a fragment order that is a layout, see packed_form.hpp.

#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"
#include "vkmoye/gen/kernels/products/fragments/lanes.hpp"
#include "vkmoye/gen/kernels/products/fragments/packed_form.hpp"
#include "vkmoye/gen/kernels/products/parts/atom.hpp"

namespace vkmoye::gen {

struct GemmThinCoopmatConfig : GemmAtom {
  std::int64_t tile_m = 16, tile_n = 16;  // of C for a workgroup
  std::int64_t subgroups = 16;            // of a workgroup, along k
  std::int64_t reads = 2;                 // blocks of k that a lane reads at once
  OrderOrReason order_a, order_b;         // of a matrix of A, of B: (row, k)

  std::int64_t threads() const { return subgroups * subgroup; }
  /// Elements of a lane, of a matrix with `rows` of A or of B.
  std::int64_t held(std::int64_t rows) const { return rows * atom_k / subgroup; }
};

/// The config for products of `form` on `device`: its matrices, their orders as far as they are known.
GemmThinCoopmatConfig gemm_thin_matrix_config(const GemmForm& form, const DeviceCaps& device);

/// What of the config `--NAME` can replace.
const std::vector<ConfigField<GemmThinCoopmatConfig>>& gemm_thin_coopmat_fields();

/// The matrices whose orders the kernel is made of, A and B.
std::vector<ProbedMatrix> probes(const GemmThinCoopmatConfig& config, const GemmForm& form);

/// The order of a matrix of A, or of B, taken apart, or why it does not serve. Precondition: sizes are those
/// of matrices, see reasons_against.
LanesOrReason lanes_of(const GemmThinCoopmatConfig& config, const GemmForm& form, bool is_a);

/// Every reason why no kernel can be made of `config` for `form`, but for those of the orders.
std::vector<std::string> reasons_against(const GemmThinCoopmatConfig& config, const GemmForm& form);

/// Why these orders do not serve. Precondition: there are no reasons_against.
std::vector<std::string> reasons_against_orders(const GemmThinCoopmatConfig& config,
                                                const GemmForm& form);

/// Throws KernelError with every reason.
ir::Kernel gemm_thin_coopmat(const GemmThinCoopmatConfig& config, const GemmForm& form,
                             const std::string& name = "gemm/thin_coopmat");

}  // namespace vkmoye::gen
