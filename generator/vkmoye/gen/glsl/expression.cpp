// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/glsl/conversion.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/glsl/spelling.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::gen::glsl {
namespace {

using ir::Expr;
using ir::Op;

// Operator precedence in GLSL (specification 4.60, section 5.1); larger binds tighter.
enum Strength {
  kSelect,
  kOr2,
  kAnd2,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEqual,
  kLess,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPrimary
};

struct Text {
  std::string text;
  Strength strength;
};

// With parentheses if it binds less than `needed`; kPrimary: around every operator. A shift next to another operator
// gets them for readability.
std::string within(const Text& operand, Strength needed) {
  const bool is_grouped = operand.strength < needed || operand.strength == kShift;
  return is_grouped ? "(" + operand.text + ")" : operand.text;
}

Text spell(const Expr& e);

Text infix(const Expr& e, const char* symbol, Strength strength) {
  const Text left = spell(e->operands[0]);
  const Text right = spell(e->operands[1]);
  // Operators are left-associative, so the right operand must bind tighter, unless regrouping does not change
  // the result: a + (b + c) and a * (b * c) of indices, modulo 2^32. Sums of elements round.
  const bool is_index_sum = e->type == ir::kIndex && (e->op == Op::add || e->op == Op::multiply);
  const bool is_truth = e->op == Op::logical_and || e->op == Op::logical_or;
  const bool regroups = (is_index_sum || is_truth) && e->operands[1]->op == e->op;
  const auto tighter = static_cast<Strength>(strength + (regroups ? 0 : 1));
  // && within || gets parentheses for readability.
  const auto grouped = [&](const Text& operand, Strength needed) {
    const bool is_mixed = strength == kOr2 && operand.strength == kAnd2;
    return within(operand, is_mixed ? kPrimary : needed);
  };
  return {fmt::format("{} {} {}", grouped(left, strength), symbol, grouped(right, tighter)),
          strength};
}

// Indices and elements of u32 have one type in GLSL.
bool is_uint(const ir::Type& type) {
  return type == ir::kIndex || type == ir::element(ScalarType::u32);
}

// An operand of a bit operation. A mask of an element is printed by its digits of four bits, and so is one of an index
// that does not take the lowest bits.
Text spell_bits(const Expr& e, Op op) {
  const bool is_mask = op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor;
  const bool is_low = e->type == ir::kIndex && std::has_single_bit(e->value + 1);
  if (is_mask && ir::is_constant(e) && is_uint(e->type) && e->value > 9 && !is_low) {
    return {fmt::format("{:#x}u", e->value), kPrimary};
  }
  return spell(e);
}

// Bit operations next to another operator get parentheses for readability.
Text bits(const Expr& e, const char* symbol, Strength strength) {
  return {fmt::format("{} {} {}", within(spell_bits(e->operands[0], e->op), kPrimary), symbol,
                      within(spell_bits(e->operands[1], e->op), kPrimary)),
          strength};
}

Text prefix(const char* symbol, const Expr& operand) {
  return {symbol + within(spell(operand), kPrimary), kUnary};
}

constexpr float kLog2OfE = 1.442695041F;

// The shortest digits that give exactly this number; NaN and infinity are printed by their bits.
std::string number_text(const ir::Node& node) {
  const ScalarType type = node.type.element;
  const std::string name = spell_type(node.type);
  if (type == ScalarType::u32) {  // from 2^31 up, bits mean more than the number
    return node.value >> 31 != 0 ? fmt::format("{:#x}u", node.value)
                                 : fmt::format("{}u", node.value);
  }
  const double value = node.value == 0 ? 0 : number_of(type, node.value);
  if (is_code(type)) return fmt::format("{}({:#x}u /* {} */)", name, node.value, value);
  if (std::isfinite(value)) {
    std::string digits = type == ScalarType::f32 ? fmt::format("{}", static_cast<float>(value))
                                                 : fmt::format("{}", value);
    const bool is_real =
        type == ScalarType::f16 || type == ScalarType::f32 || type == ScalarType::f64;
    if (is_real && digits.find_first_of(".e") == std::string::npos) digits += ".0";
    if (type == ScalarType::f32 && static_cast<float>(value) == kLog2OfE)
      digits += " /* log2(e) */";
    if (type == ScalarType::f32 || type == ScalarType::i32) return digits;
    if (type == ScalarType::f64) return digits + "lf";
    return fmt::format("{}({})", name, digits);
  }
  const char* what = std::isnan(value) ? "NaN" : value < 0 ? "-infinity" : "infinity";
  if (type == ScalarType::f64) {
    return fmt::format("packDouble2x32(uvec2({:#x}u, {:#x}u /* {} */))", node.value & 0xffffffff,
                       node.value >> 32, what);
  }
  const std::uint64_t word = bits_of(ScalarType::f32, value);
  const std::string bits = fmt::format("uintBitsToFloat({:#x}u /* {} */)", word, what);
  return type == ScalarType::f32 ? bits : fmt::format("{}({})", name, bits);
}

Text number(const ir::Node& node) {
  const std::string text = number_text(node);
  return {text, text.front() == '-' ? kUnary : kPrimary};
}

// x / 2^n and x % 2^n as shift and mask.
Text divide(const Expr& e, bool remainder) {
  const Expr& divisor = e->operands[1];
  if (!(e->type == ir::kIndex) || !ir::is_constant(divisor) ||
      !std::has_single_bit(divisor->value)) {
    return infix(e, remainder ? "%" : "/", kProduct);
  }
  const Text left = spell(e->operands[0]);
  if (remainder) {
    return {fmt::format("{} & {}u", within(left, kPrimary), divisor->value - 1), kBitAnd};
  }
  return {fmt::format("{} >> {}u", within(left, kPrimary), std::countr_zero(divisor->value)),
          kShift};
}

// !(a < b) of indices is b <= a; of elements it is not, where one is NaN.
Text negation(const Expr& e) {
  if (e->op != Op::less || !(e->operands[0]->type == ir::kIndex)) return prefix("!", e);
  return {fmt::format("{} <= {}", within(spell(e->operands[1]), kLess),
                      within(spell(e->operands[0]), kShift)),
          kLess};
}

Text spell(const Expr& e) {
  const std::string_view function = ir::glsl_function_of(e->op);
  if (!function.empty()) return {call(std::string(function), e->operands), kPrimary};
  switch (e->op) {
    case Op::constant:
      if (e->type == ir::kIndex) return {fmt::format("{}u", e->value), kPrimary};
      if (e->type == ir::kBoolean) return {e->value != 0 ? "true" : "false", kPrimary};
      return number(*e);
    case Op::variable: return {e->name, kPrimary};
    case Op::builtin:
      switch (e->builtin) {
        case ir::Builtin::group_x: return {"gl_WorkGroupID.x", kPrimary};
        case ir::Builtin::group_y: return {"gl_WorkGroupID.y", kPrimary};
        case ir::Builtin::group_z: return {"gl_WorkGroupID.z", kPrimary};
        case ir::Builtin::thread: return {"gl_LocalInvocationIndex", kPrimary};
        case ir::Builtin::subgroup: return {"gl_SubgroupID", kPrimary};
        case ir::Builtin::lane: return {"gl_SubgroupInvocationID", kPrimary};
      }
      break;
    case Op::add: return infix(e, "+", kSum);
    case Op::subtract: return infix(e, "-", kSum);
    case Op::multiply: return infix(e, "*", kProduct);
    case Op::divide: return divide(e, /*remainder=*/false);
    case Op::modulo: return divide(e, /*remainder=*/true);
    case Op::less: return infix(e, "<", kLess);
    case Op::equal: return infix(e, "==", kEqual);
    case Op::not_equal: return infix(e, "!=", kEqual);
    case Op::logical_and: return infix(e, "&&", kAnd2);
    case Op::logical_or: return infix(e, "||", kOr2);
    case Op::logical_not: return negation(e->operands[0]);
    case Op::bit_and: return bits(e, "&", kBitAnd);
    case Op::bit_or: return bits(e, "|", kBitOr);
    case Op::bit_xor: return bits(e, "^", kBitXor);
    case Op::shift_left: return bits(e, "<<", kShift);
    case Op::shift_right: return bits(e, ">>", kShift);
    case Op::bit_not: return prefix("~", e->operands[0]);
    case Op::negate: return prefix("-", e->operands[0]);
    case Op::select:
      return {fmt::format("{} ? {} : {}", within(spell(e->operands[0]), kPrimary),
                          within(spell(e->operands[1]), kOr2), within(spell(e->operands[2]), kOr2)),
              kSelect};
    case Op::component: {
      const ir::Type& whole = e->operands[0]->type;
      const std::string vector = within(spell(e->operands[0]), kPrimary);
      if (!ir::is_packed(whole.element, whole.width)) {
        return {fmt::format("{}.{}", vector, "xyzw"[e->value]), kPrimary};
      }
      return {unpacked(vector, whole.element, e->value), kPrimary};
    }
    case Op::convert:
      if (is_uint(e->type) && is_uint(e->operands[0]->type)) return spell(e->operands[0]);
      if (const auto half = half_of_word(*e)) return {*half, kPrimary};
      return {conversion(*e), kPrimary};
    case Op::bitcast: return {bitcast(*e), kPrimary};
    case Op::vector: {
      if (std::all_of(e->operands.begin(), e->operands.end(),
                      [](const Expr& part) { return ir::is_constant(part, 0); })) {
        const bool packs = ir::is_packed(e->type.element, e->type.width);
        return {fmt::format("{}(0{})", spell_type(e->type), packs ? "u" : ""), kPrimary};
      }
      if (ir::is_packed(e->type.element, e->type.width)) return {packed(*e), kPrimary};
      const Expr& first = e->operands.front();
      if (ir::is_constant(first) &&
          std::all_of(e->operands.begin(), e->operands.end(),
                      [&](const Expr& part) { return ir::same(part, first); })) {
        return {call(spell_type(e->type), {first}), kPrimary};
      }
      return {call(spell_type(e->type), e->operands), kPrimary};
    }
    case Op::dot4: return {packed_dot(*e), kPrimary};
    case Op::pack_f16:
      return {fmt::format("packHalf2x16({})", call("vec2", e->operands)), kPrimary};
    case Op::unpack_f16:
      return {fmt::format("{}.{}", call("unpackHalf2x16", e->operands), "xy"[e->value]), kPrimary};
    case Op::multiply_add: {
      if (is_floating(e->type.element)) return {call("fma", e->operands), kPrimary};
      return {
          fmt::format("{} * {} + {}", within(spell(e->operands[0]), kProduct),
                      within(spell(e->operands[1]), kPrimary), within(spell(e->operands[2]), kSum)),
          kSum};
    }
    default: break;
  }
  throw std::logic_error(
      fmt::format("the operation {} cannot be printed in GLSL", ir::name_of(e->op)));
}

}  // namespace

std::string print(const Expr& expression) { return spell(expression).text; }
std::string print_primary(const Expr& expression) { return within(spell(expression), kPrimary); }

// An element is extracted from a word in the same way as for f16.
std::string print_as_half(const Expr& expression) {
  if (expression->op == Op::component) {
    const Expr& whole = expression->operands[0];
    if (ir::is_packed(whole->type.element, whole->type.width)) {
      return unpacked(within(spell(whole), kPrimary), ScalarType::f16, expression->value);
    }
  }
  return call("uint16BitsToHalf", {expression});
}

std::string bits_of_half(const std::string& half) {
  return fmt::format("halfBitsToUint16({})", half);
}

std::string call(const std::string& function, const std::vector<Expr>& operands) {
  std::vector<std::string> texts;
  for (const Expr& operand : operands) texts.push_back(spell(operand).text);
  return fmt::format("{}({})", function, join(texts, ", "));
}

std::string spell_type(const ir::Type& type) {
  switch (type.kind) {
    case ir::Type::Kind::index: return "uint";
    case ir::Type::Kind::boolean: return "bool";
    case ir::Type::Kind::element: return element_name(type.element, type.width);
  }
  return "?";
}

}  // namespace vkmoye::gen::glsl
