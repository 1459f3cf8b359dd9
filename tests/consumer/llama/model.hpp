// SPDX-License-Identifier: MIT
#pragma once
// A Llama model as a GGUF file has it: its sizes from the metadata, its weights by the names of their tensors.
//
//   x = embedding[token]
//   each layer   h = norm(x);  q, k, v = rows of heads of h;  q and k are rotated by the position
//                x += o * attention(q, all k, all v so far)
//                h = norm(x);  x += down * (silu(gate * h) * (up * h))
//   logits = output * norm(x)
//
// A weight of extents (k, n) multiplies rows of k elements to rows of n. The rows of q and k are in the order of
// llama.cpp's conversion: a rotation takes the neighbours 2 i and 2 i + 1 of a head.

#include <cstdint>
#include <vector>

#include "gguf.hpp"

namespace llama {

struct Sizes {
  std::uint32_t layers, width, heads, kv_heads, head, hidden, vocabulary;
  std::uint32_t context;  // tokens for which the model was trained
  double epsilon;         // of the norms
  double scale;           // of the scores of attention

  std::uint32_t q() const { return heads * head; }
  std::uint32_t kv() const { return kv_heads * head; }
};

struct Layer {
  const FileTensor *attention_norm, *q, *k, *v, *o, *mlp_norm, *gate, *up, *down;
};

struct Model {
  Sizes sizes;
  const FileTensor *embedding, *output_norm, *output;
  std::vector<Layer> layers;
  /// Radians for each position, of each pair of neighbours in a head; 0 for those that are not rotated.
  std::vector<float> frequencies;
};

/// Throws std::runtime_error, with all reasons, for a model that this program would compute wrongly: of another
/// architecture, with keys that change the result (keys.hpp), or else with a tensor that is missing, of other extents,
/// or not used. `gguf` must outlive the model.
Model model_of(const Gguf& gguf);

}  // namespace llama
