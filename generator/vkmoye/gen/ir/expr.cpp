// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/expr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/ir/evaluate.hpp"
#include "vkmoye/gen/ir/make_node.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::gen::ir {

Expr make_node(Node node) {
  for (const Expr& operand : node.operands) node.depth = std::max(node.depth, operand->depth + 1);
  if (node.depth > kMaxDepth) {
    throw KernelError(
        "an expression",
        {fmt::format("is more than {} operations deep, like a long sum that a loop of the program "
                     "builds term by term; give parts of it a name with Builder::let",
                     kMaxDepth)});
  }
  return Expr(std::make_shared<const Node>(std::move(node)));
}

namespace {

bool is_single_element(const Expr& e) { return e->type.is_element() && e->type.width == 1; }

// Whether shaders compute with elements of this type, be it as those of another one.
bool is_computed(ScalarType type) { return is_arithmetic(arithmetic_type(type)); }

// The type of all operands if operations on it are computed in another one.
std::optional<ScalarType> converted_type(Op op, const std::vector<Expr>& operands) {
  if (!takes_numbers(op) || !std::all_of(operands.begin(), operands.end(), is_single_element)) {
    return std::nullopt;
  }
  const ScalarType type = operands[0]->type.element;
  // The verifier would not see that the divisor is not 0, or the shift below 32, through the conversion.
  const bool needs_range =
      op == Op::divide || op == Op::modulo || op == Op::shift_left || op == Op::shift_right;
  if (needs_range && !is_floating(type)) return std::nullopt;
  const bool are_alike = std::all_of(operands.begin(), operands.end(), [&](const Expr& operand) {
    return operand->type.element == type;
  });
  return are_alike && arithmetic_type(type) != type ? std::optional(type) : std::nullopt;
}

// `e` in the type in which it is computed.
Expr widened(const Expr& e) {
  const ScalarType type = e->type.element;
  return is_constant(e) ? number(arithmetic_type(type), number_of(type, e->value))
                        : convert(e, arithmetic_type(type));
}

}  // namespace

Expr make_node(Op op, Type type, std::vector<Expr> operands) {
  if (const auto narrow = converted_type(op, operands)) {
    for (Expr& operand : operands) operand = widened(operand);
    const Type wide = element(arithmetic_type(*narrow));
    const bool is_truth = type == kBoolean;
    const Expr result = make_node(op, is_truth ? kBoolean : wide, std::move(operands));
    return is_truth ? result : convert(result, *narrow);
  }
  Node node;
  node.op = op;
  node.type = type;
  node.operands = std::move(operands);
  return make_node(std::move(node));
}

std::pair<Expr, Expr> of_one_type(const Expr& a, const Expr& b) {
  const auto is_number = [](const Expr& e) { return e->type == kIndex && is_constant(e); };
  const auto is_element = [](const Expr& e) {
    return e->type.is_element() && is_computed(e->type.element);
  };
  if (is_number(a) && is_element(b)) {
    return {number(b->type.element, static_cast<double>(a->value)), b};
  }
  if (is_number(b) && is_element(a)) {
    return {a, number(a->type.element, static_cast<double>(b->value))};
  }
  return {a, b};
}

// `e` without a factor that does not decide whether it is 0: x for 8 * x that cannot wrap.
Expr without_factor(const Expr& e) {
  if (e->type != kIndex || e->op != Op::multiply || !is_constant(e->operands[0])) return e;
  const Expr& rest = e->operands[1];
  const std::uint64_t factor = e->operands[0]->value;
  const bool cannot_wrap = rest->bound < kUnbounded && factor * (rest->bound - 1) < kUnbounded;
  return cannot_wrap ? without_factor(rest) : e;
}

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

Expr unary(Op op, const Expr& a) { return make_node(op, a->type, {a}); }

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
  return make_node(Op::less, kBoolean, {a, b});
}

// x / 8 == 0 is x < 8; x / 8 % 4 == 0 is x % 32 < 8.
static std::optional<Expr> condition_of_zero(const Expr& e) {
  const auto by_number = [](const Expr& of, Op op) {
    return of->op == op && is_constant(of->operands[1]) && !is_constant(of->operands[1], 0);
  };
  if (by_number(e, Op::divide)) return less(e->operands[0], e->operands[1]);
  if (!by_number(e, Op::modulo) || !by_number(e->operands[0], Op::divide)) return std::nullopt;
  const Expr& quotient = e->operands[0];
  const std::uint64_t period = quotient->operands[1]->value * e->operands[1]->value;
  if (period >= kUnbounded) return std::nullopt;
  return less(quotient->operands[0] % Expr(static_cast<std::uint32_t>(period)),
              quotient->operands[1]);
}

