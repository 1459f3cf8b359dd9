// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/probabilities_operand.hpp"

namespace vkmoye::gen {

ProbabilitiesOperand::ProbabilitiesOperand(Builder& builder, const Matrices& scores,
                                           ScalarType type, const std::optional<Layout>& order,
                                           const Layout& shared)
    : builder_(builder), order_(order) {
  const ir::MatrixType& of = scores.type;
  matrices_ = builder.matrices("probabilities", type, {ir::MatrixType::Use::a, of.rows, of.columns},
                               scores.rows, scores.columns);
  if (!order) shared_ = builder.shared("shared_p", type, shared);
}

void ProbabilitiesOperand::set(const MatrixValues& probabilities) {
  if (order_) {
    return convert_matrices(builder_, probabilities, matrix_values(builder_, matrices_, *order_));
  }
  const ir::MatrixType& of = matrices_.type;
  const View own =
      transpose(tile(shared_, {matrices_.columns * of.columns, matrices_.rows * of.rows},
                     {0, builder_.subgroup()}));
  builder_.apply(
      probabilities.part(builder_, own), [](Expr x) { return x; }, probabilities.values);
  builder_.barrier();
  builder_.load(own, matrices_, 1);
}

}  // namespace vkmoye::gen
