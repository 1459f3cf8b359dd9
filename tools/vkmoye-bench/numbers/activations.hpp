// SPDX-License-Identifier: MIT
#pragma once
// Activation functions in f64. Computed in f32 as kernels do, the error of each is at most 6 units of the argument.

#include <cmath>

namespace vkmoye::bench {

/// x / (1 + exp(-t)); its limit where x is -infinity.
inline double gated(double x, double t) {
  return std::isinf(x) && x < 0 ? 0 : x / (1 + std::exp(-t));
}
inline double silu(double v) { return gated(v, v); }
inline double gelu(double v) {
  const double twice_root = 2 * std::sqrt(2 / std::acos(-1.0));
  return gated(v, twice_root * (v + 0.044715 * v * v * v));
}

}  // namespace vkmoye::bench
