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
  std::string type = "f16";  // of matrices; the norms are f32
  // Of v, of output, and of down in every second layer, as in files of type Q4_K_M, if it is another one.
  std::string larger_type = "";
  std::string architecture = "llama";
  std::uint32_t layers = 2, width = 256, heads = 8, kv_heads = 4, head = 32, hidden = 384;
  std::uint32_t vocabulary = 331, context = 128;
  bool has_output = true;         // else logits are products with the embedding
  bool has_rope_factors = false;  // as in Llama 3.1: up to 32
  double biases = 0;              // of q and k, of v 32 times less; 0: there are none
  bool has_zero_norms = false;    // every fifth weight of a norm is 0
  std::uint32_t rotated = 0;      // elements of a head; 0: all
  double residual_gain = 1;       // of what layers add to rows
  double hidden_gain = 1;         // of gate and up
  std::vector<std::pair<std::string, Value>> keys = {};  // further ones
  std::uint32_t seed = 1;
};

/// Weights are normal with variance 1 / k, so that activations keep their size from layer to layer.
std::vector<std::byte> random_model(const RandomModel& model);

}  // namespace llama
