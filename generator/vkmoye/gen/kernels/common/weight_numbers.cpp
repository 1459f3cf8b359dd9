// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/weight_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vkmoye::gen {
namespace {

// The mantissa of an f32 has 23 bits. A number of 24 - kLowestBit bits times the 11 of a scale is exact.
constexpr std::uint32_t kMantissa = 23, kLowestBit = 11;

}  // namespace

CodeAsNumber code_as_number(const Expr& codes, std::uint32_t first_bit, std::uint32_t bits) {
  const auto word = [](std::uint32_t value) { return ir::number(ScalarType::u32, value); };
  const std::uint32_t highest = kMantissa - bits;
  // The smallest shift that brings the code between these bits; codes that share a shift share an instruction.
  int by = 0;
  for (const int shift : {0, 8, -8, 4, -4, 12, -12}) {
    const int at = static_cast<int>(first_bit) + shift;
    by = shift;
    if (at >= static_cast<int>(kLowestBit) && at <= static_cast<int>(highest)) break;
  }
  const auto bit = static_cast<std::uint32_t>(static_cast<int>(first_bit) + by);
  const Expr moved = by == 0  ? codes
                     : by > 0 ? shift_left(codes, word(static_cast<std::uint32_t>(by)))
                              : shift_right(codes, word(static_cast<std::uint32_t>(-by)));
  const auto bits_of_power = static_cast<std::uint32_t>((127 + kMantissa - bit) << kMantissa);
  const std::uint32_t mask = ((1u << bits) - 1) << bit;
  return {bitcast(bit_or(bit_and(moved, word(mask)), word(bits_of_power)), ScalarType::f32),
          std::ldexp(1, static_cast<int>(kMantissa - bit))};
}

Expr two_codes_as_halves(const Expr& codes, std::uint32_t first_bit, std::uint32_t bits) {
  const auto word = [](std::uint32_t value) { return ir::number(ScalarType::u32, value); };
  const std::uint32_t mask = (1u << bits) - 1;
  const Expr moved = first_bit == 0 ? codes : shift_right(codes, word(first_bit));
  // In halves of a word, 1024 + code is the half with the bits 0x6400 | code.
  return bitcast(bit_or(bit_and(moved, word(mask << 16 | mask)), word(0x64006400)),
                 ScalarType::f16);
}

Expr scaled(const Expr& number, const WeightScale& scale) {
  if (scale.size() == 2) return multiply_add(number, scale[0], scale[1]);
  return scale.empty() ? number : number * scale[0];
}

Expr number_in_word(const Expr& word, ScalarType of, std::uint32_t half, ScalarType type) {
  const Expr number = bitcast(word, of);
  return convert(of == ScalarType::f16 ? ir::component(number, half) : number, type);
}

Expr number_of_code(const WeightFormat& format, const Expr& code) {
  using namespace ir;
  if (format.code_type) {
    return convert(component(bitcast(code, *format.code_type), 0), ScalarType::f32);
  }
  if (format.levels.empty()) {
    return convert(code, ScalarType::f32) - static_cast<double>(format.unsigned_zero());
  }
  Expr value = ir::number(ScalarType::f32, format.levels.front());
  for (std::uint32_t i = 1; i < format.levels.size(); ++i) {
    const Expr level = ir::number(ScalarType::f32, format.levels[i]);
    value = select(equal(code, ir::number(ScalarType::u32, i)), level, value);
  }
  return value;
}

WeightNumbers::WeightNumbers(Builder& builder, const WeightFormat& format)
    : builder_(builder), format_(format) {
  if (!has_table()) return;
  table_ = builder_.shared("levels", ScalarType::f32, make_layout({format.table_size()}));
}

void WeightNumbers::fill_table() {
  if (!has_table()) return;
  const auto store = [&](const Expr& number, const Expr& code) {
    builder_.store(number, {table_.array, {code}, "levels"});
  };
  builder_.with_title("levels <- the number of each code of " + format_.name, [&] {
    if (!format_.code_type) {
      builder_.branch({ir::equal(builder_.thread(), 0)}, [&] {
        std::uint32_t code = 0;
        for (const double level : format_.levels) store(ir::number(ScalarType::f32, level), code++);
      });
      return;
    }
    const std::uint32_t codes = to_index(format_.table_size()), threads = builder_.threads();
    builder_.unrolled_loop("part_of_codes", (codes + threads - 1) / threads, [&](const Expr& part) {
      const Expr code = part * threads + builder_.thread();
      const auto convert_code = [&] {
        store(number_of_code(format_, convert(code, ScalarType::u32)), code);
      };
      if (codes % threads == 0) return convert_code();
      builder_.branch({ir::less(code, codes)}, convert_code);
    });
  });
}

Expr WeightNumbers::weight(const CodePlace& code, const WeightScale& scale,
                           const std::string& name) {
  if (has_table()) {
    const Expr moved = code.first_bit == 0
                           ? code.word
                           : shift_right(code.word, ir::number(ScalarType::u32, code.first_bit));
    const Expr at = ir::to_index(moved) % (1u << format_.bits);
    return scaled(builder_.load(name, {table_.array, {at}, "levels"}), scale);
  }
  const auto [number, power] = code_as_number(code.word, code.first_bit, format_.bits);
  const double least = power + static_cast<double>(format_.unsigned_zero());
  // Products of a scale of f32 are rounded, and may be infinite where the weight is not: only one, that is it.
  const bool is_exact = scale.size() == 1 && format_.scale_type == ScalarType::f16;
  return is_exact ? multiply_add(number, scale.front(), -(scale.front() * least))
                  : scaled(number - least, scale);
}

std::vector<Expr> WeightNumbers::pair(const CodePlace& low, const CodePlace& high,
                                      const WeightScale& scale, ScalarType type,
                                      const std::string& name) {
  using namespace ir;
  if (decodes_in_halves(type)) {
    const Expr two = builder_.let(name, two_codes_as_halves(low.word, low.first_bit, format_.bits));
    std::vector<Expr> weights;
    for (const std::uint32_t half : {0u, 1u}) {
      const Expr code = component(two, half) - static_cast<double>(1024 + format_.unsigned_zero());
      weights.push_back(scale.empty() ? code : code * convert(scale.front(), type));
    }
    return weights;
  }
  const Expr two =
      vector({weight(low, scale, name + "_number0"), weight(high, scale, name + "_number1")});
  const Expr rounded = builder_.let(name, convert(two, type));
  return {component(rounded, 0), component(rounded, 1)};
}

bool WeightNumbers::decodes_in_halves(ScalarType type) const {
  return type == ScalarType::f16 && !has_table() && format_.scale_type == ScalarType::f16 &&
         !format_.minimum_at;
}

std::string WeightNumbers::formula() const {
  const std::int64_t zero = format_.unsigned_zero();
  const std::string code = has_table() ? "levels[code]"
                           : zero == 0 ? "code"
                                       : fmt::format("(code - {})", zero);
  return fmt::format("{}{}{}", format_.scale_at ? "scale * " : "", code,
                     format_.minimum_at ? " + minimum" : "");
}

std::string WeightNumbers::decoding() const {
  if (has_table()) return formula();
  return formula() +
         ": the bits of p, a power of two, with the code in its mantissa are the number p + code";
}

}  // namespace vkmoye::gen
