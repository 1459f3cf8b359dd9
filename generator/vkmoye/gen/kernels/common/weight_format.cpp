// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/weight_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::gen {
namespace {

double half_at(std::span<const std::byte> block, std::int64_t at) {
  const auto byte = [&](std::int64_t i) {
    return std::to_integer<std::uint64_t>(block[static_cast<std::size_t>(i)]);
  };
  return number_of(ScalarType::f16, byte(at) | byte(at + 1) << 8);
}

void store_half(double value, std::span<std::byte> block, std::int64_t at) {
  const std::uint64_t bits = bits_of(ScalarType::f16, value);
  block[static_cast<std::size_t>(at)] = static_cast<std::byte>(bits & 255);
  block[static_cast<std::size_t>(at) + 1] = static_cast<std::byte>(bits >> 8);
}

// The byte that holds the code of a weight, and the bits of the byte before it.
struct Place {
  std::size_t byte;
  std::uint32_t shift;
};

Place place_of(const WeightFormat& format, std::int64_t element) {
  const std::int64_t per_byte = 8 / format.bits, half = format.elements / per_byte;
  const bool in_halves = format.order == WeightFormat::Order::halves;
  const std::int64_t byte = in_halves ? element % half : element / per_byte;
  const std::int64_t number = in_halves ? element / half : element % per_byte;
  return {static_cast<std::size_t>(format.codes_at + byte),
          static_cast<std::uint32_t>(number) * format.bits};
}

void store_code(const WeightFormat& format, std::span<std::byte> block, std::int64_t element,
                std::int64_t code) {
  const Place place = place_of(format, element);
  const std::int64_t mask = (std::int64_t{1} << format.bits) - 1;
  block[place.byte] |= static_cast<std::byte>((code & mask) << place.shift);
}

// Sets the block to 0, then each code: the definitions compute in f32, as ggml does.
void store_codes(const char* name, std::span<const double> weights, std::span<std::byte> block,
                 const std::function<std::int64_t(float)>& code) {
  const WeightFormat& format = *find_weight_format(name);
  std::fill(block.begin() + static_cast<std::ptrdiff_t>(format.codes_at), block.end(),
            std::byte{0});
  for (std::size_t i = 0; i < weights.size(); ++i) {
    store_code(format, block, static_cast<std::int64_t>(i), code(static_cast<float>(weights[i])));
  }
}

float inverse(float scale) { return scale != 0 ? 1 / scale : 0; }

// scale = max |w| / 127, code = w / scale rounded to nearest, halves away from 0.
void quantise_q8_0(std::span<const double> weights, std::span<std::byte> block) {
  float most = 0;
  for (const double w : weights) most = std::max(most, std::fabs(static_cast<float>(w)));
  const float scale = most / 127, per_scale = inverse(scale);
  store_half(scale, block, 0);
  store_codes("q8_0", weights, block,
              [&](float w) { return static_cast<std::int64_t>(std::round(w * per_scale)); });
}

// scale = (the weight with the largest magnitude) / -8, code = w / scale + 8 rounded, at most 15.
void quantise_q4_0(std::span<const double> weights, std::span<std::byte> block) {
  float most = 0;
  for (const double w : weights) {
    const auto x = static_cast<float>(w);
    if (std::fabs(x) > std::fabs(most)) most = x;
  }
  const float scale = most / -8, per_scale = inverse(scale);
  store_half(scale, block, 0);
  store_codes("q4_0", weights, block, [&](float w) {
    return std::min<std::int64_t>(15, static_cast<std::int64_t>(w * per_scale + 8.5f));
  });
}

// scale = (largest - smallest) / 15, minimum = the smallest, code = (w - minimum) / scale rounded, at most 15.
void quantise_between(const char* format, std::span<const double> weights,
                      std::span<std::byte> block) {
  const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  const auto low = static_cast<float>(*least);
  const float scale = (static_cast<float>(*most) - low) / 15, per_scale = inverse(scale);
  store_half(scale, block, 0);
  store_half(low, block, 2);
  store_codes(format, weights, block, [&](float w) {
    return std::min<std::int64_t>(15, static_cast<std::int64_t>((w - low) * per_scale + 0.5f));
  });
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
      {.name = "i4g128",
       .elements = 128,
       .bytes = 68,
       .bits = 4,
       .order = Order::neighbours,
       .codes_at = 4,
       .zero = 0,
       .minimum_at = 2,
       .quantise = [](auto weights, auto block) { quantise_between("i4g128", weights, block); }},
  };
  return table;
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
  require(format.bits == 4 || format.bits == 8, "codes must have 4 or 8 bits");
  require(is_power(format.elements) && format.elements >= 8 && format.elements <= 256,
          "a block must have a power of two of elements, 8 to 256");
  require(format.bytes > 0 && format.bytes % 2 == 0, "a block must have an even number of bytes");
  if (!reasons.empty()) return reasons;
  require(inside(format.scale_at, 2) && inside(format.codes_at, format.codes_bytes()) &&
              (!format.minimum_at || inside(*format.minimum_at, 2)),
          "scale, minimum and codes must be inside the block, at even bytes");
  require(!format.has_sign || format.zero == 0, "codes with a sign have zero = 0");
  require(format.zero >= 0 && format.zero < (std::int64_t{1} << format.bits),
          "zero must be a code");
  return reasons;
}

std::int64_t code_of(const WeightFormat& format, std::span<const std::byte> block,
                     std::int64_t element) {
  const Place place = place_of(format, element);
  const std::int64_t values = std::int64_t{1} << format.bits;
  const auto byte = std::to_integer<std::int64_t>(block[place.byte]);
  const std::int64_t code = (byte >> place.shift) % values;
  return format.has_sign && code >= values / 2 ? code - values : code;
}

double weight_of(const WeightFormat& format, std::span<const std::byte> block,
                 std::int64_t element) {
  const auto code = static_cast<double>(code_of(format, block, element) - format.zero);
  const double minimum = format.minimum_at ? half_at(block, *format.minimum_at) : 0;
  return half_at(block, format.scale_at) * code + minimum;
}

std::vector<double> dequantise(const WeightFormat& format, std::span<const std::byte> from,
                               std::int64_t count) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto block = static_cast<std::size_t>(i / format.elements * format.bytes);
    weights.push_back(weight_of(format, from.subspan(block), i % format.elements));
  }
  return weights;
}

std::vector<std::byte> quantise(const WeightFormat& format, std::span<const double> weights) {
  const auto elements = static_cast<std::size_t>(format.elements);
  const auto bytes = static_cast<std::size_t>(format.bytes);
  std::vector<std::byte> blocks(weights.size() / elements * bytes);
  for (std::size_t i = 0; i * elements < weights.size(); ++i) {
    format.quantise(weights.subspan(i * elements, elements),
                    std::span(blocks).subspan(i * bytes, bytes));
  }
  return blocks;
}

}  // namespace vkmoye::gen
