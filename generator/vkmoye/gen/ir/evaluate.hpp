// SPDX-License-Identifier: MIT
#pragma once
// What each operation computes. Folding, the machine, baking and the host twin all use it. A generated shader computes
// the same, by chapters 5 and 8 of the GLSL specification 4.60.
//
//   Bits a = 7, b = 3;
//   evaluate(*(x % y), {a, b})      1
//   evaluate(*(x % y), {a, 0})      nullopt: the remainder by 0 is undefined

#include <cstdint>
#include <optional>
#include <span>

#include "vkmoye/gen/ir/arithmetic.hpp"
#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

/// The bits of a scalar, in the low bytes. A truth value is 0 or 1. A c128 takes two.
using Bits = std::uint64_t;

/// The result of the operation `node` on scalars `operands`; nullopt if it is undefined. f16 is computed in f32 and
/// rounded. Precondition: `node` is not a leaf, a component or a vector, and type_error(node) is empty.
std::optional<Bits> evaluate(const Node& node, std::span<const Bits> operands,
                             const Arithmetic& arithmetic = {});

/// The result of an operation on two indices, an index or a truth value; nullopt if it is undefined.
std::optional<std::uint32_t> evaluate_index(Op op, std::uint32_t a, std::uint32_t b);

/// A scalar; nullopt if it is undefined, or depends on something unknown.
using Value = std::optional<Bits>;

/// A sequence of indices: index i is first[i * step]. With step 0 they are all the same.
struct Indices {
  const Value* first;
  std::size_t step;
};

/// out[i] = evaluate_index(op, a[i], b[i]); nullopt where one of the operands is.
void evaluate_indices(Op op, Indices a, Indices b, std::span<Value> out);

/// The scalar `bits` of type `from`, converted to `to`.
Bits converted(const Type& from, Bits bits, const Type& to, const Arithmetic& arithmetic = {});

}  // namespace vkmoye::gen::ir
