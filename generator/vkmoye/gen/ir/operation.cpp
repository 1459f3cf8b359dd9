// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace vkmoye::gen::ir {
namespace {

// The operands that an operation takes.
enum class Takes : std::uint8_t {
  anything,       // leaves, and operations that special_error checks
  numbers,        // indices or elements, of one type
  integers,       // indices, i32 or u32, of one type
  signed_values,  // f16 f32 f64 i32
  reals,          // f16 f32 f64
  short_reals,    // f16 f32
  vectors,        // numbers, and vectors of f16 or f32
  truth,          // booleans
};

struct Row {
  Op op;
  std::string_view name;
  Takes takes;
  std::string_view glsl = "";  // see glsl_function_of
};

constexpr Row kRows[] = {
    {Op::constant, "number", Takes::anything},
    {Op::variable, "name", Takes::anything},
    {Op::builtin, "builtin", Takes::anything},
    {Op::add, "add", Takes::numbers},
    {Op::subtract, "subtract", Takes::vectors},
    {Op::multiply, "multiply", Takes::numbers},
    {Op::divide, "divide", Takes::numbers},
    {Op::modulo, "modulo", Takes::integers},
    {Op::minimum, "minimum", Takes::numbers, "min"},
    {Op::maximum, "maximum", Takes::numbers, "max"},
    {Op::bit_and, "bit_and", Takes::integers},
    {Op::bit_or, "bit_or", Takes::integers},
    {Op::bit_xor, "bit_xor", Takes::integers},
    {Op::shift_left, "shift_left", Takes::integers},
    {Op::shift_right, "shift_right", Takes::integers},
    {Op::negate, "negate", Takes::signed_values},
    {Op::absolute, "absolute", Takes::signed_values, "abs"},
    {Op::bit_not, "bit_not", Takes::integers},
    {Op::exp, "exp", Takes::short_reals, "exp"},
    {Op::exp2, "exp2", Takes::short_reals, "exp2"},
    {Op::log, "log", Takes::short_reals, "log"},
    {Op::log2, "log2", Takes::short_reals, "log2"},
    {Op::sqrt, "sqrt", Takes::reals, "sqrt"},
    {Op::rsqrt, "rsqrt", Takes::reals, "inversesqrt"},
    {Op::tanh, "tanh", Takes::short_reals, "tanh"},
    {Op::sin, "sin", Takes::short_reals, "sin"},
    {Op::cos, "cos", Takes::short_reals, "cos"},
    {Op::floor, "floor", Takes::reals, "floor"},
    {Op::ceil, "ceil", Takes::reals, "ceil"},
    {Op::round, "round", Takes::reals, "roundEven"},
    {Op::multiply_add, "multiply_add", Takes::numbers},
    {Op::less, "less", Takes::numbers},
    {Op::equal, "equal", Takes::numbers},
    {Op::not_equal, "not_equal", Takes::numbers},
    {Op::logical_and, "logical_and", Takes::truth},
    {Op::logical_or, "logical_or", Takes::truth},
    {Op::logical_not, "logical_not", Takes::truth},
    {Op::is_nan, "is_nan", Takes::reals, "isnan"},
    {Op::select, "select", Takes::anything},
    {Op::component, "component", Takes::anything},
    {Op::vector, "vector", Takes::anything},
    {Op::convert, "convert", Takes::anything},
    {Op::bitcast, "bitcast", Takes::anything},
    {Op::dot4, "dot4", Takes::anything},
    {Op::pack_f16, "pack_f16", Takes::anything},
    {Op::unpack_f16, "unpack_f16", Takes::anything},
};

constexpr bool rows_stand_in_enum_order() {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<std::size_t>(kRows[i].op) != i) return false;
  }
  return true;
}
static_assert(std::size(kRows) == static_cast<std::size_t>(Op::count) &&
              rows_stand_in_enum_order());

const Row& row_of(Op op) { return kRows[static_cast<std::size_t>(op)]; }

std::string_view name_of(Takes takes) {
  switch (takes) {
    case Takes::anything: return "anything";
    case Takes::numbers: return "indices, or single elements of f16, f32, f64, i32 or u32";
    case Takes::integers: return "indices, or single elements of i32 or u32";
    case Takes::signed_values: return "a single element of f16, f32, f64 or i32";
    case Takes::reals: return "a single element of f16, f32 or f64";
    case Takes::short_reals: return "a single element of f16 or f32";
    case Takes::vectors:
      return "indices, single elements of f16, f32, f64, i32 or u32, or vectors of f16 or f32";
    case Takes::truth: return "booleans";
  }
  return "?";
}

bool is_short_real(ScalarType type) { return type == ScalarType::f16 || type == ScalarType::f32; }
bool is_real(ScalarType type) { return is_short_real(type) || type == ScalarType::f64; }
bool is_integer(ScalarType type) { return type == ScalarType::i32 || type == ScalarType::u32; }

bool fits(Takes takes, const Type& type) {
  const bool is_single = type.is_element() && type.width == 1;
  switch (takes) {
    case Takes::anything: return true;
    case Takes::numbers: return type == kIndex || (is_single && is_arithmetic(type.element));
    case Takes::integers: return type == kIndex || (is_single && is_integer(type.element));
    case Takes::signed_values:
      return is_single && (is_real(type.element) || type.element == ScalarType::i32);
    case Takes::reals: return is_single && is_real(type.element);
    case Takes::short_reals: return is_single && is_short_real(type.element);
    case Takes::vectors:
      return fits(Takes::numbers, type) || (type.is_element() && is_short_real(type.element) &&
                                            !is_packed(type.element, type.width));
    case Takes::truth: return type == kBoolean;
  }
  return false;
}

