// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/weight_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vkmoye::gen {
namespace {

// The mantissa of an f32 has 23 bits. A number of 24 - kLowestBit bits times the 11 of a scale is exact.
constexpr std::uint32_t kMantissa = 23, kLowestBit = 11;

Expr word_of(std::uint32_t value) { return ir::number(ScalarType::u32, value); }

// The word with the bits from bit `at` on.
Expr moved_by(const CodeBits& part, std::uint32_t at) {
  if (at == part.first_bit) return part.word;
  return at > part.first_bit ? shift_left(part.word, word_of(at - part.first_bit))
                             : shift_right(part.word, word_of(part.first_bit - at));
}

// The bits alone, from bit `at` on.
Expr moved_to(const CodeBits& part, std::uint32_t at) {
  const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << part.bits) - 1) << at;
  return bit_and(moved_by(part, at), word_of(mask));
}

}  // namespace

CodeAsNumber code_as_number(const CodePlace& code) {
  std::uint32_t bits = 0;
  for (const CodeBits& part : code) bits = std::max(bits, part.to + part.bits);
  const std::uint32_t highest = kMantissa - bits;
  // The smallest shift that brings the code between these bits; codes that share a shift share an instruction.
  int at = static_cast<int>(kBitOfNumber);
  for (const int shift : {0, 8, -8, 4, -4, 12, -12}) {
    if (code.size() > 1) break;
    at = static_cast<int>(code.front().first_bit) + shift;
    if (at >= static_cast<int>(kLowestBit) && at <= static_cast<int>(highest)) break;
  }
  const auto bit = static_cast<std::uint32_t>(at);
  const auto bits_of_power = static_cast<std::uint32_t>((127 + kMantissa - bit) << kMantissa);
  Expr all = word_of(bits_of_power);
  for (const CodeBits& part : code) all = bit_or(moved_to(part, bit + part.to), all);
  return {bitcast(all, ScalarType::f32), std::ldexp(1, static_cast<int>(kMantissa - bit))};
}

Expr two_codes_as_halves(const CodePlace& low) {
  // In halves of a word, 1024 + code is the half with the bits 0x6400 | code.
  Expr all = word_of(0x64006400);
  for (const CodeBits& part : low) {
    const std::uint32_t mask = ((1u << part.bits) - 1) << part.to;
    all = bit_or(bit_and(moved_by(part, part.to), word_of(mask << 16 | mask)), all);
  }
  return bitcast(all, ScalarType::f16);
}

Expr two_codes_as_halves(const CodePlace& low, const CodePlace& high) {
  Expr all = word_of(0x64006400);
  for (std::size_t i = 0; i < low.size(); ++i) {
    const CodeBits &a = low[i], &b = high[i];
    if (a.first_bit + 16 == b.first_bit && same(a.word, b.word)) {
      const std::uint32_t mask = ((1u << a.bits) - 1) << a.to;
      all = bit_or(bit_and(moved_by(a, a.to), word_of(mask << 16 | mask)), all);
    } else {
      all = bit_or(moved_to(b, 16 + b.to), bit_or(moved_to(a, a.to), all));
    }
  }
  return bitcast(all, ScalarType::f16);
}

Expr bits_of(const CodePlace& code) {
  Expr all = moved_to(code.front(), code.front().to);
  for (std::size_t i = 1; i < code.size(); ++i) all = bit_or(all, moved_to(code[i], code[i].to));
  return all;
}

Expr scaled(const Expr& number, const WeightScale& scale) {
  const Expr all = scale.factor ? number * *scale.factor : number;
  if (scale.minimum) return multiply_add(all, *scale.scale, *scale.minimum);
  return scale.scale ? all * *scale.scale : all;
}

Expr number_in_word(const Expr& word, ScalarType of, std::uint32_t half, ScalarType type) {
  const Expr number = bitcast(word, of);
  return convert(size_of(of) < 4 ? component(number, half) : number, type);
}

