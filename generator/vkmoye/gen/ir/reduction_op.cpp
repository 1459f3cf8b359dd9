// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/reduction_op.hpp"

#include <cmath>
#include <limits>

namespace vkmoye::gen::ir {
namespace {

constexpr ReductionOp kReductionOps[] = {
    {Op::add, "sum", "Add", 0},
    {Op::minimum, "minimum", "Min", 1},
    {Op::maximum, "maximum", "Max", -1},
};

}  // namespace

double ReductionOp::neutral(ScalarType type) const {
  if (limit == 0) return 0;
  if (is_floating(type)) return limit * std::numeric_limits<double>::infinity();
  const int bits = 8 * static_cast<int>(size_of(type)) - (is_unsigned(type) ? 0 : 1);
  if (limit > 0) return std::ldexp(1, bits) - 1;
  return is_unsigned(type) ? 0 : -std::ldexp(1, bits);
}

const ReductionOp* reduction_op(Op op) {
  for (const ReductionOp& row : kReductionOps) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

}  // namespace vkmoye::gen::ir