// The error of an operation whose operands may have different types.
std::optional<std::string> special_error(const Node& node) {
  const auto& o = node.operands;
  if (node.op == Op::dot4 || node.op == Op::pack_f16 || node.op == Op::unpack_f16) {
    const ScalarType needed = node.op == Op::pack_f16 ? ScalarType::f32 : ScalarType::u32;
    for (const Expr& operand : o) {
      if (operand->type == element(needed)) continue;
      return fmt::format("{} of {}: it takes single elements of {}", name_of(node.op),
                         name_of(operand->type), to_string(needed));
    }
    if (node.op == Op::unpack_f16 && node.value > 1) {
      return fmt::format("unpack_f16 of half {}: a u32 has the halves 0 and 1", node.value);
    }
  }
  if (node.op == Op::select) {
    if (!(o[0]->type == kBoolean)) {
      return fmt::format("select by {}: it takes a boolean first", name_of(o[0]->type));
    }
    if (!(o[1]->type == o[2]->type)) {
      return fmt::format("select between {} and {}: both must have one type", name_of(o[1]->type),
                         name_of(o[2]->type));
    }
  }
  if (node.op == Op::component && node.value >= o[0]->type.width) {
    return fmt::format("component {} of {}: there is none", node.value, name_of(o[0]->type));
  }
  if (node.op == Op::vector) {
    for (const Expr& part : o) {
      if (part->type == element(node.type.element)) continue;
      return fmt::format("vector of {} with an element of type {}", to_string(node.type.element),
                         name_of(part->type));
    }
  }
  if (node.op == Op::convert) {
    const Type& from = o[0]->type;
    const bool from_number = from == kIndex || from.is_element();
    const auto is_of_codes = [](const Type& type) {
      return type.is_element() && is_code(type.element);
    };
    const auto is_beside = [](const Type& type) {
      return type.is_element() && type.width == 1 && is_short_real(type.element);
    };
    if (is_of_codes(from) || is_of_codes(node.type)) {
      if (is_beside(from) || is_beside(node.type)) return std::nullopt;
      const bool is_word_of_codes =
          is_of_codes(from) && size_of(from.element) == 1 && from.width == 4;
      if (is_word_of_codes && node.type == element(ScalarType::f32, 4)) return std::nullopt;
      return fmt::format(
          "convert of {} to {}: bf16, e4m3 and e5m2 can only be converted from and to single "
          "elements of 8 and 16 bits, and of f32; four e4m3 or e5m2 to f32 x4",
          name_of(from), name_of(node.type));
    }
    const bool to_fits = node.type == kIndex ? from.is_element() && is_integer(from.element)
                                             : node.type.width == from.width;
    if (!from_number || !to_fits) {
      return fmt::format(
          "convert of {} to {}: it takes an index or an element to an element, or a "
          "single element of i32 or u32 to an index",
          name_of(from), name_of(node.type));
    }
  }
  if (node.op == Op::bitcast) {
    const Type& from = o[0]->type;
    const auto is_short = [](const Type& type) {
      return type.is_element() && is_width(type.element, type.width) && size_of(type.element) <= 4;
    };
    const auto bytes = [](const Type& type) { return size_of(type.element) * type.width; };
    const bool is_whole = from.width * node.type.width == 1 || bytes(from) >= 4;
    if (!is_short(from) || !is_short(node.type) || !is_whole || bytes(from) != bytes(node.type)) {
      return fmt::format(
          "bitcast of {} to {}: it takes elements of up to 4 bytes, or vectors of 4, 8 or 16 "
          "bytes, with as many bytes on both sides",
          name_of(from), name_of(node.type));
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Op op) { return row_of(op).name; }

std::string_view glsl_function_of(Op op) { return row_of(op).glsl; }

std::string name_of(const Type& type) {
  switch (type.kind) {
    case Type::Kind::index: return "index";
    case Type::Kind::boolean: return "boolean";
    case Type::Kind::element: {
      const std::string name(to_string(type.element));
      return type.width == 1 ? name : fmt::format("{} x{}", name, type.width);
    }
  }
  return "?";
}

bool takes_numbers(Op op) {
  const Takes takes = row_of(op).takes;
  return takes != Takes::anything && takes != Takes::truth;
}

ScalarType arithmetic_type(ScalarType type) {
  switch (type) {
    case ScalarType::bf16:
    case ScalarType::e4m3:
    case ScalarType::e5m2: return ScalarType::f32;
    case ScalarType::i8:
    case ScalarType::i16: return ScalarType::i32;
    case ScalarType::u8:
    case ScalarType::u16: return ScalarType::u32;
    case ScalarType::f16:
    case ScalarType::f32:
    case ScalarType::f64:
    case ScalarType::i32:
    case ScalarType::u32:
    case ScalarType::i64:
    case ScalarType::u64:
    case ScalarType::c64:
    case ScalarType::c128:
    case ScalarType::count: break;
  }
  return type;
}

bool is_arithmetic(ScalarType type) { return is_real(type) || is_integer(type); }

std::optional<std::string> type_error(const Node& node) {
  const Row& row = row_of(node.op);
  if (row.takes == Takes::anything) return special_error(node);
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const Type &mine = node.operands[i]->type, &first = node.operands[0]->type;
    if (!fits(row.takes, mine)) {
      const std::string_view hint =
          mine.is_element() && size_of(mine.element) < 4 && mine.width == 1 ? "; convert it first"
                                                                            : "";
      return fmt::format("{} with an operand of type {}: it takes {}{}", row.name, name_of(mine),
                         name_of(row.takes), hint);
    }
    if (mine != first) {
      return fmt::format("{} of {} and {}: its operands must have one type", row.name,
                         name_of(first), name_of(mine));
    }
  }
  return std::nullopt;
}

}  // namespace vkmoye::gen::ir