Expr number_of(const WeightNumber& number, const Expr& bits) {
  using namespace ir;
  if (number.kind == NumberKind::floating) {
    return number_in_word(bits, number.type, 0);
  }
  if (number.kind == NumberKind::power_of_two) {  // the exponent of an f32
    return bitcast(shift_left(bits, ir::number(ScalarType::u32, kMantissa)), ScalarType::f32);
  }
  if (number.kind != NumberKind::level) {
    const Expr whole = convert(bits, ScalarType::f32);
    const auto zero = static_cast<double>(number.unsigned_zero());
    return zero == 0 ? whole : whole - zero;
  }
  Expr value = ir::number(ScalarType::f32, number.levels.front());
  for (std::uint32_t i = 1; i < number.levels.size(); ++i) {
    const Expr level = ir::number(ScalarType::f32, number.levels[i]);
    value = select(equal(bits, ir::number(ScalarType::u32, i)), level, value);
  }
  return value;
}

Expr number_of(const WeightNumber& number, const CodePlace& place) {
  if (!number.is_whole()) return number_of(number, bits_of(place));
  const auto [sum, power] = code_as_number(place);
  return sum - (power + static_cast<double>(number.unsigned_zero()));
}

Expr whole_half(const WeightNumber& number, const CodePlace& place) {
  const bool is_high = place.front().first_bit >= 16;
  CodePlace low = place;
  for (CodeBits& part : low) part.first_bit -= is_high ? 16 : 0;
  return component(two_codes_as_halves(low), is_high ? 1 : 0) -
         static_cast<double>(1024 + number.unsigned_zero());
}

WeightScale scale_of_parts(const WeightFormat& format, ScalarType type,
                           const std::function<Expr(const NamedNumber& number)>& number) {
  const auto called = [&](const std::string& name) -> std::optional<Expr> {
    for (const NamedNumber& named : numbers_of(format)) {
      if (named.name == name) return number(named);
    }
    return std::nullopt;
  };
  WeightScale scale{.scale = called("scale")};
  if (const auto sub = called("sub_scale")) {
    (type == ScalarType::f16 ? scale.factor : scale.scale) =
        type == ScalarType::f16 || !scale.scale ? *sub : *scale.scale * *sub;
  }
  scale.minimum = called("minimum");
  if (const auto sub = called("sub_minimum")) scale.minimum = *scale.minimum * *sub;
  if (scale.minimum && format.subtracts_minimum) scale.minimum = -*scale.minimum;
  return scale;
}

WeightNumbers::WeightNumbers(Builder& builder, const WeightFormat& format, const std::string& table)
    : builder_(builder), format_(format) {
  if (!has_table()) return;
  table_ = builder_.shared(table, ScalarType::f32, make_layout({format.table_size()}));
}

void WeightNumbers::fill_table() {
  if (!has_table()) return;
  const auto store = [&](const Expr& number, const Expr& code) {
    builder_.store(number, {table_.array, {code}, table_.array});
  };
  builder_.with_title(table_.array + " <- the number of each code of " + format_.name, [&] {
    if (format_.code.kind != NumberKind::floating) {
      builder_.branch({equal(builder_.thread(), 0)}, [&] {
        std::uint32_t code = 0;
        for (const double level : format_.code.levels)
          store(ir::number(ScalarType::f32, level), code++);
      });
      return;
    }
    const std::uint32_t codes = to_index(format_.table_size()), threads = builder_.threads();
    builder_.unrolled_loop("part_of_codes", (codes + threads - 1) / threads, [&](const Expr& part) {
      const Expr code = part * threads + builder_.thread();
      const auto convert_code = [&] {
        store(number_of(format_.code, convert(code, ScalarType::u32)), code);
      };
      if (codes % threads == 0) return convert_code();
      builder_.branch({less(code, codes)}, convert_code);
    });
  });
}

Expr WeightNumbers::from_table(const CodePlace& code, const std::string& name) {
  const CodeBits& part = code.front();
  const Expr bits = code.size() > 1 ? bits_of(code)
                    : part.first_bit == 0
                        ? part.word
                        : shift_right(part.word, ir::number(ScalarType::u32, part.first_bit));
  const Expr at = to_index(bits) % to_index(format_.code.codes());
  return builder_.load(name, {table_.array, {at}, table_.array});
}

