// SPDX-License-Identifier: MIT
#pragma once
// Chooses the kernel of attention for a device: attention/auto.
//
//   attention/decode    up to 8 rows share a head of K and V, and there are 256 keys or more: reading K and V bounds
//                       the speed, and one workgroup for each head would leave most of the device idle. A matrix unit
//                       would compute 16 rows, so it cannot help
//   attention/coopmat   q of f16 and bf16, where the device multiplies square matrices of the type in f32, and its
//                       fragment orders are layouts: products bound the speed. Keys and values in blocks are rounded
//                       to the type of q; elements of another type, too, unless they may be outside its range
//   attention/simt      the rest
//
//   KernelPlan plan = attention_plan({.queries = 512, .keys = 512, .heads = 32, .kv_heads = 8}, f16, device.caps());

#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel_plan.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

/// The chosen kernel, and why.
struct AttentionChoice {
  const KernelEntry* entry = nullptr;
  std::string why;
  std::vector<std::string> passed = {};  // the kernels before it, and why each was not chosen
};

/// Returns further reasons why a kernel cannot be used; empty if it can. It may throw KernelError instead.
using AttentionRefusal = std::function<std::vector<std::string>(const KernelEntry& entry)>;

/// The first kernel that neither the rules above nor `refuse` reject. Throws KernelError with every reason.
AttentionChoice choose_attention(const KernelRequest& request, const AttentionRefusal& refuse = {});

/// All kernels of `entry` for `request`, over the arrays of form.hpp, arrays_of(). Throws KernelError with every
/// reason.
KernelPlan attention_plan(const KernelEntry& entry, const KernelRequest& request);

/// All kernels of the chosen entry. Kernels on matrix units are considered only if the fragment orders of the device
/// are known (matrix_units/probe.hpp).
KernelPlan attention_plan(const AttentionCall& call, ScalarType type, const DeviceCaps& device);

/// The error for options given to attention/auto.
std::string no_options_of_a_choice(const Options& options);

/// The request for a kernel of `call`.
KernelRequest request_of(const AttentionCall& call, ScalarType type,
                         const DeviceCaps& device = common_device(), Options options = {});

}  // namespace vkmoye::gen
