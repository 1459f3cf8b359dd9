// SPDX-License-Identifier: MIT
#pragma once
// What becomes of a product on its way to C: steps in order, on the accumulator, before it is rounded.
//
//   v = alpha * A * B^T + beta * C      in factor_type(form): the accumulator's type, 32 bits or more
//   v = step(v)                         each step in turn, in that type
//   C = v                               rounded once, to C's type
//
//   step       v becomes                                            reads
//   bias       v + bias[n]                                          bias, N elements
//   bias_m     v + bias_m[m]                                        bias_m, M elements
//   relu       v where 0 < v, else 0; NaN stays NaN
//   gelu       0.5 * v * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 * v^3)))
//   silu       v / (1 + exp(-v))
//   residual   v + residual[m,n]                                    residual, placed as C is
//   scale      v * scale                                            an argument
//
// What is read has C's type, and is the same for all products of a batch unless it has C's shape. Where
// alpha or K is 0, nothing is summed up, and the steps are taken all the same. gelu and silu tend to 0
// where v goes to -infinity, and are 0 there. Integers wrap. A kernel's name for n is that of C's
// contiguous index.
//
// A step of one's own is a function of an element and its coordinates:
//
//   GemmForm form;
//   form.epilogue = {*find_gemm_step("bias"), {.name = "causal", .function = below_diagonal}};
//   Expr below_diagonal(Builder&, const GemmElement& e) {
//     return select(ir::less(e.m, e.n), ir::number(ScalarType::f32, -1e9), e.value);
//   }

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen {

class Builder;
struct GemmForm;

/// A further buffer, of elements of C's type.
struct GemmInput {
  enum class Along : std::uint8_t { n, m, both };  // both: with C's leading dimension and strides
  std::string name;
  Along along = Along::n;
};

/// An element of C that is not rounded yet, and where it is.
struct GemmElement {
  ir::Expr value;                   // of factor_type(form), as all elements here
  ir::Expr m, n, batch;             // indices; the values of those outside C are not kept
  std::vector<ir::Expr> inputs;     // of the step's inputs at these coordinates
  std::vector<ir::Expr> arguments;  // of the step's arguments
};

struct GemmStep {
  std::string name;  // part of names in the text: letters, digits, _
  std::vector<GemmInput> inputs = {};
  std::vector<std::string> arguments = {};  // numbers that the launch provides
  std::vector<ScalarType> types = {};       // that it can compute in; none: any
  /// What the value becomes. May give names to what it computes more than once: Builder::let.
  std::function<ir::Expr(Builder&, const GemmElement&)> function = {};
};

using GemmEpilogue = std::vector<GemmStep>;

/// Those of the table above.
std::span<const GemmStep> gemm_steps();
/// Nothing: there is none of that name.
const GemmStep* find_gemm_step(const std::string& name);

/// "bias,relu".
std::string epilogue_text(const GemmEpilogue& epilogue);

/// Every reason why a product of `form` cannot have its epilogue. Empty: fine.
std::vector<std::string> reasons_against_epilogue(const GemmForm& form);

}  // namespace vkmoye::gen
