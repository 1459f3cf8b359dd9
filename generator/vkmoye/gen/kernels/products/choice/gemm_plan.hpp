// SPDX-License-Identifier: MIT
#pragma once
// The plan of a matrix product: all kernels that it takes.
//
//   one kernel                 multiply
//   k in slices                multiply -> sums of slices, combine -> C
//   gemm/packed                pack A, pack B, multiply
//   gemm/packed, B packed      pack A, multiply               B was packed with pack_plan: weights
//
//   KernelPlan plan = gemm_plan({.alpha = 2}, {512, 512, 16384}, device.caps());
//   CompiledPlan code = compile(plan, device.caps());           // runtime/plan_recorder.hpp records it
//
// The caller's arrays are A, B, the inputs of the epilogue in order, C, and the output of its last step if it has one.
// Each must start at the offset of its placement: a plan does not apply offsets. C is read if beta is not 0.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel_plan.hpp"
#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"
#include "vkmoye/gen/kernels/products/gemm_call.hpp"
#include "vkmoye/gen/kernels/products/packing/packed_form.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

/// A or B of `gemm/packed`, and the blocks into which the operand is packed.
struct OperandBlocks {
  PackedForm form;
  GemmArray plain;        // the array before it is packed
  std::int64_t rows, k;   // the extents of the operand
  std::int64_t matrices;  // the matrices of a batch; 1 if the whole batch shares one
  const WeightFormat* weights = nullptr;  // the format of `plain`

  std::int64_t blocks() const;    // the blocks along the rows of one matrix
  std::int64_t k_blocks() const;  // the blocks along its k
  std::uint64_t bytes() const;
};

/// The blocks of A and B for `entry`: gemm/packed or gemm/packed_weights, which takes no A. Throws ArgumentError as
/// matrices_of, KernelError for options that cannot be read.
std::array<OperandBlocks, 2> operand_blocks(const KernelEntry& entry, const KernelRequest& request,
                                            const GemmCall& call,
                                            const std::vector<std::int64_t>& size);

/// Options of a plan that are not part of the call.
struct GemmPlanOptions {
  std::array<bool, 2> comes_packed = {false, false};  // A, B: already packed with pack_plan
  std::array<bool, 2> packs_first = {false, false};   // A, B: packed before the other
  /// Whether the plan has the packing steps, which need the fragment orders of the device.
  bool packs = true;
};

/// The kernel request for the call.
KernelRequest request_of(const GemmCall& call, const std::vector<std::int64_t>& size,
                         const DeviceCaps& device = common_device(), Options options = {});

/// The multiplication alone: its kernel and arguments, without arrays.
KernelStep gemm_step(const KernelEntry& entry, const KernelRequest& request, const GemmCall& call,
                     const std::vector<std::int64_t>& size);

/// The whole plan. `request`: from request_of. Throws ArgumentError as matrices_of, KernelError with every
/// reason; for a packed operand, also if its fragment order on the device is not a layout or has not been
/// probed (matrix_units/probe.hpp).
KernelPlan gemm_plan(const KernelEntry& entry, const KernelRequest& request, const GemmCall& call,
                     const std::vector<std::int64_t>& size, const GemmPlanOptions& options = {});

/// A choice, and the plan with its kernel.
struct ChosenPlan {
  GemmChoice choice;
  KernelPlan plan;
};
/// The first choice, see choose_gemm, whose plan (`plan_of`) `refuse` accepts or, without `refuse`, the device can run.
/// If all are rejected, running the plan reports what the device lacks. Throws KernelError with every reason.
ChosenPlan choose_plan(const GemmProduct& product, const DeviceCaps& device,
                       const std::vector<GemmTable>& tables,
                       const std::function<KernelPlan(const GemmChoice&)>& plan_of,
                       const std::function<std::vector<std::string>(const KernelPlan&)>& refuse);

/// The plan of the first suitable kernel for the device, types and size; see choose_gemm. Kernels that need
/// packed operands are considered only if the fragment orders of the device are known.
KernelPlan gemm_plan(const GemmCall& call, const std::vector<std::int64_t>& size,
                     const DeviceCaps& device, const std::vector<GemmTable>& tables = {});

/// The plan that packs A (`which` 0) or B (1) for gemm_plan of the same N and K: from array 0 into array 1. Without an
/// entry, for gemm/packed_weights if the call has a weight format, else for gemm/packed.
KernelPlan pack_plan(const KernelEntry& entry, const KernelRequest& request, const GemmCall& call,
                     const std::vector<std::int64_t>& size, std::size_t which);
KernelPlan pack_plan(const KernelRequest& request, const GemmCall& call,
                     const std::vector<std::int64_t>& size, std::size_t which);

}  // namespace vkmoye::gen
