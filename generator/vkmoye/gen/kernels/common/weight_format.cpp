// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/weight_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/common/quantise.hpp"

namespace vkmoye::gen {
namespace {

// The scale or minimum at a byte of a block.
double number_at(const WeightFormat& format, std::span<const std::byte> block, std::int64_t at) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size_of(format.scale_type); ++i) {
    const std::byte byte = block[static_cast<std::size_t>(at) + i];
    bits |= std::to_integer<std::uint64_t>(byte) << (8 * i);
  }
  return number_of(format.scale_type, bits);
}

void store_number(ScalarType type, double value, std::span<std::byte> block, std::size_t at) {
  const std::uint64_t bits = bits_of(type, value);
  for (std::size_t i = 0; i < size_of(type); ++i) {
    block[at + i] = static_cast<std::byte>(bits >> (8 * i));
  }
}

// The number by which a scale is multiplied for `code`, which has a sign if the format has.
double number_of_code(const WeightFormat& format, std::int64_t code) {
  const auto bits = static_cast<std::uint64_t>(code);
  if (!format.levels.empty()) return format.levels[bits];
  return format.code_type ? number_of(*format.code_type, bits)
                          : static_cast<double>(code - format.zero);
}

// The code at a bit of a byte of a block.
std::int64_t code_at(const WeightFormat& format, std::span<const std::byte> block,
                     std::int64_t byte, std::int64_t bit) {
  const std::int64_t values = std::int64_t{1} << format.bits;
  const auto bits = std::to_integer<std::int64_t>(block[static_cast<std::size_t>(byte)]);
  const std::int64_t code = (bits >> bit) % values;
  return format.has_sign && code >= values / 2 ? code - values : code;
}

// Sets the block to 0, then each code: the definitions compute in f32, as ggml does.
void store_codes(const char* name, std::span<const double> weights, std::span<std::byte> block,
                 const std::function<std::int64_t(float)>& code) {
  const WeightFormat& format = *find_weight_format(name);
  const CodesInWords bytes = format.codes_in_words(8);
  const std::span<std::byte> codes = block.subspan(static_cast<std::size_t>(format.codes_at));
  std::fill(codes.begin(), codes.end(), std::byte{0});
  const std::int64_t mask = (std::int64_t{1} << format.bits) - 1;
  for (std::int64_t i = 0; i < format.elements; ++i) {
    const auto weight = static_cast<float>(weights[static_cast<std::size_t>(i)]);
    codes[static_cast<std::size_t>(bytes.word(i))] |=
        static_cast<std::byte>((code(weight) & mask) << bytes.bit(i));
  }
}

// w / scale by the inverse of the scale, as ggml computes it; by a division if the inverse of a subnormal scale is
// infinite. 0 if the scale is 0.
float quotient(float w, float scale) {
  if (scale == 0) return 0;
  const float per_scale = 1 / scale;
  return std::isfinite(per_scale) ? w * per_scale : w / scale;
}

float largest_magnitude(std::span<const double> weights) {
  float max = 0;
  for (const double w : weights) max = std::max(max, std::fabs(static_cast<float>(w)));
  return max;
}

// scale = max |w| / 127, code = w / scale rounded to nearest, halves away from 0.
void quantise_q8_0(std::span<const double> weights, std::span<std::byte> block) {
  const float scale = largest_magnitude(weights) / 127;
  store_number(ScalarType::f16, scale, block, 0);
  store_codes("q8_0", weights, block,
              [&](float w) { return static_cast<std::int64_t>(std::round(quotient(w, scale))); });
}

// scale = (the weight with the largest magnitude) / -8, code = w / scale + 8 rounded, at most 15.
void quantise_q4_0(std::span<const double> weights, std::span<std::byte> block) {
  float extreme = 0;
  for (const double w : weights) {
    const auto x = static_cast<float>(w);
    if (std::fabs(x) > std::fabs(extreme)) extreme = x;
  }
  const float scale = extreme / -8;
  store_number(ScalarType::f16, scale, block, 0);
  store_codes("q4_0", weights, block, [&](float w) {
    return std::min<std::int64_t>(15, static_cast<std::int64_t>(quotient(w, scale) + 8.5f));
  });
}

// scale = (largest - smallest) / 15, minimum = the smallest, code = (w - minimum) / scale rounded, at most 15.
void quantise_between(const char* format, std::span<const double> weights,
                      std::span<std::byte> block) {
  const auto [min, max] = std::minmax_element(weights.begin(), weights.end());
  const auto low = static_cast<float>(*min);
  const float scale = (static_cast<float>(*max) - low) / 15;
  store_number(ScalarType::f16, scale, block, 0);
  store_number(ScalarType::f16, low, block, 2);
  store_codes(format, weights, block, [&](float w) {
    return std::min<std::int64_t>(15, static_cast<std::int64_t>(quotient(w - low, scale) + 0.5f));
  });
}

