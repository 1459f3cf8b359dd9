// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/expr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/ir/meaning.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::gen::ir {
namespace {

constexpr std::uint32_t kMaxAlignment = 1u << 31;  // of zero

// Every operation is made here, which keeps them from becoming too deep.
Expr operation(Node node) {
  for (const Expr& operand : node.operands) node.depth = std::max(node.depth, operand->depth + 1);
  if (node.depth > kMostDepth) {
    throw KernelError(
        "an expression",
        {fmt::format("is more than {} operations deep, as a long sum is that a loop of the program "
                     "writes term by term: give parts of it a name, with Builder::let",
                     kMostDepth)});
  }
  return Expr(std::make_shared<const Node>(std::move(node)));
}

Expr indices(Op op, const Expr& a, const Expr& b, std::uint64_t bound,
             std::uint32_t alignment = 1) {
  Node node;
  node.op = op;
  node.bound = std::min(bound, kUnbounded);
  node.alignment = alignment;
  node.operands = {a, b};
  return operation(std::move(node));
}

// Whether a sum or product of indices stays below 2^32, so that it can be taken apart.
bool cannot_wrap(const Expr& e) { return e->bound < kUnbounded; }

bool is_multiple(const Expr& e, std::uint32_t divisor) {
  return e->alignment % divisor == 0 || (is_constant(e) && e->value % divisor == 0);
}

// Whether a part of it may wrap below 0.
bool has_difference(const Expr& e) {
  return e->op == Op::subtract ||
         std::any_of(e->operands.begin(), e->operands.end(), has_difference);
}

// The operand of the sum `e` that is a multiple of `divisor`, and the other one.
std::optional<std::pair<Expr, Expr>> split_multiple(const Expr& e, std::uint32_t divisor) {
  if (e->op != Op::add) return std::nullopt;
  const Expr &a = e->operands[0], &b = e->operands[1];
  if (is_multiple(a, divisor)) return std::pair(a, b);
  if (is_multiple(b, divisor)) return std::pair(b, a);
  return std::nullopt;
}

std::uint32_t value_of(const Expr& number) { return static_cast<std::uint32_t>(number->value); }

Expr node_of(Op op, Type type, std::vector<Expr> operands) {
  Node node;
  node.op = op;
  node.type = type;
  node.operands = std::move(operands);
  return operation(std::move(node));
}

// Elements are never folded: their arithmetic rounds.
Expr of_elements(Op op, const Expr& a, const Expr& b) { return node_of(op, a->type, {a, b}); }

// Both operands; a number beside an element of a type as one of that type.
std::pair<Expr, Expr> of_one_type(const Expr& a, const Expr& b) {
  const auto is_number = [](const Expr& e) { return e->type == kIndex && is_constant(e); };
  const auto is_element = [](const Expr& e) {
    return e->type.kind == Type::Kind::element && is_arithmetic(e->type.element);
  };
  if (is_number(a) && is_element(b)) {
    return {number(b->type.element, static_cast<double>(a->value)), b};
  }
  if (is_number(b) && is_element(a)) {
    return {a, number(a->type.element, static_cast<double>(b->value))};
  }
  return {a, b};
}

// The result of an operation on two numbers, where it has one.
std::optional<Expr> folded(Op op, const Expr& a, const Expr& b) {
  if (!is_constant(a) || !is_constant(b) || !(b->type == kIndex)) return std::nullopt;
  const auto result = index_meaning(op, value_of(a), value_of(b));
  return result ? std::optional<Expr>(*result) : std::nullopt;
}

// An operation on two: on elements as it stands, on numbers their result, on other indices what `of_indices`
// makes of them.
template <class OfIndices>
Expr binary(Op op, const Expr& left, const Expr& right, const OfIndices& of_indices) {
  const auto [a, b] = of_one_type(left, right);
  if (!(a->type == kIndex)) return of_elements(op, a, b);
  if (const auto number = folded(op, a, b)) return *number;
  return of_indices(a, b);
}

}  // namespace

Expr::Expr(std::uint32_t constant) {
  auto node = std::make_shared<Node>();
  node->value = constant;
  node->bound = std::uint64_t{constant} + 1;
  node->alignment = constant == 0 ? kMaxAlignment : constant & -constant;
  node_ = std::move(node);
}

