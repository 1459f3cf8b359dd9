// SPDX-License-Identifier: MIT
#pragma once
// A small Llama model with random weights, as a GGUF file: what the test runs where there is no real one.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gguf.hpp"

namespace llama {

struct RandomModel {
  std::string type = "f16";    // of matrices; the norms are f32
  std::string type_of_v = "";  // of the matrices of v, if it is another one
  std::uint32_t layers = 2, width = 256, heads = 8, kv_heads = 4, head = 32, hidden = 384;
  std::uint32_t vocabulary = 331, context = 128;
  bool has_output = true;         // else logits are products with the embedding
  bool has_rope_factors = false;  // as in Llama 3.1
  std::uint32_t rotated = 0;      // elements of a head; 0: all
  double residual_gain = 1;       // of what layers add to rows
  double hidden_gain = 1;         // of gate and up
  std::vector<std::pair<std::string, Value>> keys = {};  // further ones
  std::uint32_t seed = 1;
};

/// Weights are normal with variance 1 / k, so that activations keep their size from layer to layer.
std::vector<std::byte> random_model(const RandomModel& model);

}  // namespace llama
