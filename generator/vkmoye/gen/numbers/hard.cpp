// SPDX-License-Identifier: MIT
#include "vkmoye/gen/numbers/hard.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/numbers/random.hpp"

namespace vkmoye::gen {
namespace {

double rounded(ScalarType type, double value) { return number_of(type, bits_of(type, value)); }

double smallest_subnormal(const NumberRange& range) {
  return range.smallest_normal * range.epsilon;
}

double sign_of(std::uint64_t bits) { return (bits & 1) != 0 ? -1 : 1; }

double fraction_of(std::uint64_t bits) { return std::ldexp(static_cast<double>(bits >> 11), -53); }

template <class T, std::size_t count>
T one_of(const T (&values)[count], std::uint64_t bits) {
  return values[bits % count];
}

HardKind kind_of(const HardNumbers& numbers, std::uint64_t bits) {
  if (numbers.masks && bits % 4 != 0) return HardKind::masked;
  constexpr HardKind kKinds[] = {HardKind::exponents, HardKind::exponents,  HardKind::ends,
                                 HardKind::equal,     HardKind::one_sign,   HardKind::cancelling,
                                 HardKind::subnormal, HardKind::pleasant,   HardKind::one_sign,
                                 HardKind::pleasant,  HardKind::cancelling, HardKind::nonfinite};
  const HardKind kind = one_of(kKinds, bits / 4);
  return kind == HardKind::nonfinite && !numbers.nonfinite ? HardKind::exponents : kind;
}

}  // namespace

HardLine::HardLine(const HardNumbers& numbers, std::uint64_t stream, std::int64_t count)
    : numbers_(numbers),
      stream_(stream),
      count_(std::max<std::int64_t>(count, 1)),
      kind_(kind_of(numbers, random_bits(~stream, 0))),
      shape_(random_bits(~stream, 1)) {
  const NumberRange range = range_of(numbers.type);
  numbers_.largest = std::min(numbers.largest, range.largest);
  if (range.epsilon == 0) {
    min_exponent_ = exponents_ = 0;
    return;
  }
  const int lowest = std::ilogb(smallest_subnormal(range)), highest = std::ilogb(numbers_.largest);
  const int all = highest - lowest + 1;
  // Pairs and numbers of similar size have few exponents, others all or a window of them.
  int width = all;
  if (kind_ == HardKind::one_sign || kind_ == HardKind::cancelling) {
    width = std::min(all, 3);
  } else if (shape_ % 3 != 0) {
    width = 1 + static_cast<int>(shape_ / 3 % 40) % all;
  }
  const auto windows = static_cast<std::uint64_t>(all - width + 1);
  exponents_ = width;
  min_exponent_ = lowest + static_cast<int>(random_bits(~stream, 2) % windows);
}

double HardLine::with_exponent(std::uint64_t bits) const {
  const std::uint64_t more = random_bits(bits, 1);
  const int exponent =
      min_exponent_ + static_cast<int>(more / 2 % static_cast<std::uint64_t>(exponents_));
  const double magnitude = std::ldexp(1 + fraction_of(bits), exponent);
  return sign_of(more) * std::min(magnitude, numbers_.largest);
}

double HardLine::end(std::uint64_t bits) const {
  const NumberRange range = range_of(numbers_.type);
  const double ends[] = {0,
                         0,
                         smallest_subnormal(range),
                         range.smallest_normal - smallest_subnormal(range),
                         range.smallest_normal,
                         1,
                         1 + range.epsilon,
                         1 - range.epsilon / 2,
                         numbers_.largest};
  return sign_of(bits) * one_of(ends, bits / 2);
}

double HardLine::integer(std::int64_t place) const {
  if (kind_ == HardKind::equal) place /= 1 + static_cast<std::int64_t>(shape_ % 7);
  const std::uint64_t bits = random_bits(stream_, static_cast<std::uint64_t>(place));
  const bool has_sign = !is_unsigned(numbers_.type);
  const double largest = numbers_.largest;
  const bool is_whole_type = largest == range_of(numbers_.type).largest;
  const double lowest = has_sign ? -largest - (is_whole_type ? 1 : 0) : 0;
  if (kind_ == HardKind::ends || bits % 8 == 0) {
    const double ends[] = {0, 1, has_sign ? -1.0 : 2.0, largest, lowest};
    return one_of(ends, bits / 8);
  }
  return std::floor(lowest + fraction_of(bits) * (largest - lowest + 1));
}

bool HardLine::is_hidden(std::int64_t place) const {
  const auto cut = static_cast<std::int64_t>(shape_ / 64 % static_cast<std::uint64_t>(count_));
  const auto block = static_cast<std::int64_t>(1 + shape_ / 8 % 8);
  switch (shape_ % 8) {
    case 0: return place < cut;
    case 1: return place > cut;
    case 2: return place / block % 2 == 0;
    case 3: return place / block % 2 == 1;
    case 4: return true;
    case 5: return place != cut;
    case 6: return place == cut;
    default: return random_bits(shape_, static_cast<std::uint64_t>(place)) % 2 == 0;
  }
}

double HardLine::drawn(std::int64_t place) const {
  const NumberRange range = range_of(numbers_.type);
  const std::uint64_t bits = random_bits(stream_, static_cast<std::uint64_t>(place));
  switch (kind_) {
    case HardKind::exponents: return with_exponent(bits);
    case HardKind::ends: return end(bits);
    case HardKind::equal: {
      const std::int64_t run = place / (1 + static_cast<std::int64_t>(shape_ / 256 % 9));
      return with_exponent(random_bits(stream_, static_cast<std::uint64_t>(run)));
    }
    case HardKind::one_sign: return sign_of(shape_ / 256) * std::fabs(with_exponent(bits));
    case HardKind::cancelling: {
      const std::int64_t pair = place / 2;
      const double x = with_exponent(random_bits(stream_, static_cast<std::uint64_t>(pair)));
      if (place % 2 == 0) return x;
      return pair % 3 == 2 ? -x * (1 - range.epsilon) : -x;
    }
    case HardKind::subnormal:
      return sign_of(bits) * std::floor(fraction_of(bits) / range.epsilon) *
             smallest_subnormal(range);
    case HardKind::pleasant: return sign_of(bits) * fraction_of(bits);
    case HardKind::nonfinite: {
      const double odd[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity};
      const bool is_here =
          place == static_cast<std::int64_t>(shape_ / 1024 % static_cast<std::uint64_t>(count_));
      return is_here ? one_of(odd, shape_ / 256) : with_exponent(bits);
    }
    case HardKind::masked: {
      const double hidden[] = {-1e4, -1e9, -1e10, -range.largest, -kInfinity};
      if (is_hidden(place)) return one_of(hidden, random_bits(~stream_, 3));
      return (shape_ / 512 % 2 == 0 ? 0 : 4) * sign_of(bits) * fraction_of(bits);
    }
  }
  return 0;
}

double HardLine::operator[](std::int64_t place) const {
  if (range_of(numbers_.type).epsilon == 0) return integer(place);
  return rounded(numbers_.type, drawn(place));
}

}  // namespace vkmoye::gen
