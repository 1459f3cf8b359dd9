#include "vkmoye/gen/ir/expr.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace vkmoye::gen::ir {
namespace {

constexpr std::uint32_t kMaxAlignment = 1u << 31;  // of zero

Expr binary(Op op, Type type, const Expr& a, const Expr& b, std::uint64_t bound,
            std::uint32_t alignment = 1) {
  auto node = std::make_shared<Node>();
  node->op = op;
  node->type = type;
  node->bound = std::min(bound, kUnbounded);
  node->alignment = alignment;
  node->operands = {a, b};
  return Expr(std::move(node));
}

// Whether a sum or product of indices stays below 2^32, so that it can be taken apart.
bool cannot_wrap(const Expr& e) { return e->bound < kUnbounded; }

// The operand of the sum `e` that is a multiple of `divisor`, and the other one.
std::optional<std::pair<Expr, Expr>> split_multiple(const Expr& e, std::uint32_t divisor) {
  if (e->op != Op::add) return std::nullopt;
  const Expr &a = e->operands[0], &b = e->operands[1];
  const auto is_multiple = [&](const Expr& x) {
    return x->alignment % divisor == 0 || (is_constant(x) && x->value % divisor == 0);
  };
  if (is_multiple(a)) return std::pair(a, b);
  if (is_multiple(b)) return std::pair(b, a);
  return std::nullopt;
}

bool both_constant(const Expr& a, const Expr& b) { return is_constant(a) && is_constant(b); }

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

Expr builtin(Builtin which, std::uint64_t bound) {
  auto node = std::make_shared<Node>();
  node->op = Op::builtin;
  node->builtin = which;
  node->bound = bound;
  return Expr(std::move(node));
}

Expr operator+(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return a->value + b->value;
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  return binary(Op::add, kIndex, a, b, a->bound + b->bound - 1,
                std::min(a->alignment, b->alignment));
}

Expr operator-(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return a->value - b->value;
  if (is_constant(b, 0)) return a;
  return binary(Op::subtract, kIndex, a, b, kUnbounded, std::min(a->alignment, b->alignment));
}

Expr operator*(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return a->value * b->value;
  if (is_constant(a, 0) || is_constant(b, 0)) return 0;
  if (is_constant(a, 1)) return b;
  if (is_constant(b, 1)) return a;
  if (is_constant(b)) return b * a;  // the constant first: 33u * row
  const bool small = a->bound < kUnbounded && b->bound < kUnbounded;
  const std::uint64_t alignment = std::uint64_t{a->alignment} * b->alignment;
  return binary(Op::multiply, kIndex, a, b,
                small ? (a->bound - 1) * (b->bound - 1) + 1 : kUnbounded,
                static_cast<std::uint32_t>(std::min<std::uint64_t>(alignment, kMaxAlignment)));
}

Expr operator/(const Expr& a, const Expr& b) {
  if (is_constant(b) && b->value > 0) {
    if (is_constant(a)) return a->value / b->value;
    if (b->value == 1) return a;
    if (a->bound <= b->value) return 0;
    if (a->op == Op::divide && is_constant(a->operands[1]) &&
        std::uint64_t{a->operands[1]->value} * b->value < kUnbounded) {
      return a->operands[0] / (a->operands[1]->value * b->value);
    }
    if (cannot_wrap(a)) {
      if (const auto parts = split_multiple(a, b->value)) {
        return parts->first / b + parts->second / b;
      }
      if (a->op == Op::multiply && is_constant(a->operands[0]) &&
          a->operands[0]->value % b->value == 0) {
        return Expr(a->operands[0]->value / b->value) * a->operands[1];
      }
    }
    const bool exact = std::has_single_bit(b->value) && b->value < a->alignment;
    return binary(Op::divide, kIndex, a, b, (a->bound - 1) / b->value + 1,
                  exact ? a->alignment / b->value : 1);
  }
  return binary(Op::divide, kIndex, a, b, a->bound);
}

Expr operator%(const Expr& a, const Expr& b) {
  if (is_constant(b) && b->value > 0) {
    if (is_constant(a)) return a->value % b->value;
    if (b->value == 1) return 0;
    if (a->bound <= b->value) return a;
    if (std::has_single_bit(b->value) || cannot_wrap(a)) {
      if (a->alignment % b->value == 0) return 0;
      if (const auto parts = split_multiple(a, b->value)) return parts->second % b;
    }
  }
  return binary(Op::modulo, kIndex, a, b, b->bound - 1, std::min(a->alignment, b->alignment));
}

Expr minimum(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return std::min(a->value, b->value);
  return binary(Op::minimum, kIndex, a, b, std::min(a->bound, b->bound),
                std::min(a->alignment, b->alignment));
}

bool is_width(ScalarType type, std::uint32_t width) {
  return std::has_single_bit(width) && width * size_of(type) <= 16;
}

bool is_packed(ScalarType type, std::uint32_t width) {
  const bool is_words = type == ScalarType::i64 || type == ScalarType::u64 ||
                        type == ScalarType::c64 || type == ScalarType::c128;
  return width > 4 || (width > 1 && is_words);
}

Expr less(const Expr& a, const Expr& b) { return binary(Op::less, kBoolean, a, b, kUnbounded); }

Expr equal(const Expr& a, const Expr& b) { return binary(Op::equal, kBoolean, a, b, kUnbounded); }

Expr not_equal(const Expr& a, const Expr& b) {
  return binary(Op::not_equal, kBoolean, a, b, kUnbounded);
}

Expr logical_and(const Expr& a, const Expr& b) {
  return binary(Op::logical_and, kBoolean, a, b, kUnbounded);
}

Expr component(const Expr& vector, std::uint32_t number) {
  auto node = std::make_shared<Node>();
  node->op = Op::component;
  node->type = element(vector->type.element);
  node->value = number;
  node->operands = {vector};
  return Expr(std::move(node));
}

Expr vector(const std::vector<Expr>& elements) {
  auto node = std::make_shared<Node>();
  node->op = Op::vector;
  node->type = element(elements.front()->type.element, static_cast<std::uint32_t>(elements.size()));
  node->operands = elements;
  return Expr(std::move(node));
}

Expr number(ScalarType type, std::uint32_t value) {
  auto node = std::make_shared<Node>();
  node->type = element(type);
  node->value = value;
  return Expr(std::move(node));
}

Expr convert(const Expr& from, ScalarType type) {
  if (from->type.element == type) return from;
  auto node = std::make_shared<Node>();
  node->op = Op::convert;
  node->type = element(type, from->type.width);
  node->operands = {from};
  return Expr(std::move(node));
}

Expr multiply(const Expr& a, const Expr& b) {
  return binary(Op::multiply, a->type, a, b, kUnbounded);
}

Expr multiply_add(const Expr& a, const Expr& b, const Expr& c) {
  auto node = std::make_shared<Node>();
  node->op = Op::multiply_add;
  node->type = a->type;
  node->operands = {a, b, c};
  return Expr(std::move(node));
}

Expr with_operands(const Expr& e, const std::vector<Expr>& operands) {
  const auto& o = operands;
  switch (e->op) {
    case Op::constant:
    case Op::variable:
    case Op::builtin: return e;
    case Op::add: return o[0] + o[1];
    case Op::subtract: return o[0] - o[1];
    case Op::multiply: return e->type == kIndex ? o[0] * o[1] : multiply(o[0], o[1]);
    case Op::divide: return o[0] / o[1];
    case Op::modulo: return o[0] % o[1];
    case Op::minimum: return minimum(o[0], o[1]);
    case Op::less: return less(o[0], o[1]);
    case Op::equal: return equal(o[0], o[1]);
    case Op::not_equal: return not_equal(o[0], o[1]);
    case Op::logical_and: return logical_and(o[0], o[1]);
    case Op::component: return component(o[0], e->value);
    case Op::vector: return vector(o);
    case Op::convert: return convert(o[0], e->type.element);
    case Op::multiply_add: return multiply_add(o[0], o[1], o[2]);
  }
  return e;
}

bool same(const Expr& a, const Expr& b) {
  if (&*a == &*b) return true;
  return a->op == b->op && a->type == b->type && a->value == b->value && a->builtin == b->builtin &&
         a->name == b->name &&
         std::equal(a->operands.begin(), a->operands.end(), b->operands.begin(), b->operands.end(),
                    same);
}

}  // namespace vkmoye::gen::ir
