// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/undefined_arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace vkmoye::gen {

using namespace ir;

namespace {

constexpr std::uint64_t kIndexBits = 32;

std::int32_t as_signed(const Expr& constant) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(constant->value));
}

bool is_integer_element(const Type& type) {
  return type.kind == Type::Kind::element &&
         (type.element == ScalarType::i32 || type.element == ScalarType::u32);
}

// What the value of an expression may be.
struct ValueRanges {
  const Guards& guards;
  const Definitions& definitions;

  bool may_be_zero(const Expr& index) const;
  bool may_be_zero_element(const Expr& e) const;  // of i32 or u32
  bool may_be_negative(const Expr& e) const;      // of i32
  // The largest value that an index or a u32 may have, or more.
  std::uint64_t max_of(const Expr& e) const;
};

bool ValueRanges::may_be_negative(const Expr& e) const {
  if (is_constant(e)) return as_signed(e) < 0;
  const Expr whole = e->op == Op::variable ? expand(e, definitions) : e;
  const auto& operands = whole->operands;
  const auto negative = [&](const Expr& operand) { return may_be_negative(operand); };
  switch (whole->op) {
    case Op::convert:
      return !(operands[0]->type == kIndex) ||
             expand(operands[0], definitions)->bound > kUnbounded / 2;
    case Op::modulo: return false;  // or it is refused
    case Op::maximum:
    case Op::bit_and: return std::all_of(operands.begin(), operands.end(), negative);
    case Op::minimum:
    case Op::divide: return std::any_of(operands.begin(), operands.end(), negative);
    default: break;
  }
  return std::none_of(guards.begin(), guards.end(), [&](const Expr& guard) {
    return guard->op == Op::less && same(guard->operands[1], e) &&
           is_constant(guard->operands[0]) && as_signed(guard->operands[0]) >= -1;
  });
}

bool ValueRanges::may_be_zero_element(const Expr& e) const {
  if (is_constant(e)) return e->value == 0;
  const Expr zero = number(e->type.element, 0);
  const bool is_guarded = std::any_of(guards.begin(), guards.end(), [&](const Expr& guard) {
    const bool excludes = guard->op == Op::not_equal || guard->op == Op::less;
    if (!excludes) return false;
    return (same(guard->operands[0], zero) && same(guard->operands[1], e)) ||
           (guard->op == Op::not_equal && same(guard->operands[1], zero) &&
            same(guard->operands[0], e));
  });
  if (is_guarded) return false;
  if (e->op == Op::convert && e->operands[0]->type == kIndex) return may_be_zero(e->operands[0]);
  if (e->op != Op::maximum) return true;
  return std::none_of(e->operands.begin(), e->operands.end(), [](const Expr& operand) {
    constexpr std::uint64_t kMaxPositive = 0x7FFFFFFF;  // of i32
    return is_constant(operand) && operand->value > 0 && operand->value <= kMaxPositive;
  });
}

std::uint64_t ValueRanges::max_of(const Expr& e) const {
  if (is_constant(e)) return e->value;
  if (e->type == kIndex) return expand(e, definitions)->bound - 1;
  const Expr whole = e->op == Op::variable ? expand(e, definitions) : e;
  const auto max_of_operand = [&](std::size_t i) { return max_of(whole->operands[i]); };
  switch (whole->op) {
    case Op::convert: return whole->operands[0]->type == kIndex ? max_of_operand(0) : kUnbounded;
    case Op::modulo:  // of an i32 it may be less than 0
      return is_constant(whole->operands[1]) && whole->type.element == ScalarType::u32
                 ? max_of_operand(1) - 1
                 : kUnbounded;
    case Op::minimum:
      return whole->type.element == ScalarType::u32 ? std::min(max_of_operand(0), max_of_operand(1))
                                                    : kUnbounded;
    case Op::bit_and: return std::min(max_of_operand(0), max_of_operand(1));
    case Op::subtract:
      return is_constant(whole->operands[0]) && max_of_operand(1) <= max_of_operand(0)
                 ? max_of_operand(0)
                 : kUnbounded;
    default: return kUnbounded;
  }
}

bool ValueRanges::may_be_zero(const Expr& e) const {
  const Expr whole = expand(e, definitions);
  if (is_positive(whole, guards)) return false;
  if (whole->op == Op::multiply) {
    // 65536 * 65536 wraps around to 0, also of extents.
    return whole->bound >= kUnbounded || may_be_zero(whole->operands[0]) ||
           may_be_zero(whole->operands[1]);
  }
  if (whole->op == Op::maximum) {
    return may_be_zero(whole->operands[0]) && may_be_zero(whole->operands[1]);
  }
  return true;
}

}  // namespace

std::vector<std::string> undefined_arithmetic(const Node& node, const Guards& guards,
                                              const Definitions& definitions) {
  const ValueRanges values{guards, definitions};
  std::vector<std::string> reasons;
  const bool shifts = node.op == Op::shift_left || node.op == Op::shift_right;
  const bool divides = node.op == Op::divide || node.op == Op::modulo;
  if (!shifts && !divides) return reasons;
  const Expr &a = node.operands[0], &b = node.operands[1];
  if (shifts && values.max_of(b) >= kIndexBits) {
    reasons.push_back(fmt::format(
        "may shift by {} bits or more; limit the shift with a remainder or a minimum", kIndexBits));
  }
  if (divides && is_integer_element(node.type) && values.may_be_zero_element(b)) {
    reasons.push_back(
        "divides integers by a value that may be 0; put it under a condition '!= 0', or use "
        "maximum(x, 1)");
  }
  if (divides && node.type == kIndex && values.may_be_zero(b)) {
    reasons.push_back(is_constant(b)
                          ? "divides by 0"
                          : "divides by a value that may be 0; use a number, an extent of the grid "
                            "or maximum(x, 1), or a condition that makes the divisor positive");
  }
  if (!divides || !(node.type == element(ScalarType::i32))) return reasons;
  if (node.op == Op::modulo && (values.may_be_negative(a) || values.may_be_negative(b))) {
    reasons.push_back("takes the remainder of i32 that may be negative; use maximum(x, 0)");
  }
  const bool may_be_minus_1 = is_constant(b) ? as_signed(b) == -1 : values.may_be_negative(b);
  const bool may_be_min = is_constant(a) ? as_signed(a) == std::numeric_limits<std::int32_t>::min()
                                         : values.may_be_negative(a);
  if (node.op == Op::divide && may_be_minus_1 && may_be_min) {
    reasons.push_back(
        "divides i32 by a value that may be -1, and -2^31 / -1 is undefined; use maximum(x, 1)");
  }
  return reasons;
}

}  // namespace vkmoye::gen
