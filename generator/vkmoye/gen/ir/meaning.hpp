// SPDX-License-Identifier: MIT
#pragma once
// What each operation computes: the one account that folding, evaluation, baking and the host twin
// share. A generated shader computes the same, by the GLSL specification 4.60, chapters 5 and 8.
//
//   Bits a = 7, b = 3;
//   meaning(*(x % y), {a, b})      1
//   meaning(*(x % y), {a, 0})      nothing: the remainder by 0 is undefined

#include <cstdint>
#include <optional>
#include <span>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

/// A scalar as its bits, in the low bytes; a truth value as 0 or 1; of c128 there are two.
using Bits = std::uint64_t;

/// The result of `node`, an operation on scalars, on these operands; nothing where it is undefined.
/// f16 is computed in f32, and rounded. Precondition: `type_error(node)` is empty, no leaf,
/// no component, no vector.
std::optional<Bits> meaning(const Node& node, std::span<const Bits> operands);

/// The same for an operation of two indices, whose result is an index or a truth value.
std::optional<std::uint32_t> index_meaning(Op op, std::uint32_t a, std::uint32_t b);

/// A scalar; absent where it is not known: it depends on what nobody said, or is undefined.
using Value = std::optional<Bits>;

/// Many indices: number i is first[i * step]; step 0 is the same one each time.
struct Indices {
  const Value* first;
  std::size_t step;
};

/// out[i] = index_meaning(op, a[i], b[i]), absent where an operand is.
void index_meanings(Op op, Indices a, Indices b, std::span<Value> out);

/// `bits` of type `from` as type `to`.
Bits converted(const Type& from, Bits bits, const Type& to);

}  // namespace vkmoye::gen::ir
