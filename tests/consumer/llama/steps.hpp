// SPDX-License-Identifier: MIT
#pragma once
// What the device does for a number of tokens, as a list: which kernel on which arrays. It is made before the device
// is created, because the device needs the features of these kernels.
//
//   embedding    table, tokens -> x
//   norm         x -> h
//   product      h, blk.0.attn_q.weight .. -> q k v     one compiled plan for all layers
//   ..
//
// Launches that wait for one another are most of the time of the small kernels of a token. So its norms are no kernels:
// norm(x) = x * weight / rms(x), and a product is linear. The product that adds to x also writes h = x * weight * scale
// (norms.hpp), the next one reads that, and the kernel after it, each workgroup of which computes rms(x), divides the
// product's sums by scale * rms(x). The residual x is f32, as are all sums.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <vkmoye/vkmoye.hpp>

#include "model.hpp"
#include "plans.hpp"
#include "state.hpp"

namespace llama {

struct Step {
  std::string label;                   // for the table of times
  std::optional<std::uint32_t> layer;  // none: before or after all of them
  std::size_t plan;
  std::vector<Part> arrays;
};

/// Appends `count` tokens at `positions` to the caches, and computes `logits` of the last one, `next`, the number of
/// the largest or of the first that is NaN, and that one, `logit`.
std::vector<Step> steps_of(const Model& model, const StepOptions& options, Plans& plans);

}  // namespace llama
