// SPDX-License-Identifier: MIT
#pragma once
// The kernels of all families as functions of typed configs. The defaults of a config suit any device; the functions
// NAME_config(type, device) return a config for one device.
//
//   using enum ScalarType;
//   softmax({.type = f16})                      rope({.type = f16, .pairs = RopePairs::halves})
//   rms_norm({{.type = f16}, 1e-6})             reduce({{.type = i8}, /*axis=*/0}, kSum)
//   copy_auto({.type = f32, .result = f16})     transpose({.pad = 1})
//   gemm({.a_type = f16, .b_type = f16, .result = f16})
//   attention({.form = {.width = 128, .causal = true}, .queries = 512, .keys = 512}, f16, device.caps())
//
// Outer braces contain what a config adds to ThreadsConfig, which has braces of its own. Tools that read names
// and options as text use kernel_named, see registry/registry.hpp.

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/attention/choice/choose.hpp"
#include "vkmoye/gen/kernels/moves/copy_auto.hpp"
#include "vkmoye/gen/kernels/moves/ladder.hpp"
#include "vkmoye/gen/kernels/moves/relayout/relayout.hpp"
#include "vkmoye/gen/kernels/moves/transpose/auto.hpp"
#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"
#include "vkmoye/gen/kernels/rows/argmax.hpp"
#include "vkmoye/gen/kernels/rows/embed.hpp"
#include "vkmoye/gen/kernels/rows/gate.hpp"
#include "vkmoye/gen/kernels/rows/layer_norm.hpp"
#include "vkmoye/gen/kernels/rows/reduce.hpp"
#include "vkmoye/gen/kernels/rows/rms_norm.hpp"
#include "vkmoye/gen/kernels/rows/rope.hpp"
#include "vkmoye/gen/kernels/rows/softmax.hpp"
#include "vkmoye/gen/kernels/rows/top_k.hpp"

namespace vkmoye::gen {

/// The kernel that gemm/auto chooses for a product of any size, among those that need only one. Throws KernelError.
/// gemm_plan.hpp chooses among all.
inline ir::Kernel gemm(const GemmForm& form, const DeviceCaps& device = common_device()) {
  return gemm_auto(form, device);
}
/// The kernel that gemm/auto chooses for a product of known sizes, among those that need only one. Throws KernelError.
inline ir::Kernel gemm(const GemmProduct& product, const DeviceCaps& device) {
  return gemm_auto(product, device);
}

/// The kernel that attention/auto chooses, without slices of keys. Throws KernelError. See also attention_plan.
inline ir::Kernel attention(const AttentionCall& call, ScalarType type,
                            const DeviceCaps& device = common_device()) {
  const KernelRequest request = request_of(call, type, device);
  return choose_attention(request).entry->describe(request);
}

}  // namespace vkmoye::gen
