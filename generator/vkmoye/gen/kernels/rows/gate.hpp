// SPDX-License-Identifier: MIT
#pragma once
// dst(r, c) = f(src(r, c)) * gated(r, c): the middle of a feed-forward layer, SwiGLU or GEGLU.
//
// The arrays are treated as flat, as by copy/auto, so that rows of any length are accessed in full width.
//
// f is silu or gelu of common/activations.hpp. Shazeer, GLU Variants Improve Transformer, 2020.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

/// The function f above.
enum class GateFunction : std::uint8_t { silu, gelu };

/// The config of gate/rows.
struct GateConfig {
  ScalarType type = ScalarType::f32;
  std::int64_t threads = 256;      // threads per workgroup
  std::int64_t rounds = 1;         // accesses of a thread to each array, all in flight at once
  std::int64_t vector_bytes = 16;  // bytes of an access
  GateFunction function = GateFunction::silu;
};

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<GateConfig>>& gate_fields();

/// src, gated and dst (cols, rows), of a floating type computed in f32; cols * rows is at most 2^32-1.
/// Throws KernelError with every reason.
ir::Kernel gate(const GateConfig& config, const std::string& name = "gate/rows");

}  // namespace vkmoye::gen
