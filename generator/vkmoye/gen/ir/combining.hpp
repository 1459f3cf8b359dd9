// SPDX-License-Identifier: MIT
#pragma once
// The operations that combine many values into one, in any order: of subgroups, of atomics, of reductions.
//
//   combining(Op::maximum)->neutral(ScalarType::i32)    -2147483648
//   combining(Op::multiply)                             nullptr: no operation of Vulkan's combines by it

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

struct Combining {
  Op op;
  const char* name;  // "sum", "least", "largest"
  const char* glsl;  // as in subgroupAdd and atomicAdd: "Add"
  int limit;         // of what is neutral: 1 the largest number there is, -1 the least, 0 zero

  /// The number x for which combining x and y is y, for each y of `type`; infinity for floating types.
  double neutral(ScalarType type) const;
};

/// The row of `op`; nullptr if it combines nothing.
const Combining* combining(Op op);

}  // namespace vkmoye::gen::ir