std::vector<Expr> WeightNumbers::numbers(const CodePlace& low, const CodePlace& high,
                                         const std::string& name) {
  if (has_table()) return {from_table(low, name + "_number0"), from_table(high, name + "_number1")};
  const Expr least =
      ir::number(ScalarType::f16, static_cast<double>(1024 + format_.code.unsigned_zero()));
  const Expr two = builder_.let(name, two_codes_as_halves(low, high) - ir::vector({least, least}));
  return {convert(component(two, 0), ScalarType::f32), convert(component(two, 1), ScalarType::f32)};
}

Expr WeightNumbers::weight(const CodePlace& code, const WeightScale& scale,
                           const std::string& name) {
  if (has_table()) return scaled(from_table(code, name), scale);
  const auto [number, power] = code_as_number(code);
  const double least = power + static_cast<double>(format_.code.unsigned_zero());
  // Products of a scale of f32 are rounded, and may be infinite where the weight is not: only one, that is it.
  const bool is_exact = scale.scale && !scale.minimum && format_.scale_type() == ScalarType::f16 &&
                        !format_.sub_scale;
  return is_exact ? multiply_add(number, *scale.scale, -(*scale.scale * least))
                  : scaled(number - least, scale);
}

std::vector<Expr> WeightNumbers::pair(const CodePlace& low, const CodePlace& high,
                                      const WeightScale& scale, ScalarType type,
                                      const std::string& name) {
  using namespace ir;
  bool are_in_halves = decodes_in_halves(type) && (!format_.sub_scale || scale.factor);
  for (std::size_t i = 0; i < low.size(); ++i) {
    are_in_halves = are_in_halves && low[i].first_bit + 16 == high[i].first_bit;
  }
  if (are_in_halves) {
    const Expr two = builder_.let(name, two_codes_as_halves(low));
    WeightScale in_halves = scale;
    for (auto* one : {&in_halves.scale, &in_halves.minimum, &in_halves.factor}) {
      if (*one) *one = convert(**one, type);
    }
    std::vector<Expr> weights;
    for (const std::uint32_t half : {0u, 1u}) {
      const Expr code =
          component(two, half) - static_cast<double>(1024 + format_.code.unsigned_zero());
      weights.push_back(scaled(code, in_halves));
    }
    return weights;
  }
  const Expr two =
      vector({weight(low, scale, name + "_number0"), weight(high, scale, name + "_number1")});
  const Expr rounded = builder_.let(name, convert(two, type));
  return {component(rounded, 0), component(rounded, 1)};
}

bool WeightNumbers::decodes_in_halves(ScalarType type) const {
  const auto is_whole = [](const std::optional<WeightNumber>& sub) {
    return !sub || sub->is_whole();
  };
  return type == ScalarType::f16 && !has_table() && format_.scale_type() == ScalarType::f16 &&
         is_whole(format_.sub_scale) && is_whole(format_.sub_minimum);
}

std::string WeightNumbers::formula(bool with_scale) const {
  const std::int64_t zero = format_.code.unsigned_zero();
  std::string out = has_table()  ? "levels[code]"
                    : zero == 0  ? "code"
                    : with_scale ? fmt::format("(code - {})", zero)
                                 : fmt::format("code - {}", zero);
  if (!with_scale) return out;
  if (format_.sub_scale) out = "sub_scale * " + out;
  if (format_.scale) out = "scale * " + out;
  if (format_.minimum) {
    out += format_.subtracts_minimum ? " - minimum" : " + minimum";
    if (format_.sub_minimum) out += " * sub_minimum";
  }
  return out;
}

std::string WeightNumbers::decoding() const {
  if (has_table()) return formula();
  return formula() +
         ": the bits of p, a power of two, with the code in its mantissa are the number p + code";
}

}  // namespace vkmoye::gen
