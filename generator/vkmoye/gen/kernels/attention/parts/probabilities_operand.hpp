// SPDX-License-Identifier: MIT
#pragma once
// The probabilities of a tile of keys, which are results of matrix units, as the operand of the product with v.
//
//   results and operands have the same order     each register is converted where it is
//   otherwise                                    through shared memory, in rows that each subgroup has for itself

#include <optional>

#include "vkmoye/gen/dsl/matrix_values.hpp"

namespace vkmoye::gen {

class ProbabilitiesOperand {
 public:
  /// Declares the matrices `probabilities` of `type`. `order`: the order of results and operands, if it is the same;
  /// without it, also declares shared_p, (keys, rows of all subgroups), with the layout `shared`. `builder` must
  /// outlive this object.
  ProbabilitiesOperand(Builder& builder, const Matrices& scores, ScalarType type,
                       const std::optional<Layout>& order, const Layout& shared);

  /// The operand <- `probabilities`, which replaced the scores. Without an order, all threads of the
  /// workgroup must reach it: a barrier follows the stores. Another barrier must precede the next call.
  void set(const MatrixValues& probabilities);

  const Matrices& matrices() const { return matrices_; }

 private:
  Builder& builder_;
  Matrices matrices_;
  std::optional<Layout> order_;
  View shared_;
};

}  // namespace vkmoye::gen
