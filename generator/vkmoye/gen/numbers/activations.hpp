// SPDX-License-Identifier: MIT
#pragma once
// Activation functions in f64, and their errors as kernels compute them. With t = x of silu and
// t = 2 sqrt(2/pi) (x + 0.044715 x^3) of gelu, both are x s(t), s(t) = 1 / (1 + exp(-t)). The exponent is rounded 4
// times, and exp has an error of 3 + 2 |t| ulp (Vulkan specification, "Precision and Operation of SPIR-V
// Instructions"), so that the relative error of exp is (3 + 6 |t|) ulp, and that of s is 1 - s(t) times this; the sum
// adds 1 and the division 2.5. Where s is below the smallest normal number, or exp overflows, the result may be 0.
// In all, that is at most 6 ulp of x.

#include <algorithm>
#include <cmath>

namespace vkmoye::gen {

/// x / (1 + exp(-t)); its limit where x is -infinity.
inline double gated(double x, double t) {
  return std::isinf(x) && x < 0 ? 0 : x / (1 + std::exp(-t));
}
inline double silu(double v) { return gated(v, v); }
inline double exponent_of_gelu(double v) {
  const double twice_root = 2 * std::sqrt(2 / std::acos(-1.0));
  return twice_root * (v + 0.044715 * v * v * v);
}
inline double gelu(double v) { return gated(v, exponent_of_gelu(v)); }

/// The error of gated(x, t) in a type with the relative error `unit` and the smallest normal number `min_normal`.
inline double error_of_gated(double x, double t, double unit, double min_normal) {
  const double s = 1 / (1 + std::exp(-t)), rest = 1 / (1 + std::exp(t));
  const bool may_be_0 = s < 4 * min_normal;
  if (may_be_0) return std::fabs(gated(x, t));
  return std::fabs(x) * s * unit * (rest * (3 + 6 * std::min(std::fabs(t), 1000.0)) + 3.5);
}

}  // namespace vkmoye::gen
