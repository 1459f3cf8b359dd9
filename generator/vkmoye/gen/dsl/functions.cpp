// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/functions.hpp"

#include <fmt/format.h>

#include <bit>

#include "vkmoye/base/error.hpp"

namespace vkmoye::gen {

using ir::Expr;

Expr sign(const Expr& x) { return select(less(0, x), 1, select(less(x, 0), -1, x)); }

Expr erf(const Expr& x) {
  const Expr size = absolute(x);
  const Expr t = 1 / (1 + 0.3275911 * size);
  Expr sum = 1.061405429 * t - 1.453152027;
  for (const double next : {1.421413741, -0.284496736, 0.254829592}) sum = sum * t + next;
  const Expr result = 1 - sum * t * exp(-size * size);
  return select(less(x, 0), -result, result);
}

Expr bit_field(const Expr& word, std::uint32_t first, std::uint32_t count) {
  const std::uint32_t mask = count >= 32 ? ~0u : (1u << count) - 1;
  return bit_and(first == 0 ? word : shift_right(word, first), mask);
}

Expr signed_bit_field(const Expr& word, std::uint32_t first, std::uint32_t count) {
  const Expr bits = word->type == ir::kIndex ? convert(word, ScalarType::u32) : word;
  const std::uint32_t above = 32 - first - count, unused = 32 - count;
  const Expr moved = bitcast(above == 0 ? bits : shift_left(bits, above), ScalarType::i32);
  return unused == 0 ? moved : shift_right(moved, unused);
}

Expr pack_bits(const std::vector<Expr>& parts) {
  const auto count = static_cast<std::uint32_t>(parts.size());
  if (count < 2 || count > 32 || !std::has_single_bit(count)) {
    throw KernelError(fmt::format("pack_bits of {} parts", count),
                      {"a word holds 2, 4, 8, 16 or 32 parts"});
  }
  const std::uint32_t bits = 32 / count;
  const auto placed = [&](std::uint32_t number) {
    const Expr part = convert(parts[number], ScalarType::u32);
    // The last shift moves what is above the part out of the word.
    const Expr low = number + 1 == count ? part : bit_field(part, 0, bits);
    return number == 0 ? low : shift_left(low, number * bits);
  };
  Expr word = placed(0);
  for (std::uint32_t i = 1; i < count; ++i) word = bit_or(word, placed(i));
  return word;
}

Expr dot4(const DeviceCaps& device, const BytePair& words, const Expr& sum) {
  const auto& [a, b, type_of_a, type_of_b] = words;
  for (const ScalarType type : {type_of_a, type_of_b}) {
    if (type == ScalarType::i8 || type == ScalarType::u8) continue;
    throw KernelError(fmt::format("dot4 of bytes of type {}", to_string(type)),
                      {"the bytes of a word are i8 or u8"});
  }
  if (device.has(Feature::integer_dot)) return sum + packed_dot4(a, type_of_a, b, type_of_b);
  const bool any_signed = type_of_a == ScalarType::i8 || type_of_b == ScalarType::i8;
  const auto byte = [any_signed](const Expr& word, ScalarType type, std::uint32_t first) {
    if (type == ScalarType::i8) return signed_bit_field(word, first, 8);
    const Expr bits = bit_field(word, first, 8);
    return any_signed ? bitcast(bits, ScalarType::i32) : bits;
  };
  Expr total = sum;
  for (const std::uint32_t first : {0u, 8u, 16u, 24u}) {
    total = total + byte(a, type_of_a, first) * byte(b, type_of_b, first);
  }
  return total;
}

}  // namespace vkmoye::gen
