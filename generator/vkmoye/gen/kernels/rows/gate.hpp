// SPDX-License-Identifier: MIT
#pragma once
// dst(r, c) = f(src(r, c)) * gated(r, c): the middle of a feed-forward layer, SwiGLU or GEGLU.
//
// f is silu or gelu of common/activations.hpp. Shazeer, GLU Variants Improve Transformer, 2020.

#include <cstdint>
#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"

namespace vkmoye::gen {

enum class GateFunction : std::uint8_t { silu, gelu };

struct GateConfig : ThreadsConfig {
  GateFunction function = GateFunction::silu;
};

/// The config for elements of `type` on `device`.
GateConfig gate_config(ScalarType type, const DeviceCaps& device);

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<GateConfig>>& gate_fields();

/// src, gated and dst (cols, rows), of a floating type computed in f32. Throws KernelError with every reason.
ir::Kernel gate(const GateConfig& config, const std::string& name = "gate/rows");

}  // namespace vkmoye::gen
