// SPDX-License-Identifier: MIT
#pragma once
// A Llama model as a GGUF file has it: its sizes from the metadata, its weights by the names of their tensors.
//
//   x = embedding[token]
//   each layer   h = norm(x);  q, k, v = rows of heads of h, plus their biases (qwen2)
//                each head of q and of k becomes norm(head) (qwen3);  both are rotated by the position
//                x += o * attention(q, all k, all v so far)
//                h = norm(x);  x += down * (silu(gate * h) * (up * h))
//   logits = output * norm(x)
//
// A weight of extents (k, n) multiplies rows of k elements to rows of n. Which rows of q and k rotate together depends
// on the architecture, by its name in the file (Pairs).

#include <cstdint>
#include <vector>

#include "gguf.hpp"

namespace llama {

/// The two elements of a head that are rotated together, of the first r elements: the others are not rotated.
enum class Pairs {
  neighbours,  // 2 i and 2 i + 1: llama, as conversions order the rows; mistral
  halves,      // i and i + r / 2: qwen2, qwen3
};

struct Sizes {
  std::uint32_t layers, width, heads, kv_heads, head, hidden, vocabulary;
  std::uint32_t context;  // tokens for which the model was trained
  std::uint32_t window;   // a token sees so many of the last ones, with itself; 0: all
  std::uint32_t rotated;  // elements of a head
  Pairs pairs;
  double epsilon;  // of the norms
  double scale;    // of the scores of attention

  std::uint32_t q() const { return heads * head; }
  std::uint32_t kv() const { return kv_heads * head; }
};

struct Layer {
  const FileTensor *attention_norm, *q, *k, *v, *o, *mlp_norm, *gate, *up, *down;
  /// Null in models without: biases of all elements, and norms of a head.
  const FileTensor *q_bias = nullptr, *k_bias = nullptr, *v_bias = nullptr;
  const FileTensor *q_norm = nullptr, *k_norm = nullptr;
};

struct Model {
  Sizes sizes;
  const FileTensor *embedding, *output_norm, *output;
  std::vector<Layer> layers;
  /// Radians for each position, of each pair of a head; 0 for those that are not rotated.
  std::vector<float> frequencies;
};

/// Throws std::runtime_error, with all reasons, for a model that this program would compute wrongly: of another
/// architecture, with keys that change the result (keys.hpp), or else with a tensor that is missing, of other extents,
/// or not used. `gguf` must outlive the model.
Model model_of(const Gguf& gguf);

}  // namespace llama
