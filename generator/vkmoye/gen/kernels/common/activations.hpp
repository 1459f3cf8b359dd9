// SPDX-License-Identifier: MIT
#pragma once
// Activation functions of one floating-point element.
//
//   silu   v / (1 + exp(-v))
//   gelu   0.5 * v * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 * v^3)))
//
// Both give 0, their limit, for -infinity, and NaN for NaN. Hendrycks and Gimpel, Gaussian Error Linear Units, 2016.

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

Expr silu(Builder& k, const Expr& v);
Expr gelu(Builder& k, const Expr& v);

}  // namespace vkmoye::gen
