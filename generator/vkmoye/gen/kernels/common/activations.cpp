// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/activations.hpp"

#include <string>

namespace vkmoye::gen {
namespace {

// x / (1 + exp(-t)) for a t that has the sign of x. exp and the division stay in the range where the Vulkan
// specification bounds their error: exp(87) is below 2^126. Beyond, the result, less than |x| * 2e-38, is set to 0,
// also for x = -infinity; above 87 the divisor is 1.
Expr gated(Builder& k, const std::string& function, const Expr& x, const Expr& t) {
  const auto number = [&](double value) { return ir::number(x->type.element, value); };
  const Expr gate = k.let(function + "_gate", t);
  constexpr double kLimit = 87;
  const Expr limited = minimum(maximum(gate, number(-kLimit)), number(kLimit));
  // Written in this way so that a NaN is propagated to the division.
  const Expr counts = ir::logical_or(less(number(-kLimit), gate), ir::is_nan(x));
  return select(counts, x / (1 + exp(-limited)), number(0));
}

}  // namespace

Expr silu(Builder& k, const Expr& v) { return gated(k, "silu", v, v); }

// 1 + tanh(u) = 2 / (1 + exp(-2 u)): avoids the cancellation of 1 and -1, and implementations of tanh that
// overflow.
Expr gelu(Builder& k, const Expr& v) {
  const auto number = [&](double value) { return ir::number(v->type.element, value); };
  constexpr double kTwiceRoot = 1.5957691216057308;  // 2 sqrt(2 / pi)
  const Expr t = v * multiply_add(v * v, number(kTwiceRoot * 0.044715), number(kTwiceRoot));
  return gated(k, "gelu", v, t);
}

}  // namespace vkmoye::gen
