#include "vkmoye/gen/ir/expr.hpp"

#include <algorithm>
#include <utility>

namespace vkmoye::gen::ir {
namespace {

Expr binary(Op op, Type type, const Expr& a, const Expr& b, std::uint64_t bound) {
  auto node = std::make_shared<Node>();
  node->op = op;
  node->type = type;
  node->bound = std::min(bound, kUnbounded);
  node->operands = {a, b};
  return Expr(std::move(node));
}

bool both_constant(const Expr& a, const Expr& b) { return is_constant(a) && is_constant(b); }

}  // namespace

Expr::Expr(std::uint32_t constant) {
  auto node = std::make_shared<Node>();
  node->value = constant;
  node->bound = std::uint64_t{constant} + 1;
  node_ = std::move(node);
}

Expr variable(std::string name, Type type, std::uint64_t bound) {
  auto node = std::make_shared<Node>();
  node->op = Op::variable;
  node->type = type;
  node->name = std::move(name);
  node->bound = bound;
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
  return binary(Op::add, kIndex, a, b, a->bound + b->bound - 1);
}

Expr operator-(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return a->value - b->value;
  if (is_constant(b, 0)) return a;
  return binary(Op::subtract, kIndex, a, b, kUnbounded);
}

Expr operator*(const Expr& a, const Expr& b) {
  if (both_constant(a, b)) return a->value * b->value;
  if (is_constant(a, 0) || is_constant(b, 0)) return 0;
  if (is_constant(a, 1)) return b;
  if (is_constant(b, 1)) return a;
  if (is_constant(b)) return b * a;  // the constant first: 33u * row
  const bool small = a->bound < kUnbounded && b->bound < kUnbounded;
  return binary(Op::multiply, kIndex, a, b,
                small ? (a->bound - 1) * (b->bound - 1) + 1 : kUnbounded);
}

Expr operator/(const Expr& a, const Expr& b) {
  if (is_constant(b) && b->value > 0) {
    if (is_constant(a)) return a->value / b->value;
    if (b->value == 1) return a;
    if (a->bound <= b->value) return 0;
    return binary(Op::divide, kIndex, a, b, (a->bound - 1) / b->value + 1);
  }
  return binary(Op::divide, kIndex, a, b, a->bound);
}

Expr operator%(const Expr& a, const Expr& b) {
  if (is_constant(b) && b->value > 0) {
    if (is_constant(a)) return a->value % b->value;
    if (b->value == 1) return 0;
    if (a->bound <= b->value) return a;
  }
  return binary(Op::modulo, kIndex, a, b, b->bound - 1);
}

Expr less(const Expr& a, const Expr& b) { return binary(Op::less, kBoolean, a, b, kUnbounded); }

Expr logical_and(const Expr& a, const Expr& b) {
  return binary(Op::logical_and, kBoolean, a, b, kUnbounded);
}

bool same(const Expr& a, const Expr& b) {
  if (&*a == &*b) return true;
  return a->op == b->op && a->type == b->type && a->value == b->value && a->builtin == b->builtin &&
         a->name == b->name &&
         std::equal(a->operands.begin(), a->operands.end(), b->operands.begin(), b->operands.end(),
                    same);
}

}  // namespace vkmoye::gen::ir
