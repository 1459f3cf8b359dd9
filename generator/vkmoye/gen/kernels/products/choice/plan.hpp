// SPDX-License-Identifier: MIT
#pragma once
// A matrix product as all the kernels that it takes.
//
//   plain                      multiply
//   k in slices                multiply -> sums of slices, combine -> C
//   gemm/packed                pack A, pack B, multiply
//   gemm/packed, B packed      pack A, multiply               B comes from pack_plan: weights
//
//   KernelPlan plan = gemm_plan({.alpha = 2}, {512, 512, 16384}, device.caps());
//   CompiledPlan code = compile(plan, device.caps());           // runtime/plan_recorder.hpp records it
//
// The caller's arrays are A, B, what the epilogue reads in its order, C; each begins where its placement
// says that it does: a plan knows of no offset. C is read where beta is not 0.

#include <array>
#include <cstdint>
#include <vector>

#include "vkmoye/gen/kernels/products/call.hpp"
#include "vkmoye/gen/kernels/products/choice/choice.hpp"
#include "vkmoye/gen/kernels/products/fragments/packed_form.hpp"
#include "vkmoye/gen/kernels/registry/kernel_plan.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

/// A or B of `gemm/packed`, and the blocks that it is packed into.
struct OperandBlocks {
  PackedForm form;
  GemmArray plain;        // where its elements lie before
  std::int64_t rows, k;   // of it
  std::int64_t matrices;  // of a batch; 1: one for all of them

  std::int64_t blocks() const;  // along its rows, of one matrix
  std::int64_t k_blocks() const;
  std::uint64_t bytes() const;
};

/// Those of A and B. Throws ArgumentError as matrices_of, KernelError for options that cannot be read.
std::array<OperandBlocks, 2> operand_blocks(const KernelRequest& request, const GemmCall& call,
                                            const std::vector<std::int64_t>& size);

/// What of a plan is not said by the call.
struct GemmPlanOptions {
  std::array<bool, 2> comes_packed = {false, false};  // A, B: as pack_plan packs it
  std::array<bool, 2> packs_first = {false, false};   // its step comes before the other's
  bool packs = true;  // false: without the steps that pack, for which the device's order is needed
};

/// What is asked of a kernel for the call.
KernelRequest request_of(const GemmCall& call, const std::vector<std::int64_t>& size,
                         const DeviceCaps& device = common_device(), Options options = {});

/// The multiplication alone, without arrays: what it is and its arguments.
KernelStep gemm_step(const KernelEntry& entry, const KernelRequest& request, const GemmCall& call,
                     const std::vector<std::int64_t>& size);

/// The whole plan. `request`: as request_of makes it. Throws ArgumentError as matrices_of, KernelError with
/// every reason, as of a packed operand where lanes of the device hold it in no layout, or in one that
/// was not looked for (products/fragments/probe.hpp).
KernelPlan gemm_plan(const KernelEntry& entry, const KernelRequest& request, const GemmCall& call,
                     const std::vector<std::int64_t>& size, const GemmPlanOptions& options = {});

/// The plan of the first kernel that suits the device, types and size: see choose_gemm. Operands are packed
/// where the device's orders are known.
KernelPlan gemm_plan(const GemmCall& call, const std::vector<std::int64_t>& size,
                     const DeviceCaps& device, const std::vector<GemmTable>& tables = {});

/// A (`which` 0) or B (1) into the order in which gemm_plan takes it packed: from array 0 into array 1.
KernelPlan pack_plan(const KernelRequest& request, const GemmCall& call,
                     const std::vector<std::int64_t>& size, std::size_t which);

}  // namespace vkmoye::gen
