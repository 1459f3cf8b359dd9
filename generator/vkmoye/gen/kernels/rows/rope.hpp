// SPDX-License-Identifier: MIT
#pragma once
// Rotary position embedding: each pair (a, b) of a row is rotated by an angle that grows with the position of the row.
//
//   neighbours   elements 2 i and 2 i + 1          as in GGUF files of Llama models
//   halves       elements i and i + pairs          as in Hugging Face's models
//
//   angle = positions(token) * frequencies(i)
//   (a, b) <- (a cos(angle) - b sin(angle), a sin(angle) + b cos(angle))
//
// The frequencies are an array, so that scaled frequencies need no kernel of their own; 10000^(-i / pairs) are usual.
// Pairs of frequency 0 stay as they are. The angle is the exact product, for positions and angles up to 2^24, reduced
// to -pi .. pi, where Vulkan bounds the errors of sine and cosine (dsl/angle.hpp); positions beyond are rounded to f32.
//
// Interface: bindings src (2 * pairs, heads, tokens), positions (tokens) of i32, frequencies (pairs) of f32, dst like
// src; arguments pairs, heads, tokens. All heads of a token share its position.
// Source: Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

/// Which elements of a row are a pair; see above.
enum class RopePairs : std::uint8_t { neighbours, halves };

/// The config of rope/rows.
struct RopeConfig {
  ScalarType type = ScalarType::f32;
  RopePairs pairs = RopePairs::neighbours;
  std::int64_t threads = 128;  // of a workgroup
  std::int64_t columns =
      16;  // threads side by side along the pairs of a row; the others have other heads
  std::int64_t rounds = 4;  // heads of a thread, which share a sine and a cosine
};

/// The config values that `--NAME` can replace.
const std::vector<ConfigField<RopeConfig>>& rope_fields();

/// Every reason against `config`; empty if it is valid.
std::vector<std::string> reasons_against(const RopeConfig& config);

/// Rotates elements of f32, and of f16, bf16, e4m3 and e5m2, which are computed in f32. Throws KernelError with every
/// reason.
ir::Kernel rope(const RopeConfig& config, const std::string& name = "rope/rows");

}  // namespace vkmoye::gen
