// SPDX-License-Identifier: MIT
#pragma once
// Causal attention with grouped heads, by its definition in f64.

#include <limits>

#include "model.hpp"

namespace models {

/// The score of a key that a query does not see; and the first maximum, above it but not above any other score. The
/// weight of an unseen key, exp(score - maximum), is therefore 0 even before a key is seen.
inline constexpr double kHidden = -std::numeric_limits<double>::infinity(),
                        kLeast = std::numeric_limits<float>::lowest();

/// Elements of a head, and numbers of heads and tokens; heads / kv_heads of them share keys and values.
struct AttentionSize {
  std::size_t d, heads, kv_heads, tokens;
};

/// Queries (d, heads, tokens), keys and values (d, kv_heads, tokens), d contiguous. `rounding`: the error allowed, as a
/// part of what each key adds.
inline std::vector<Expected> attention_of(const Data& q, const Data& keys, const Data& values,
                                          const AttentionSize& size, double rounding) {
  const auto [d, heads, kv_heads, tokens] = size;
  std::vector<Expected> y(d * heads * tokens);
  for (std::size_t row = 0; row < heads * tokens; ++row) {
    const std::size_t head = row % heads / (heads / kv_heads), token = row / heads;
    std::vector<double> weights;
    double total = 0;
    for (std::size_t key = 0; key <= token; ++key) {
      double dot = 0;
      for (std::size_t i = 0; i < d; ++i)
        dot += q[row * d + i] * keys[(key * kv_heads + head) * d + i];
      total += weights.emplace_back(std::exp(dot / std::sqrt(d)));
    }
    for (std::size_t key = 0; key <= token; ++key) {
      for (std::size_t i = 0; i < d; ++i) {
        const double part = weights[key] / total * values[(key * kv_heads + head) * d + i];
        y[row * d + i].value += part;
        y[row * d + i].tolerance += std::fabs(part) * rounding;
      }
    }
  }
  return y;
}

}  // namespace models
