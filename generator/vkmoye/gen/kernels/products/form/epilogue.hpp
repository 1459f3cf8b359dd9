// SPDX-License-Identifier: MIT
#pragma once
// The epilogue of a product: steps applied in order to the accumulator before it is rounded to C.
//
//   v = alpha * A * B^T + beta * C      in factor_type(form)
//   v = step(v)                         each step in turn, in that type
//   C = v                               rounded once, to C's type
//
//   step       v becomes                                            reads
//   bias       v + bias[n]                                          bias, N elements
//   bias_m     v + bias_m[m]                                        bias_m, M elements
//   relu       v if 0 < v, else 0; NaN stays NaN
//   gelu       0.5 * v * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 * v^3)))
//   silu       v / (1 + exp(-v))
//   residual   v + residual[m,n]                                    residual, with the strides of C
//   residual_c v + C[m,n] as it was                                 C, which is then read and written
//   scale      v * scale                                            an argument
//   scale_m    v * scale_m[m]                                       scale_m, M elements of f32
//   scale_n    v * scale_n[n]                                       scale_n, N elements of f32
//
// The buffers of inputs must not overlap C. residual_c is the residual in place: each element of C is read by the
// thread that writes it.
//
// scale_m and scale_n are for operands that were quantised row by row: i8*i8 with sums in i32 and C of f16, as LLM.int8
// and SmoothQuant compute it. All other inputs have C's type. Inputs are the same for all products of a batch unless
// they have C's shape. The steps are applied even if alpha or K is 0 and nothing is summed. gelu and silu of
// -infinity are 0, their limit. Integers wrap. In a kernel, n is the contiguous index of C.
//
// The last step may store what it computes in a second array instead, a further result for the next kernel:
//
//   C = v;  output = step(C)
//
// A user-defined step is a function of an element and its coordinates:
//
//   GemmForm form;
//   form.epilogue = {*find_epilogue_op("bias"), {.name = "causal", .function = below_diagonal}};
//   Expr below_diagonal(Builder&, const GemmElement& e) {
//     return select(less(e.m, e.n), ir::number(ScalarType::f32, -1e9), e.value);
//   }

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen {

class Builder;
struct GemmForm;

/// An additional buffer.
struct GemmInput {
  /// The index of C by which the buffer is read.
  enum class Along : std::uint8_t { n, m, both };  // both: with C's leading dimension and strides
  std::string name;
  Along along = Along::n;
  std::optional<ScalarType> type = {};  // the type of its elements; none: that of C
};

/// An element of C before it is rounded, and its coordinates.
struct GemmElement {
  ir::Expr value;        // its type is factor_type(form), like that of all elements here
  ir::Expr m, n, batch;  // indices; elements outside C are computed but not stored
  /// The elements of the step's inputs at these coordinates, then the element of C if C is read.
  std::vector<ir::Expr> inputs;
  std::vector<ir::Expr> arguments;  // the values of the step's arguments
};

/// A step of an epilogue: its inputs and arguments, and the function that it applies.
struct EpilogueOp {
  std::string name;  // part of names in the text: letters, digits, _
  std::vector<GemmInput> inputs = {};
  std::vector<std::string> arguments = {};  // scalars that the launch passes
  std::vector<ScalarType> types = {};       // the types in which it can be computed; empty: any
  /// The new value. May name values that it uses more than once with Builder::let.
  std::function<ir::Expr(Builder&, const GemmElement&)> function = {};
  bool reads_c = false;  // whether the step reads the old element of C
  /// The name of a further result with C's shape and strides. The step computes its elements from those of C, after all
  /// other steps and rounding; C stays as it is. Only for the last step.
  std::string output = {};
  std::optional<ScalarType> output_type = {};  // of its elements; none: that of C
};

/// The steps, in the order in which they are applied.
using GemmEpilogue = std::vector<EpilogueOp>;

/// The steps of the table above.
std::span<const EpilogueOp> epilogue_ops();
/// The step called `name`; null if there is none.
const EpilogueOp* find_epilogue_op(const std::string& name);

/// Whether a step reads C.
bool reads_c(const GemmEpilogue& epilogue);

/// The step that has an output of its own; null if there is none.
const EpilogueOp* step_with_output(const GemmEpilogue& epilogue);

/// "bias,relu".
std::string epilogue_text(const GemmEpilogue& epilogue);

/// Every reason against the epilogue of `form`; empty if it is valid.
std::vector<std::string> reasons_against_epilogue(const GemmForm& form);

}  // namespace vkmoye::gen