Expr equal(const Expr& left, const Expr& right) {
  const auto [a, b] = of_one_type(left, right);
  if (is_constant(b, 0) && a->type == kIndex) {
    if (const auto below = condition_of_zero(a)) return *below;
  }
  return make_node(Op::equal, kBoolean, {is_constant(b, 0) ? without_factor(a) : a, b});
}

Expr not_equal(const Expr& left, const Expr& right) {
  const auto [a, b] = of_one_type(left, right);
  return make_node(Op::not_equal, kBoolean, {is_constant(b, 0) ? without_factor(a) : a, b});
}

Expr less_equal(const Expr& left, const Expr& right) {
  const auto [a, b] = of_one_type(left, right);
  const bool may_be_nan = a->type.is_element() && is_floating(a->type.element);
  return may_be_nan ? logical_or(less(a, b), equal(a, b)) : logical_not(less(b, a));
}

Expr logical_and(const Expr& a, const Expr& b) {
  return make_node(Op::logical_and, kBoolean, {a, b});
}
Expr logical_or(const Expr& a, const Expr& b) {
  return make_node(Op::logical_or, kBoolean, {a, b});
}
Expr logical_not(const Expr& a) {
  return a->op == Op::logical_not ? Expr(a->operands[0])
                                  : make_node(Op::logical_not, kBoolean, {a});
}
Expr is_nan(const Expr& a) { return make_node(Op::is_nan, kBoolean, {a}); }

Expr select(const Expr& condition, const Expr& left, const Expr& right) {
  const auto [a, b] = of_one_type(left, right);
  const Expr node = make_node(Op::select, a->type, {condition, a, b});
  if (a->type != kIndex) return node;
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
  return make_node(std::move(node));
}

Expr vector(const std::vector<Expr>& elements) {
  return make_node(
      Op::vector,
      element(elements.front()->type.element, static_cast<std::uint32_t>(elements.size())),
      elements);
}

Expr round(const Expr& a) {
  if (a->type != element(ScalarType::f64)) return unary(Op::round, a);
  // llvmpipe (Mesa 26.1) rounds halves of f64 toward zero on processors without AVX-512.
  const Expr below = floor(a), above_below = a - below;
  const Expr is_odd = not_equal(below * 0.5, floor(below * 0.5));
  const Expr is_up =
      logical_or(less(0.5, above_below), logical_and(equal(above_below, 0.5), is_odd));
  return below + select(is_up, number(ScalarType::f64, 1), number(ScalarType::f64, 0));
}

Expr number(ScalarType type, double value) {
  auto node = std::make_shared<Node>();
  node->type = element(type);
  node->value = value == 0 ? 0 : bits_of(type, value);
  return Expr(std::move(node));
}

Expr operand_from(double value, const Expr& other) {
  const bool is_element = other->type.is_element() && is_computed(other->type.element);
  const ScalarType type = is_element ? other->type.element : ScalarType::u32;
  if (is_floating(type)) return number(type, value);
  // A negative index is allowed: it is modulo 2^32.
  const int bits = 8 * static_cast<int>(size_of(type));
  const bool is_positive = is_element && is_unsigned(type);
  const double min = is_positive ? 0 : -std::ldexp(1, bits - 1);
  const double max = std::ldexp(1, is_unsigned(type) ? bits : bits - 1) - 1;
  if (!(value >= min && value <= max) || value != std::trunc(value)) {
    throw KernelError(
        fmt::format("{} next to an operand of type {}", value, name_of(other->type)),
        {fmt::format("only whole numbers from {} to {} are allowed there", min, max)});
  }
  if (is_element) return number(type, value);
  return Expr(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
}

Expr convert(const Expr& from, ScalarType type) {
  const bool is_element = from->type.is_element();
  if (is_element && from->type.element == type) return from;
  // Shading languages convert neither codes nor words of packed elements as vectors.
  const std::uint32_t width = is_element ? from->type.width : 1;
  const auto is_one_by_one = [&](ScalarType one) { return is_code(one) || is_packed(one, width); };
  if (width > 1 && (is_one_by_one(from->type.element) || is_one_by_one(type))) {
    std::vector<Expr> parts;
    for (std::uint32_t c = 0; c < width; ++c) {
      parts.push_back(convert(component(from, c), type));
    }
    return vector(parts);
  }
  // From and to codes, what f32 holds exactly is converted through it.
  const auto fits_f32 = [](ScalarType one) { return is_code(one) || size_of(one) < 4; };
  const bool goes_through_f32 = is_element && type != ScalarType::f16 &&
                                from->type.element != ScalarType::f16 && fits_f32(type) &&
                                fits_f32(from->type.element) &&
                                (is_code(type) || is_code(from->type.element));
  if (goes_through_f32) return convert(convert(from, ScalarType::f32), type);
  return make_node(Op::convert, element(type, width), {from});
}

bool is_whole_vector(std::span<const Expr> parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Node& part = *parts[i];
    if (part.op != Op::component || part.value != i ||
        &*part.operands[0] != &*parts[0]->operands[0])
      return false;
  }
  return parts[0]->operands[0]->type.width == parts.size();
}

