// SPDX-License-Identifier: MIT
// The operations on two operands of one type, see expr.hpp. Those on indices are folded; the result has a bound and an
// alignment that follow from those of the operands.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "vkmoye/gen/ir/evaluate.hpp"
#include "vkmoye/gen/ir/make_node.hpp"

namespace vkmoye::gen::ir {
namespace {

// An operation on two indices.
Expr indices(Op op, const Expr& a, const Expr& b, std::uint64_t bound,
             std::uint32_t alignment = 1) {
  Node node;
  node.op = op;
  node.bound = std::min(bound, kUnbounded);
  node.alignment = alignment;
  node.operands = {a, b};
  return make_node(std::move(node));
}

// Whether a sum or product of indices stays below 2^32, so that its parts can be divided one by one.
bool cannot_wrap(const Expr& e) { return e->bound < kUnbounded; }

bool is_multiple(const Expr& e, std::uint32_t divisor) {
  return e->alignment % divisor == 0 || (is_constant(e) && e->value % divisor == 0);
}

// Whether a part of `e` is a difference, which may wrap below 0.
bool has_difference(const Expr& e) {
  return e->op == Op::subtract ||
         std::any_of(e->operands.begin(), e->operands.end(), has_difference);
}

void add_terms(const Expr& e, std::vector<Expr>& terms) {
  if (e->op != Op::add) return terms.push_back(e);
  for (const Expr& operand : e->operands) add_terms(operand, terms);
}

// The sum `e` as a multiple of `divisor` and the rest: one of its two operands, or all terms that are multiples, if the
// others stay below `divisor`.
std::optional<std::pair<Expr, Expr>> split_multiple(const Expr& e, std::uint32_t divisor) {
  if (e->op != Op::add) return std::nullopt;
  const Expr &a = e->operands[0], &b = e->operands[1];
  if (is_multiple(a, divisor)) return std::pair(a, b);
  if (is_multiple(b, divisor)) return std::pair(b, a);
  std::vector<Expr> terms;
  add_terms(e, terms);
  Expr multiple = 0, rest = 0;
  for (const Expr& term : terms) {
    if (is_constant(term)) {  // 9 of 4 * row + 9, for a divisor of 8: 8 and 1
      const std::uint32_t left_over = value_of(term) % divisor;
      multiple = multiple + (value_of(term) - left_over), rest = rest + left_over;
      continue;
    }
    Expr& sum = is_multiple(term, divisor) ? multiple : rest;
    sum = sum + term;
  }
  if (is_constant(multiple, 0) || rest->bound > divisor) return std::nullopt;
  return std::pair(multiple, rest);
}

// The result of an operation on two constants, if it is defined.
std::optional<Expr> folded(Op op, const Expr& a, const Expr& b) {
  if (!is_constant(a) || !is_constant(b) || b->type != kIndex) return std::nullopt;
  const auto result = evaluate_index(op, value_of(a), value_of(b));
  return result ? std::optional<Expr>(*result) : std::nullopt;
}

// An operation on two operands of one type. Elements are not folded, constants are, and for other indices
// `of_indices` makes the expression.
template <class OfIndices>
Expr binary(Op op, const Expr& left, const Expr& right, const OfIndices& of_indices) {
  const auto [a, b] = of_one_type(left, right);
  if (a->type != kIndex) return make_node(op, a->type, {a, b});
  if (const auto number = folded(op, a, b)) return *number;
  return of_indices(a, b);
}

}  // namespace

Expr operator+(const Expr& left, const Expr& right) {
  return binary(Op::add, left, right, [](const Expr& a, const Expr& b) -> Expr {
    if (is_constant(a, 0)) return b;
    if (is_constant(b, 0)) return a;
    // x + 3 + 1, modulo 2^32
    if (is_constant(b) && a->op == Op::add && is_constant(a->operands[1])) {
      return a->operands[0] + Expr(value_of(a->operands[1]) + value_of(b));
    }
    return indices(Op::add, a, b, a->bound + b->bound - 1, std::min(a->alignment, b->alignment));
  });
}

Expr operator-(const Expr& left, const Expr& right) {
  return binary(Op::subtract, left, right, [](const Expr& a, const Expr& b) -> Expr {
    if (is_constant(b, 0)) return a;
    // x + 3 - 1, modulo 2^32
    if (is_constant(b) && a->op == Op::add && is_constant(a->operands[1]) &&
        a->operands[1]->value >= b->value) {
      return a->operands[0] + Expr(value_of(a->operands[1]) - value_of(b));
    }
    return indices(Op::subtract, a, b, kUnbounded, std::min(a->alignment, b->alignment));
  });
}

Expr operator*(const Expr& left, const Expr& right) {
  return binary(Op::multiply, left, right, [](const Expr& a, const Expr& b) -> Expr {
    if (is_constant(a, 0) || is_constant(b, 0)) return 0;
    if (is_constant(a, 1)) return b;
    if (is_constant(b, 1)) return a;
    if (is_constant(b)) return b * a;  // the constant first: 33u * row
    const bool small = cannot_wrap(a) && cannot_wrap(b);
    const std::uint64_t alignment = std::uint64_t{a->alignment} * b->alignment;
    return indices(Op::multiply, a, b, small ? (a->bound - 1) * (b->bound - 1) + 1 : kUnbounded,
                   static_cast<std::uint32_t>(std::min<std::uint64_t>(alignment, kMaxAlignment)));
  });
}

// (x ^ ((x & mask) >> shift)) / divisor for an x that is a multiple of it, a power of two: a swizzle of x / divisor.
static std::optional<Expr> swizzled_quotient(const Expr& e, std::uint32_t divisor) {
  if (e->op != Op::bit_xor || !std::has_single_bit(divisor)) return std::nullopt;
  const Expr &x = e->operands[0], &moved = e->operands[1];
  if (moved->op != Op::shift_right || moved->operands[0]->op != Op::bit_and) return std::nullopt;
  const Expr& mask = moved->operands[0]->operands[1];
  if (!same(moved->operands[0]->operands[0], x) || !is_constant(mask)) return std::nullopt;
  if (x->alignment % divisor != 0) return std::nullopt;
  const Expr quotient = divide_exactly(x, divisor);
  return bit_xor(quotient,
                 shift_right(bit_and(quotient, value_of(mask) / divisor), moved->operands[1]));
}

Expr operator/(const Expr& left, const Expr& right) {
  return binary(Op::divide, left, right, [](const Expr& a, const Expr& b) -> Expr {
    if (!is_constant(b) || is_constant(b, 0)) return indices(Op::divide, a, b, a->bound);
    const std::uint32_t divisor = value_of(b);
    if (divisor == 1) return a;
    if (a->bound <= divisor) return 0;
    if (a->op == Op::divide && is_constant(a->operands[1]) &&
        a->operands[1]->value * divisor < kUnbounded) {
      return a->operands[0] / (value_of(a->operands[1]) * divisor);
    }
    if (cannot_wrap(a)) {
      if (const auto parts = split_multiple(a, divisor)) {
        return parts->first / b + parts->second / b;
      }
      if (a->op == Op::multiply && is_constant(a->operands[0]) &&
          a->operands[0]->value % divisor == 0) {
        return Expr(value_of(a->operands[0]) / divisor) * a->operands[1];
      }
    }
    if (const auto vector = swizzled_quotient(a, divisor)) return *vector;
    const bool exact = std::has_single_bit(divisor) && divisor < a->alignment;
    return indices(Op::divide, a, b, (a->bound - 1) / divisor + 1,
                   exact ? a->alignment / divisor : 1);
  });
}

Expr divide_exactly(const Expr& multiple, std::uint32_t divisor) {
  if (multiple->op == Op::add) {
    const Expr &a = multiple->operands[0], &b = multiple->operands[1];
    // If one of them is divisible, so is the other.
    if (!has_difference(multiple) && (is_multiple(a, divisor) || is_multiple(b, divisor))) {
      return divide_exactly(a, divisor) + divide_exactly(b, divisor);
    }
  }
  if (multiple->op == Op::multiply) {  // the constant comes first, see operator*
    Expr first = multiple;
    while (first->op == Op::multiply) first = Expr(first->operands[0]);
    if (is_constant(first) && is_multiple(first, divisor)) {
      const Expr& factor = multiple->operands[0];
      return (is_constant(factor) ? Expr(value_of(factor) / divisor)
                                  : divide_exactly(factor, divisor)) *
             multiple->operands[1];
    }
  }
  return multiple / divisor;
}

Expr operator%(const Expr& left, const Expr& right) {
  return binary(Op::modulo, left, right, [](const Expr& a, const Expr& b) -> Expr {
    if (is_constant(b) && !is_constant(b, 0)) {
      const std::uint32_t divisor = value_of(b);
      if (divisor == 1) return 0;
      if (a->bound <= divisor) return a;
      if (std::has_single_bit(divisor) || cannot_wrap(a)) {
        if (a->alignment % divisor == 0) return 0;
        if (const auto parts = split_multiple(a, divisor)) return parts->second % b;
      }
      // x % 64 % 32
      if (a->op == Op::modulo && is_constant(a->operands[1]) && !is_constant(a->operands[1], 0) &&
          is_multiple(a->operands[1], divisor)) {
        return a->operands[0] % b;
      }
    }
    return indices(Op::modulo, a, b, b->bound - 1, std::min(a->alignment, b->alignment));
  });
}

Expr minimum(const Expr& left, const Expr& right) {
  return binary(Op::minimum, left, right, [](const Expr& a, const Expr& b) {
    return indices(Op::minimum, a, b, std::min(a->bound, b->bound),
                   std::min(a->alignment, b->alignment));
  });
}

Expr maximum(const Expr& left, const Expr& right) {
  return binary(Op::maximum, left, right, [](const Expr& a, const Expr& b) {
    return indices(Op::maximum, a, b, std::max(a->bound, b->bound),
                   std::min(a->alignment, b->alignment));
  });
}

Expr bit_and(const Expr& left, const Expr& right) {
  return binary(Op::bit_and, left, right, [](const Expr& a, const Expr& b) -> Expr {
    // x % 64 & 31: the mask alone
    if (is_constant(b) && a->op == Op::modulo && is_constant(a->operands[1]) &&
        std::has_single_bit(a->operands[1]->value) && b->value < a->operands[1]->value) {
      return bit_and(a->operands[0], b);
    }
    return indices(Op::bit_and, a, b, std::min(a->bound, b->bound),
                   std::max(a->alignment, b->alignment));
  });
}

Expr bit_or(const Expr& left, const Expr& right) {
  return binary(Op::bit_or, left, right, [](const Expr& a, const Expr& b) {
    return indices(Op::bit_or, a, b, std::bit_ceil(std::max(a->bound, b->bound)),
                   std::min(a->alignment, b->alignment));
  });
}

Expr bit_xor(const Expr& left, const Expr& right) {
  return binary(Op::bit_xor, left, right, [](const Expr& a, const Expr& b) -> Expr {
    if (is_constant(a, 0)) return b;
    if (is_constant(b, 0)) return a;
    return indices(Op::bit_xor, a, b, std::bit_ceil(std::max(a->bound, b->bound)),
                   std::min(a->alignment, b->alignment));
  });
}

Expr shift_left(const Expr& left, const Expr& right) {
  return binary(Op::shift_left, left, right, [](const Expr& a, const Expr& by) {
    return indices(Op::shift_left, a, by, kUnbounded, a->alignment);
  });
}

Expr shift_right(const Expr& left, const Expr& right) {
  return binary(Op::shift_right, left, right, [](const Expr& a, const Expr& by) {
    return indices(Op::shift_right, a, by, a->bound);
  });
}

}  // namespace vkmoye::gen::ir
