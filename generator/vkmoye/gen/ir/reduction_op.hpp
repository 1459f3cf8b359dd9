// SPDX-License-Identifier: MIT
#pragma once
// The operations by which subgroup operations, atomics and reductions combine values, in any order.
//
//   reduction_op(Op::maximum)->neutral(ScalarType::i32)    -2147483648
//   reduction_op(Op::multiply)                             nullptr: kernels cannot combine values by multiplying them

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

struct ReductionOp {
  Op op;
  const char* name;  // "sum", "minimum", "maximum"
  const char* glsl;  // as in subgroupAdd and atomicAdd: "Add"
  int limit;         // the neutral number: 1 the largest of the type, -1 the smallest, 0 zero

  /// The number x such that combining x and y gives y for every y of `type`; +-infinity for limits of floating types.
  double neutral(ScalarType type) const;
};

/// The entry of `op`; nullptr if values cannot be combined by it.
const ReductionOp* reduction_op(Op op);

}  // namespace vkmoye::gen::ir
