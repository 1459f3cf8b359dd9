// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/weight_in_block.hpp"

#include <fmt/format.h>

#include "vkmoye/gen/kernels/common/weight_numbers.hpp"

namespace vkmoye::gen {
namespace {

Expr u32(std::uint32_t value) { return ir::number(ScalarType::u32, value); }

}  // namespace

std::vector<Expr> bits_in_block(Builder& builder, const WeightFormat& format,
                                const WeightNumber& number, const std::string& name,
                                const Expr& element, std::uint32_t count, const WordOfBlock& word) {
  using namespace ir;
  std::vector<Expr> out;
  for (const BitField& field : number.fields_in_words()) {
    // Words of 16 bits; of 8, each in one of 16, where some field would begin in one word and end in the next.
    const auto in = [&](std::int64_t bits) {
      return in_words({field.bits, field.first % bits, field.at}, format.elements, bits);
    };
    const auto whole = in(kBitsOfWord);
    const std::int64_t bits_of_word = whole ? kBitsOfWord : 8;
    const bool is_word = field.bits == kBitsOfWord;
    const FieldInWords at = whole ? *whole : *in(8);
    const std::string of_field =
        field.to == 0 ? name : fmt::format("{}_from_bit{}", name, field.to);
    const Expr first_word = evaluate(at.word, element) + to_index(field.first / bits_of_word);
    const Expr first_bit = evaluate(at.bit, element) + to_index(at.first_bit);
    Expr from_first = u32(0);
    std::int64_t loaded = -1;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (const std::int64_t after = at.word(i); after != loaded) {
        const std::string numbered = i > 0 ? of_field + std::to_string(i) : of_field;
        const Expr here = first_word + to_index(after);
        const Expr value = word(numbered, whole ? here : here / 2);
        const Expr bit = whole ? first_bit : first_bit + 8 * (here % 2);
        from_first = is_word ? value
                             : builder.let(numbered + "_from_bit",
                                           shift_right(value, convert(bit, ScalarType::u32)));
        loaded = after;
      }
      const auto bit = static_cast<std::uint32_t>(at.bit(i));
      const Expr moved = bit == 0 ? from_first : shift_right(from_first, u32(bit));
      const Expr bits = is_word ? moved : bit_and(moved, u32((1u << field.bits) - 1));
      if (field.to == 0) {
        out.push_back(bits);
      } else {
        out[i] = bit_or(out[i], shift_left(bits, u32(field.to)));
      }
    }
  }
  for (Expr& bits : out) {
    if (number.kind == NumberKind::has_sign) bits = bit_xor(bits, u32(1u << (number.bits() - 1)));
  }
  return out;
}

Expr weight_in_block(Builder& builder, const WeightFormat& format, const Expr& element,
                     const std::string& suffix, const WordOfBlock& word) {
  using namespace ir;
  const auto bits = [&](const std::string& name, const WeightNumber& number) {
    return bits_in_block(builder, format, number, name + suffix, element, 1, word).front();
  };
  const Expr code = bits("codes", format.code);
  const WeightScale scale = scale_of_parts(format, ScalarType::f32, [&](const NamedNumber& named) {
    return number_of(*named.number, bits(named.name, *named.number));
  });
  return scaled(number_of(format.code, code), scale);
}

}  // namespace vkmoye::gen