Expr variable(std::string name, Type type, std::uint64_t bound, std::uint32_t alignment) {
  auto node = std::make_shared<Node>();
  node->op = Op::variable;
  node->type = type;
  node->name = std::move(name);
  node->bound = bound;
  node->alignment = alignment;
  return Expr(std::move(node));
}

Expr bounded(const Expr& index, std::uint64_t bound) {
  auto node = std::make_shared<Node>(*index);
  node->bound = std::min(index->bound, bound);
  return Expr(std::move(node));
}

Expr builtin(Builtin which, std::uint64_t bound) {
  auto node = std::make_shared<Node>();
  node->op = Op::builtin;
  node->builtin = which;
  node->bound = bound;
  return Expr(std::move(node));
}

Expr operator+(const Expr& left, const Expr& right) {
  return binary(Op::add, left, right, [](const Expr& a, const Expr& b) -> Expr {
    if (is_constant(a, 0)) return b;
    if (is_constant(b, 0)) return a;
    return indices(Op::add, a, b, a->bound + b->bound - 1, std::min(a->alignment, b->alignment));
  });
}

Expr operator-(const Expr& left, const Expr& right) {
  return binary(Op::subtract, left, right, [](const Expr& a, const Expr& b) -> Expr {
    if (is_constant(b, 0)) return a;
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
    const bool exact = std::has_single_bit(divisor) && divisor < a->alignment;
    return indices(Op::divide, a, b, (a->bound - 1) / divisor + 1,
                   exact ? a->alignment / divisor : 1);
  });
}