Expr numbers_of_word(const Expr& word, ScalarType codes) {
  return make_node(Op::convert, element(ScalarType::f32, 4), {bitcast(word, codes)});
}

Expr bitcast(const Expr& from, ScalarType type) {
  const std::size_t bytes =
      from->type.kind == Type::Kind::element ? size_of(from->type.element) * from->type.width : 4;
  const auto width = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(bytes / size_of(type)));
  const Type to = element(type, width);
  return from->type == to ? from : make_node(Op::bitcast, to, {from});
}

Expr packed_dot4(const Expr& a, ScalarType bytes_of_a, const Expr& b, ScalarType bytes_of_b) {
  const bool a_is_signed = bytes_of_a == ScalarType::i8, b_is_signed = bytes_of_b == ScalarType::i8;
  Node node;
  node.op = Op::dot4;
  node.type = element(a_is_signed || b_is_signed ? ScalarType::i32 : ScalarType::u32);
  node.value = (a_is_signed ? 1u : 0u) | (b_is_signed ? 2u : 0u);
  node.operands = {a, b};
  return make_node(std::move(node));
}

Expr pack_f16(const Expr& low, const Expr& high) {
  return make_node(Op::pack_f16, element(ScalarType::u32), {low, high});
}

Expr unpack_f16(const Expr& word, std::uint32_t half) {
  Node node;
  node.op = Op::unpack_f16;
  node.type = element(ScalarType::f32);
  node.value = half;
  node.operands = {word};
  return make_node(std::move(node));
}

Expr to_index(const Expr& from) {
  return from->type == kIndex ? from : make_node(Op::convert, kIndex, {from});
}

Expr multiply_add(const Expr& a, const Expr& b, const Expr& c) {
  return make_node(Op::multiply_add, a->type, {a, b, c});
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
    default: break;  // all others are never folded
  }
  if (e->operands.empty()) return e;
  Node node = *e;
  node.operands = o;
  node.depth = 0;
  return make_node(std::move(node));
}

std::optional<std::uint32_t> constant_value(const Expr& e) {
  if (e->type.is_element()) return std::nullopt;
  if (is_constant(e)) return value_of(e);
  std::vector<Bits> values;
  for (const Expr& operand : e->operands) {
    const auto value = constant_value(operand);
    // One operand of these can determine the result.
    if (value && e->op == Op::logical_and && *value == 0) return 0;
    if (value && e->op == Op::logical_or && *value != 0) return 1;
    if (value) values.push_back(*value);
  }
  if (e->operands.empty() || values.size() != e->operands.size()) return std::nullopt;
  const auto result = evaluate(*e, values);
  return result ? std::optional(static_cast<std::uint32_t>(*result)) : std::nullopt;
}

bool same(const Expr& a, const Expr& b) {
  if (&*a == &*b) return true;
  return a->op == b->op && a->type == b->type && a->value == b->value && a->builtin == b->builtin &&
         a->name == b->name &&
         std::equal(a->operands.begin(), a->operands.end(), b->operands.begin(), b->operands.end(),
                    same);
}

std::optional<std::size_t> grid_dimension_of(const Expr& e) {
  if (e->op != Op::builtin) return std::nullopt;
  switch (e->builtin) {
    case Builtin::group_x: return 0;
    case Builtin::group_y: return 1;
    case Builtin::group_z: return 2;
    case Builtin::thread:
    case Builtin::lane:
    case Builtin::subgroup: break;
  }
  return std::nullopt;
}

}  // namespace vkmoye::gen::ir