// The levels of bitsandbytes, each of f32: quantiles of the normal distribution, 0 among them, divided by the largest.
constexpr std::array<double, 16> kNormalLevels = {-1.0,
                                                  -0.6961928009986877,
                                                  -0.5250730514526367,
                                                  -0.39491748809814453,
                                                  -0.28444138169288635,
                                                  -0.18477343022823334,
                                                  -0.09105003625154495,
                                                  0.0,
                                                  0.07958029955625534,
                                                  0.16093020141124725,
                                                  0.24611230194568634,
                                                  0.33791524171829224,
                                                  0.44070982933044434,
                                                  0.5626170039176941,
                                                  0.7229568362236023,
                                                  1.0};

// scale = max |w|, code = the level nearest to w / scale: the number of middles between levels that it is above.
void quantise_nf4(std::span<const double> weights, std::span<std::byte> block) {
  const float scale = largest_magnitude(weights);
  store_number(ScalarType::f32, scale, block, 0);
  store_codes("nf4", weights, block, [&](float w) {
    std::int64_t code = 0;
    for (std::size_t i = 1; i < kNormalLevels.size(); ++i) {
      const auto middle = static_cast<float>((kNormalLevels[i - 1] + kNormalLevels[i]) / 2);
      code += quotient(w, scale) > middle ? 1 : 0;
    }
    return code;
  });
}

// scale = max |w| / 448, code = w / scale in e4m3. A subnormal scale has few digits: where it was rounded so far down
// that the largest weight would be beyond e4m3, the scale is the next number.
void quantise_e4m3(std::span<const double> weights, std::span<std::byte> block) {
  const float max = largest_magnitude(weights);
  float scale = max / 448;
  const auto is_beyond = [](float x) {
    return std::isnan(number_of(ScalarType::e4m3, bits_of(ScalarType::e4m3, x)));
  };
  if (max > 0 && is_beyond(max / scale)) {
    scale = std::nextafter(scale, std::numeric_limits<float>::infinity());
  }
  store_number(ScalarType::f32, scale, block, 0);
  store_codes("e4m3g128", weights, block, [&](float w) {
    return static_cast<std::int64_t>(bits_of(ScalarType::e4m3, scale != 0 ? w / scale : 0));
  });
}

// Weights are whole numbers: others are rounded to nearest, halves away from 0.
void quantise_i8(std::span<const double> weights, std::span<std::byte> block) {
  store_codes("i8", weights, block, [](float w) {
    return static_cast<std::int64_t>(std::round(std::clamp(w, -127.0f, 127.0f)));
  });
}

// Groups of weights of 4 bits with zero points.
WeightFormat group_of_4_bits(const char* name, std::int64_t elements) {
  return {.name = name,
          .elements = elements,
          .bytes = 4 + elements / 2,
          .bits = 4,
          .order = WeightFormat::Order::neighbours,
          .codes_at = 4,
          .zero = 0,
          .minimum_at = 2,
          .quantise = [name](auto weights, auto block) { quantise_between(name, weights, block); }};
}

}  // namespace

std::span<const WeightFormat> weight_formats() {
  using Order = WeightFormat::Order;
  static const WeightFormat table[] = {
      {.name = "q8_0",
       .elements = 32,
       .bytes = 34,
       .bits = 8,
       .order = Order::neighbours,
       .codes_at = 2,
       .zero = 0,
       .has_sign = true,
       .quantise = quantise_q8_0},
      {.name = "q4_0",
       .elements = 32,
       .bytes = 18,
       .bits = 4,
       .order = Order::halves,
       .codes_at = 2,
       .zero = 8,
       .quantise = quantise_q4_0},
      {.name = "q4_1",
       .elements = 32,
       .bytes = 20,
       .bits = 4,
       .order = Order::halves,
       .codes_at = 4,
       .zero = 0,
       .minimum_at = 2,
       .quantise = [](auto weights, auto block) { quantise_between("q4_1", weights, block); }},
      group_of_4_bits("i4g32", 32),
      group_of_4_bits("i4g64", 64),
      group_of_4_bits("i4g128", 128),
      {.name = "nf4",
       .elements = 64,
       .bytes = 36,
       .bits = 4,
       .order = Order::neighbours,
       .codes_at = 4,
       .zero = 0,
       .scale_type = ScalarType::f32,
       .levels = {kNormalLevels.begin(), kNormalLevels.end()},
       .quantise = quantise_nf4},
      {.name = "e4m3g128",
       .elements = 128,
       .bytes = 132,
       .bits = 8,
       .order = Order::neighbours,
       .codes_at = 4,
       .zero = 0,
       .scale_type = ScalarType::f32,
       .code_type = ScalarType::e4m3,
       .quantise = quantise_e4m3},
      {.name = "i8",
       .elements = 32,
       .bytes = 32,
       .bits = 8,
       .order = Order::neighbours,
       .scale_at = {},
       .codes_at = 0,
       .zero = 0,
       .has_sign = true,
       .quantise = quantise_i8},
  };
  return table;
}

CodesInWords WeightFormat::codes_in_words(std::int64_t bits_of_word) const {
  // In halves, as many elements are neighbours in a word as it has bytes.
  const std::int64_t apart = order == Order::halves ? 8 : bits;
  const std::int64_t parts = apart / bits, together = bits_of_word / apart;
  const IntTuple shape{{together, elements / parts / together}, parts};
  return {together, apart, parts, Layout(shape, IntTuple{{0, 1}, 0}),
          Layout(shape, IntTuple{{apart, 0}, bits})};
}

