// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/glsl/spelling.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::gen::glsl {
namespace {

using ir::Expr;
using ir::Op;

// Binding strength in GLSL (specification 4.60, section 5.1), stronger is larger.
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

std::string within(const Text& operand, Strength needed, bool explicit_group = false) {
  // A mask inside a sum is legal only in parentheses; a shift beside another operator is put into
  // them for the reader.
  const bool weak = operand.strength < needed || (explicit_group && operand.strength < kPrimary);
  return weak ? "(" + operand.text + ")" : operand.text;
}

Text spell(const Expr& e);

Text infix(const Expr& e, const char* symbol, Strength strength) {
  const Text left = spell(e->operands[0]);
  const Text right = spell(e->operands[1]);
  // Left-associative: the right operand must bind tighter, unless regrouping changes nothing, as
  // in a + (b + c) and a * (b * c) of indices, modulo 2^32. Sums of elements round.
  const bool is_index_sum = e->type == ir::kIndex && (e->op == Op::add || e->op == Op::multiply);
  const bool is_truth = e->op == Op::logical_and || e->op == Op::logical_or;
  const bool regroups = (is_index_sum || is_truth) && e->operands[1]->op == e->op;
  const auto tighter = static_cast<Strength>(strength + (regroups ? 0 : 1));
  return {fmt::format("{} {} {}", within(left, strength), symbol, within(right, tighter)),
          strength};
}

// Bits beside another operator are put into parentheses for the reader.
Text bits(const Expr& e, const char* symbol, Strength strength) {
  return {fmt::format("{} {} {}", within(spell(e->operands[0]), strength, true), symbol,
                      within(spell(e->operands[1]), strength, true)),
          strength};
}

Text prefix(const char* symbol, const Expr& operand) {
  return {symbol + within(spell(operand), kPrimary), kUnary};
}

// The digits that give exactly this number back; what has none is spelled by its bits.
std::string number_text(const ir::Node& node) {
  const ScalarType type = node.type.element;
  const std::string name = spell_type(node.type);
  if (node.value == 0) return name + "(0)";
  const double value = number_of(type, node.value);
  if (std::isfinite(value)) {
    // A number with a point or an exponent is one of f32 unless it says that it is of f64.
    const char* suffix = type == ScalarType::f64 && std::trunc(value) != value ? "lf" : "";
    const std::string digits = type == ScalarType::f32
                                   ? fmt::format("{}", static_cast<float>(value))
                                   : fmt::format("{}", value);
    return fmt::format("{}({}{})", name, digits, suffix);
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

// x / 2^n and x % 2^n as shift and mask.
Text divide(const Expr& e, bool remainder) {
  const Expr& divisor = e->operands[1];
  if (!(e->type == ir::kIndex) || !ir::is_constant(divisor) ||
      !std::has_single_bit(divisor->value)) {
    return infix(e, remainder ? "%" : "/", kProduct);
  }
  const Text left = spell(e->operands[0]);
  if (remainder) {
    return {fmt::format("{} & {}u", within(left, kBitAnd, true), divisor->value - 1), kBitAnd};
  }
  return {fmt::format("{} >> {}u", within(left, kShift, true), std::countr_zero(divisor->value)),
          kShift};
}

// Element `number` of a packed vector.
std::string unpacked(const std::string& vector, ScalarType type, std::uint32_t number) {
  const std::size_t bytes = size_of(type);
  if (bytes == 8) return fmt::format("{}.{}", vector, number == 0 ? "xy" : "zw");
  const std::size_t per_word = 4 / bytes;
  const std::string word = fmt::format("{}.{}", vector, "xyzw"[number / per_word]);
  return fmt::format(fmt::runtime(spelling(type).unpack), word, number % per_word);
}

// Whether `parts` are all components of one vector, in order.
bool is_whole(std::span<const Expr> parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ir::Node& part = *parts[i];
    if (part.op != Op::component || part.value != i ||
        &*part.operands[0] != &*parts[0]->operands[0])
      return false;
  }
  const ir::Type& whole = parts[0]->operands[0]->type;
  return whole.width == parts.size() && !ir::is_packed(whole.element, whole.width);
}

// The packed vector of these elements, word by word.
std::string packed(const ir::Node& node) {
  const ScalarType type = node.type.element;
  const std::size_t per_word = std::max<std::size_t>(1, 4 / size_of(type));
  std::vector<std::string> words;
  for (std::size_t at = 0; at < node.operands.size(); at += per_word) {
    const std::span<const Expr> parts(&node.operands[at], per_word);
    std::vector<std::string> elements;
    for (const Expr& part : parts) elements.push_back(spell(part).text);
    const std::string word =
        is_whole(parts) ? spell(parts[0]->operands[0]).text : join(elements, ", ");
    words.push_back(size_of(type) >= 8 ? word
                                       : fmt::format(fmt::runtime(spelling(type).pack), word));
  }
  return fmt::format("{}({})", element_name(type, node.type.width), join(words, ", "));
}

// Types without a conversion of GLSL's are converted through float, by the functions of their spelling.
std::string conversion(const ir::Node& node) {
  const auto has_functions = [](const ir::Type& type) {
    return type.kind == ir::Type::Kind::element && !spelling(type.element).conversions.empty();
  };
  const ir::Type& from = node.operands[0]->type;
  std::string text = spell(node.operands[0]).text;
  if (has_functions(from))
    text = fmt::format("{}_to_float(uint({}))", to_string(from.element), text);
  if (has_functions(node.type)) {
    const bool is_float = has_functions(from) || from == ir::element(ScalarType::f32);
    text = fmt::format("float_to_{}({})", to_string(node.type.element),
                       is_float ? text : "float(" + text + ")");
  }
  const bool is_float = has_functions(from) && node.type == ir::element(ScalarType::f32);
  return is_float ? text : fmt::format("{}({})", spell_type(node.type), text);
}

Text spell(const Expr& e) {
  const std::string_view function = ir::glsl_function_of(e->op);
  if (!function.empty()) return {call(std::string(function), e->operands), kPrimary};
  switch (e->op) {
    case Op::constant:
      if (e->type == ir::kIndex) return {fmt::format("{}u", e->value), kPrimary};
      return {number_text(*e), kPrimary};
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
    case Op::logical_not: return prefix("!", e->operands[0]);
    case Op::bit_and: return bits(e, "&", kBitAnd);
    case Op::bit_or: return bits(e, "|", kBitOr);
    case Op::bit_xor: return bits(e, "^", kBitXor);
    case Op::shift_left: return bits(e, "<<", kShift);
    case Op::shift_right: return bits(e, ">>", kShift);
    case Op::bit_not: return prefix("~", e->operands[0]);
    case Op::negate: return prefix("-", e->operands[0]);
    case Op::select:
      return {fmt::format("{} ? {} : {}", within(spell(e->operands[0]), kOr2),
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
    case Op::convert: return {conversion(*e), kPrimary};
    case Op::vector: {
      if (std::all_of(e->operands.begin(), e->operands.end(),
                      [](const Expr& part) { return ir::is_constant(part, 0); })) {
        const bool packs = ir::is_packed(e->type.element, e->type.width);
        return {fmt::format("{}(0{})", spell_type(e->type), packs ? "u" : ""), kPrimary};
      }
      if (ir::is_packed(e->type.element, e->type.width)) return {packed(*e), kPrimary};
      return {call(spell_type(e->type), e->operands), kPrimary};
    }
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
      fmt::format("the operation {} has no spelling in GLSL", ir::name_of(e->op)));
}

}  // namespace

std::string print(const Expr& expression) { return spell(expression).text; }

// An element of a word is taken out of it as one of f16 is: the word is all that is ever moved.
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
