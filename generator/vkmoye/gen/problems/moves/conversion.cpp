// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/moves/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/option_values.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/ir/evaluate.hpp"
#include "vkmoye/gen/numbers/hard.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/numbers/random.hpp"

namespace vkmoye::gen {
namespace {

std::uint64_t bits_at(ScalarType type, const std::byte* from) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, size_of(type));  // little-endian
  return bits;
}

// A number of random sign and magnitude, from 2^-40 up to `largest`, most of them with a fraction.
double random_magnitude(std::uint64_t bits, double largest) {
  const double fraction = std::ldexp(static_cast<double>(bits >> 11), -53);  // 0 to 1
  const int binades = static_cast<int>(std::log2(largest)) + 42;
  const double magnitude =
      std::ldexp(1 + fraction, static_cast<int>(bits / 2 % 1024) % binades - 40);
  return (bits & 1) != 0 ? -magnitude : magnitude;
}

// Integers may become f32 on their way to shorter floating-point numbers: those up to this are exact.
constexpr double kExactInF32 = 0x1p24;

}  // namespace

MovedTypes parse_moved_types(const std::string& text, const std::string& kernel,
                             const std::string& takes, bool converts) {
  const std::vector<std::string> parts = split(text, '*');
  if (parts.size() > (converts ? 2u : 1u)) {
    throw ArgumentError(
        fmt::format("type '{}' has {} parts; {} takes {}", text, parts.size(), kernel, takes));
  }
  return {parse_type(parts.front()), parse_type(parts.back())};
}

void random_moved(std::span<std::byte> out, const MovedTypes& types, std::uint64_t seed,
                  std::uint64_t index) {
  random_element(out, seed, index);
  if (!types.converts()) return;
  const auto [from, to] = types;
  const bool is_real = is_floating(from);
  const std::uint64_t bits = random_bits(~seed, index);
  const bool is_narrow = is_floating(to) && size_of(to) < 4;
  if (!is_real && !is_narrow) return;
  const double largest = range_of(to).largest;
  if (!is_real) {
    const double max = std::min({kExactInF32, range_of(from).largest, largest});
    const double value = std::ldexp(static_cast<double>(bits >> 11), -52) - 1;  // -1 to 1
    store_number(from, std::trunc(is_unsigned(from) ? std::fabs(value) * max : value * max),
                 out.data());
    return;
  }
  if (is_floating(to) && index % 2 == 0) return;  // any bits
  // Every other line of numbers that are not any bits is hard, of a floating-point type also beyond the largest number.
  constexpr std::uint64_t kLine = 16;
  double value = random_magnitude(bits, std::min({largest, range_of(from).largest, 0x1p60}));
  if (index / kLine % 2 == 1) {
    const bool is_any = is_floating(to);
    const HardLine line(
        {.type = from, .largest = is_any ? 2 * largest : largest, .nonfinite = is_any},
        random_bits(~seed, index / kLine), kLine);
    value = line[static_cast<std::int64_t>(index % kLine)];
  }
  if (!is_floating(to) && is_unsigned(to)) value = std::fabs(value);
  store_number(from, value, out.data());
  // Rounding to `from` may have reached the first number that does not fit.
  const bool fits = std::fabs(load_number(from, out.data())) <= largest;  // not if it is NaN
  if (!is_floating(to) && !fits) store_number(from, 0, out.data());
}

bool is_moved(const MovedTypes& types, const std::byte* source, const std::byte* got) {
  const auto [from, to] = types;
  if (!types.converts()) return std::memcmp(source, got, size_of(from)) == 0;
  const std::uint64_t expected =
      ir::converted(ir::element(from), bits_at(from, source), ir::element(to));
  const std::uint64_t found = bits_at(to, got);
  if (found == expected) return true;
  if (!is_floating(to)) return false;
  if (from == ScalarType::f64 && size_of(to) < 4) {
    const ir::Type f32 = ir::element(ScalarType::f32);
    const std::uint64_t between = ir::converted(ir::element(from), bits_at(from, source), f32);
    if (found == ir::converted(f32, between, ir::element(to))) return true;
  }
  const double wanted = number_of(to, expected), value = number_of(to, found);
  if (std::isnan(wanted)) return std::isnan(value);
  // Codes are integers to the device; f32 lies between them and other types.
  const auto is_flushed = [](ScalarType type, double number) {
    const ScalarType computed = is_code(type) ? ScalarType::f32 : type;
    return is_floating(type) && std::fabs(number) < range_of(computed).smallest_normal;
  };
  return value == 0 &&
         (is_flushed(from, number_of(from, bits_at(from, source))) || is_flushed(to, wanted));
}

}  // namespace vkmoye::gen