Expr divide_exactly(const Expr& multiple, std::uint32_t divisor) {
  if (multiple->op == Op::add) {
    const Expr &a = multiple->operands[0], &b = multiple->operands[1];
    // One of them is a multiple, hence both are.
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
  return binary(Op::bit_and, left, right, [](const Expr& a, const Expr& b) {
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

Expr unary(Op op, const Expr& a) { return node_of(op, a->type, {a}); }

bool is_width(ScalarType type, std::uint32_t width) {
  return std::has_single_bit(width) && width * size_of(type) <= 16;
}

bool is_packed(ScalarType type, std::uint32_t width) {
  const bool is_words = type == ScalarType::i64 || type == ScalarType::u64 ||
                        type == ScalarType::c64 || type == ScalarType::c128;
  return width > 4 || (width > 1 && is_words);
}

Expr less(const Expr& left, const Expr& right) {
  const auto [a, b] = of_one_type(left, right);
  return node_of(Op::less, kBoolean, {a, b});
}

Expr equal(const Expr& left, const Expr& right) {
  const auto [a, b] = of_one_type(left, right);
  return node_of(Op::equal, kBoolean, {a, b});
}

Expr not_equal(const Expr& left, const Expr& right) {
  const auto [a, b] = of_one_type(left, right);
  return node_of(Op::not_equal, kBoolean, {a, b});
}

Expr logical_and(const Expr& a, const Expr& b) {
  return node_of(Op::logical_and, kBoolean, {a, b});
}
Expr logical_or(const Expr& a, const Expr& b) { return node_of(Op::logical_or, kBoolean, {a, b}); }
Expr logical_not(const Expr& a) { return node_of(Op::logical_not, kBoolean, {a}); }
Expr is_nan(const Expr& a) { return node_of(Op::is_nan, kBoolean, {a}); }

Expr select(const Expr& condition, const Expr& left, const Expr& right) {
  const auto [a, b] = of_one_type(left, right);
  const Expr node = node_of(Op::select, a->type, {condition, a, b});
  if (!(a->type == kIndex)) return node;
  Node bounded = *node;
  bounded.bound = std::max(a->bound, b->bound);
  bounded.alignment = std::min(a->alignment, b->alignment);
  return Expr(std::make_shared<const Node>(std::move(bounded)));
}

Expr component(const Expr& vector, std::uint32_t number) {
  Node node;
  node.op = Op::component;
  node.type = element(vector->type.element);
  node.value = number;
  node.operands = {vector};
  return operation(std::move(node));
}

Expr vector(const std::vector<Expr>& elements) {
  return node_of(
      Op::vector,
      element(elements.front()->type.element, static_cast<std::uint32_t>(elements.size())),
      elements);
}

Expr number(ScalarType type, double value) {
  auto node = std::make_shared<Node>();
  node->type = element(type);
  node->value = value == 0 ? 0 : bits_of(type, value);
  return Expr(std::move(node));
}

Expr beside(double value, const Expr& other) {
  const bool is_element =
      other->type.kind == Type::Kind::element && is_arithmetic(other->type.element);
  const ScalarType type = is_element ? other->type.element : ScalarType::u32;
  if (is_floating(type)) return number(type, value);
  // An index may be a little below 0: it is modulo 2^32.
  const double least = is_element && type == ScalarType::u32 ? 0 : -2147483648.0;
  const double most = type == ScalarType::i32 ? 2147483647.0 : 4294967295.0;
  if (!(value >= least && value <= most) || value != std::trunc(value)) {
    throw KernelError(fmt::format("{} beside an operand of type {}", value, name_of(other->type)),
                      {fmt::format("whole numbers of {} to {} can stand there", least, most)});
  }
  if (is_element) return number(type, value);
  return Expr(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
}

Expr convert(const Expr& from, ScalarType type) {
  const bool is_element = from->type.kind == Type::Kind::element;
  if (is_element && from->type.element == type) return from;
  if (is_element && from->type.width > 1 && (is_code(from->type.element) || is_code(type))) {
    std::vector<Expr> parts;
    for (std::uint32_t c = 0; c < from->type.width; ++c) {
      parts.push_back(convert(component(from, c), type));
    }
    return vector(parts);
  }
  return node_of(Op::convert, element(type, is_element ? from->type.width : 1), {from});
}

Expr to_index(const Expr& from) {
  return from->type == kIndex ? from : node_of(Op::convert, kIndex, {from});
}

Expr multiply(const Expr& a, const Expr& b) { return a * b; }

Expr multiply_add(const Expr& a, const Expr& b, const Expr& c) {
  return node_of(Op::multiply_add, a->type, {a, b, c});
}

Expr with_operands(const Expr& e, const std::vector<Expr>& o) {
  switch (e->op) {
    case Op::add: return o[0] + o[1];
    case Op::subtract: return o[0] - o[1];
    case Op::multiply: return o[0] * o[1];
    case Op::divide: return o[0] / o[1];
    case Op::modulo: return o[0] % o[1];
    case Op::minimum: return minimum(o[0], o[1]);
    case Op::maximum: return maximum(o[0], o[1]);
    case Op::bit_and: return bit_and(o[0], o[1]);
    case Op::bit_or: return bit_or(o[0], o[1]);
    case Op::bit_xor: return bit_xor(o[0], o[1]);
    case Op::shift_left: return shift_left(o[0], o[1]);
    case Op::shift_right: return shift_right(o[0], o[1]);
    case Op::select: return select(o[0], o[1], o[2]);
    default: break;  // what follows is never folded
  }
  if (e->operands.empty()) return e;
  Node node = *e;
  node.operands = o;
  node.depth = 0;
  return operation(std::move(node));
}

std::optional<std::uint32_t> decided(const Expr& e) {
  if (e->type.kind == Type::Kind::element) return std::nullopt;
  if (is_constant(e)) return value_of(e);
  std::vector<Bits> values;
  for (const Expr& operand : e->operands) {
    const auto value = decided(operand);
    // One side of these is enough, if it is the one that decides.
    if (value && e->op == Op::logical_and && *value == 0) return 0;
    if (value && e->op == Op::logical_or && *value != 0) return 1;
    if (value) values.push_back(*value);
  }
  if (e->operands.empty() || values.size() != e->operands.size()) return std::nullopt;
  const auto result = meaning(*e, values);
  return result ? std::optional(static_cast<std::uint32_t>(*result)) : std::nullopt;
}

bool same(const Expr& a, const Expr& b) {
  if (&*a == &*b) return true;
  return a->op == b->op && a->type == b->type && a->value == b->value && a->builtin == b->builtin &&
         a->name == b->name &&
         std::equal(a->operands.begin(), a->operands.end(), b->operands.begin(), b->operands.end(),
                    same);
}

}  // namespace vkmoye::gen::ir