std::vector<WeightNumber> WeightFormat::numbers() const {
  std::vector<WeightNumber> out;
  if (scale_at) out.push_back({"scale", "scales", *scale_at});
  if (minimum_at) out.push_back({"minimum", "minima", *minimum_at});
  return out;
}

double WeightFormat::largest_number() const {
  double largest = 0;
  const std::int64_t codes = std::int64_t{1} << bits, first = has_sign ? -codes / 2 : 0;
  for (std::int64_t code = first; code < first + codes; ++code) {
    const double number = std::fabs(number_of_code(*this, code));
    if (std::isfinite(number)) largest = std::max(largest, number);
  }
  return largest;
}

const WeightFormat* find_weight_format(std::string_view name) {
  for (const WeightFormat& format : weight_formats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::vector<std::string> reasons_against(const WeightFormat& format) {
  std::vector<std::string> reasons;
  const auto require = [&](bool holds, const char* rule) {
    if (!holds) reasons.push_back(fmt::format("weight format {}: {}", format.name, rule));
  };
  const auto is_power = [](std::int64_t x) {
    return x > 0 && std::has_single_bit(static_cast<std::uint64_t>(x));
  };
  const auto inside = [&](std::int64_t at, std::int64_t bytes) {
    return at >= 0 && at % 2 == 0 && at + bytes <= format.bytes;
  };
  const auto width = static_cast<std::int64_t>(size_of(format.scale_type));
  const auto holds_number = [&](const std::optional<std::int64_t>& at) {
    return !at || (inside(*at, width) && *at % width == 0);
  };
  require(format.bits == 4 || format.bits == 8, "codes must have 4 or 8 bits");
  require(is_power(format.elements) && format.elements >= 8 && format.elements <= 256,
          "a block must have a power of two of elements, 8 to 256");
  require(format.bytes > 0 && format.bytes % 2 == 0, "a block must have an even number of bytes");
  if (!reasons.empty()) return reasons;
  require(format.scale_type == ScalarType::f16 ||
              (format.scale_type == ScalarType::f32 && format.bytes % 4 == 0),
          "scales must be of f16, or of f32 in blocks of whole words of 4 bytes");
  require(holds_number(format.scale_at) && holds_number(format.minimum_at) &&
              inside(format.codes_at, format.codes_bytes()),
          "scale, minimum and codes must be inside the block, codes at even bytes and the others "
          "at multiples of their size");
  require(format.scale_at || !format.minimum_at, "a minimum needs a scale");
  require(format.levels.empty() || format.levels.size() == std::size_t{1} << format.bits,
          "there must be as many levels as codes");
  const ScalarType of_codes = format.code_type.value_or(ScalarType::e4m3);
  require(of_codes == ScalarType::e4m3 || of_codes == ScalarType::e5m2,
          "codes that are numbers must have type e4m3 or e5m2");
  require(!format.code_type || format.bits == 8, "codes that are numbers must have 8 bits");
  const int kinds = !format.levels.empty() + format.code_type.has_value() + format.has_sign;
  require(kinds <= 1, "codes have a sign, levels or a type, not several of them");
  require(!format.has_sign || format.zero == 0, "codes with a sign have zero = 0");
  require(format.zero >= 0 && format.zero < (std::int64_t{1} << format.bits),
          "zero must be a code");
  return reasons;
}

std::int64_t code_of(const WeightFormat& format, std::span<const std::byte> block,
                     std::int64_t element) {
  const CodesInWords bytes = format.codes_in_words(8);
  return code_at(format, block, format.codes_at + bytes.word(element), bytes.bit(element));
}

BlockNumbers numbers_of(const WeightFormat& format, std::span<const std::byte> block) {
  BlockNumbers numbers;
  if (format.scale_at) numbers.scale = number_at(format, block, *format.scale_at);
  if (format.minimum_at) numbers.minimum = number_at(format, block, *format.minimum_at);
  return numbers;
}

double weight_of(const WeightFormat& format, std::span<const std::byte> block,
                 std::int64_t element) {
  const std::int64_t before = element / format.elements * format.bytes;
  return dequantise(format, block.subspan(static_cast<std::size_t>(before)),
                    format.elements)[static_cast<std::size_t>(element % format.elements)];
}

std::vector<double> dequantise(const WeightFormat& format, std::span<const std::byte> from,
                               std::int64_t count) {
  const CodesInWords bytes = format.codes_in_words(8);
  std::vector<double> weights;
  for (; static_cast<std::int64_t>(weights.size()) < count;
       from = from.subspan(static_cast<std::size_t>(format.bytes))) {
    const BlockNumbers numbers = numbers_of(format, from);
    for (std::int64_t i = 0; i < format.elements; ++i) {
      const std::int64_t code =
          code_at(format, from, format.codes_at + bytes.word(i), bytes.bit(i));
      weights.push_back(numbers.scale * number_of_code(format, code) + numbers.minimum);
    }
  }
  return weights;
}

}  // namespace vkmoye::gen
