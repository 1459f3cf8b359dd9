// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/glsl/expression.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/glsl/spelling.hpp"

namespace vkmoye::gen::glsl {
namespace {

using ir::Expr;
using ir::Op;

// The word of a packed vector that contains element `number`, and the element's place in it. `vector` is its text.
struct Word {
  std::string text;
  std::size_t place;
};

Word word_of(const std::string& vector, ScalarType type, std::uint64_t number) {
  const std::size_t per_word = 4 / size_of(type);
  return {fmt::format("{}.{}", vector, "xyzw"[number / per_word]),
          static_cast<std::size_t>(number % per_word)};
}

// A code is moved by `operation` to or from its place in a word, unless that is the lowest one.
std::string shifted(const std::string& text, const char* operation, ScalarType type,
                    std::size_t place) {
  if (place == 0) return text;
  return fmt::format("{} {} {}u", text, operation, 8 * size_of(type) * place);
}

bool has_functions(const ir::Type& type) {
  return type.kind == ir::Type::Kind::element && !spelling(type.element).to_float.empty();
}

// A uint whose low bits are the code `e`; functions that convert codes ignore the others.
std::string with_code(const Expr& e) {
  if (e->op == Op::component) {
    const ir::Type& whole = e->operands[0]->type;
    if (ir::is_packed(whole.element, whole.width)) {
      const Word word = word_of(print_primary(e->operands[0]), whole.element, e->value);
      return shifted(word.text, ">>", whole.element, word.place);
    }
  }
  return fmt::format("uint({})", print(e));
}

std::vector<std::string> words_of(const Expr& e);

// The operand of a conversion as a float, where its type is one without a GLSL conversion.
std::string operand_text(const ir::Node& conversion) {
  const Expr& from = conversion.operands[0];
  if (!has_functions(from->type)) return print(from);
  if (from->type.width == 4) {  // see ir::numbers_of_word
    const bool is_word =
        from->op == Op::bitcast && from->operands[0]->type == ir::element(ScalarType::u32);
    const std::string word = is_word ? print(from->operands[0]) : words_of(from).front();
    return fmt::format("{}_to_floats({})", to_string(from->type.element), word);
  }
  return fmt::format("{}_to_float({})", to_string(from->type.element), with_code(from));
}

// The uint that a conversion to such a type gives.
std::string code_text(const ir::Node& conversion) {
  const ir::Type& from = conversion.operands[0]->type;
  const bool is_float = has_functions(from) || from == ir::element(ScalarType::f32);
  const std::string text = operand_text(conversion);
  return fmt::format("float_to_{}({})", to_string(conversion.type.element),
                     is_float ? text : "float(" + text + ")");
}

// Single elements. Integers of one size are converted to each other; codes are written as unsigned integers.
std::string bitcast_single(const ir::Node& node) {
  const ScalarType from = node.operands[0]->type.element, to = node.type.element;
  const std::string text = print(node.operands[0]);
  const auto is_real = [](ScalarType type) { return is_floating(type) && !is_code(type); };
  if (is_real(from) == is_real(to)) return fmt::format("{}({})", spell_type(node.type), text);
  const bool is_long = size_of(from) == 4;
  const auto name_of_integer = [&](ScalarType type) {
    const bool has_sign = !is_code(type) && !is_unsigned(type);
    return fmt::format("{}{}", has_sign ? "int" : "uint", is_long ? "" : "16");
  };
  if (!is_real(from)) {
    // Bits beside those of a number, such as a mantissa beside a power of two.
    const Expr& bits = node.operands[0];
    if (to == ScalarType::f32 && bits->op == Op::bit_or && ir::is_constant(bits->operands[1])) {
      const double beside = number_of(to, bits->operands[1]->value);
      constexpr double kLargest = 65536;
      if (beside >= 1 && beside <= kLargest && beside == std::trunc(beside)) {
        return fmt::format("uintBitsToFloat({} /* {:.1f} */)", text, beside);
      }
    }
    return fmt::format("{}BitsTo{}({})", name_of_integer(from), is_long ? "Float" : "Half", text);
  }
  std::string integer = name_of_integer(to);
  integer.front() = integer.front() == 'i' ? 'I' : 'U';
  return fmt::format("{}BitsTo{}({})", is_long ? "float" : "half", integer, text);
}

// The spelling that makes a word of the elements of `e`. It converts them to another type first, such as i16 to u16; a
// variable that has that type already is not converted.
std::string pack_of(const Expr& e) {
  std::string pack(spelling(e->type.element).pack);
  const std::string conversion = spell_type(e->type) + "({})";
  const auto at = pack.find("(" + conversion);
  if (e->op == Op::variable && at != std::string::npos)
    pack.replace(at + 1, conversion.size(), "{}");
  return pack;
}

// The 32-bit words of `e`, as uints. Precondition: it has 4 bytes or more, in elements of at most 4.
std::vector<std::string> words_of(const Expr& e) {
  const ir::Type& type = e->type;
  const std::size_t bytes = size_of(type.element);
  const bool is_one = bytes * type.width == 4;  // then the text is an argument
  const std::string text = is_one ? print(e) : print_primary(e);
  std::vector<std::string> words;
  for (std::size_t at = 0; at < bytes * type.width / 4; ++at) {
    if (ir::is_packed(type.element, type.width)) {
      words.push_back(fmt::format("{}.{}", text, "xyzw"[at]));
    } else if (bytes == 4) {
      const std::string one = type.width == 1 ? text : fmt::format("{}.{}", text, "xyzw"[at]);
      words.push_back(type.element == ScalarType::u32   ? one
                      : type.element == ScalarType::f32 ? fmt::format("floatBitsToUint({})", one)
                                                        : fmt::format("uint({})", one));
    } else {
      const std::string part = is_one ? text : fmt::format("{}.{}", text, at == 0 ? "xy" : "zw");
      words.push_back(fmt::format(fmt::runtime(pack_of(e)), part));
    }
  }
  return words;
}

// Elements of `type`, which is not packed, from 32-bit words.
std::string from_words(const ir::Type& type, const std::vector<std::string>& words) {
  const ScalarType of = type.element;
  if (of == ScalarType::f32) {
    const std::string all =
        words.size() == 1 ? words[0] : fmt::format("uvec{}({})", words.size(), join(words, ", "));
    return fmt::format("uintBitsToFloat({})", all);
  }
  if (words.size() == 1 && of == ScalarType::u32) return words[0];
  if (size_of(of) == 4) return fmt::format("{}({})", spell_type(type), join(words, ", "));
  const std::string_view unpack = spelling(of).unpack;
  if (words.size() == 1 && unpack.ends_with("({})[{}]")) {  // the function gives the whole vector
    return fmt::format("{}({})", unpack.substr(0, unpack.find('(')), words[0]);
  }
  std::vector<std::string> parts;
  for (std::uint32_t c = 0; c < type.width; ++c) {
    const std::size_t per_word = 4 / size_of(of);
    parts.push_back(fmt::format(fmt::runtime(unpack), words[c / per_word], c % per_word));
  }
  return fmt::format("{}({})", spell_type(type), join(parts, ", "));
}

// Between elements of different sizes, and between vectors: by way of words. A packed vector is words already.
std::string bitcast_by_words(const ir::Node& node) {
  const Expr& from = node.operands[0];
  const ir::Type& to = node.type;
  const auto is_words = [](const ir::Type& type) {
    return ir::is_packed(type.element, type.width) ||
           (type.element == ScalarType::u32 && type.width > 1);
  };
  if (is_words(from->type) && is_words(to)) return print_primary(from);
  const std::vector<std::string> words = words_of(from);
  if (is_words(to)) return fmt::format("uvec{}({})", words.size(), join(words, ", "));
  return from_words(to, words);
}

}  // namespace

std::string unpacked(const std::string& vector, ScalarType type, std::uint64_t number) {
  if (size_of(type) == 8) return fmt::format("{}.{}", vector, number == 0 ? "xy" : "zw");
  const Word word = word_of(vector, type, number);
  return fmt::format(fmt::runtime(spelling(type).unpack), word.text, word.place);
}

std::optional<std::string> half_of_word(const ir::Node& conversion) {
  const Expr& part = conversion.operands[0];
  if (!(conversion.type == ir::element(ScalarType::f32)) || part->op != Op::component) return {};
  const Expr& halves = part->operands[0];
  const bool is_word = halves->op == Op::bitcast &&
                       halves->type == ir::element(ScalarType::f16, 2) &&
                       halves->operands[0]->type == ir::element(ScalarType::u32);
  if (!is_word) return {};
  return fmt::format("{}.{}", call("unpackHalf2x16", {halves->operands[0]}), "xy"[part->value]);
}

std::string conversion(const ir::Node& node) {
  if (has_functions(node.type)) {
    return fmt::format("{}({})", spell_type(node.type), code_text(node));
  }
  const bool is_done =
      has_functions(node.operands[0]->type) && node.type.element == ScalarType::f32;
  return is_done ? operand_text(node)
                 : fmt::format("{}({})", spell_type(node.type), operand_text(node));
}

std::string packed(const ir::Node& node) {
  const ScalarType type = node.type.element;
  const std::size_t per_word = std::max<std::size_t>(1, 4 / size_of(type));
  std::vector<std::string> words;
  for (std::size_t at = 0; at < node.operands.size(); at += per_word) {
    const std::span<const Expr> parts(&node.operands[at], per_word);
    std::vector<std::string> elements;
    const bool are_codes = std::all_of(parts.begin(), parts.end(), [](const Expr& part) {
      return part->op == Op::convert && has_functions(part->type);
    });
    if (are_codes) {
      for (const Expr& part : parts) {
        const std::string code = shifted(code_text(*part), "<<", type, elements.size());
        elements.push_back(elements.empty() ? code : "(" + code + ")");
      }
      words.push_back(join(elements, " | "));
      continue;
    }
    for (const Expr& part : parts) elements.push_back(print(part));
    std::string word = join(elements, ", ");
    if (ir::is_whole_vector(parts)) {
      const Expr& whole = parts[0]->operands[0];
      if (!ir::is_packed(whole->type.element, whole->type.width)) word = print(whole);
    }
    words.push_back(size_of(type) >= 8 ? word
                                       : fmt::format(fmt::runtime(spelling(type).pack), word));
  }
  return fmt::format("{}({})", element_name(type, node.type.width), join(words, ", "));
}

std::string packed_dot(const ir::Node& node) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string word = print(node.operands[i]);
    words.push_back((node.value >> i & 1) != 0 ? fmt::format("int({})", word) : word);
  }
  return fmt::format("dotPacked4x8EXT({})", join(words, ", "));
}

std::string bitcast(const ir::Node& node) {
  const bool are_single = node.type.width == 1 && node.operands[0]->type.width == 1;
  return are_single ? bitcast_single(node) : bitcast_by_words(node);
}

}  // namespace vkmoye::gen::glsl
