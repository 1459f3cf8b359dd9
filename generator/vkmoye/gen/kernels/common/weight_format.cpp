// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/weight_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/layout/algebra.hpp"

namespace vkmoye::gen {
namespace {

// The bits of a block from `first` on: inside a byte, or of whole bytes.
std::uint64_t read_bits(std::span<const std::byte> block, std::int64_t first, std::uint32_t bits) {
  const auto byte = static_cast<std::size_t>(first / 8);
  if (bits < 8) {
    return std::to_integer<std::uint64_t>(block[byte]) >> (first % 8) & ((1u << bits) - 1);
  }
  std::uint64_t out = 0;
  for (std::uint32_t i = 0; i < bits / 8; ++i) {
    out |= std::to_integer<std::uint64_t>(block[byte + i]) << (8 * i);
  }
  return out;
}

void write_bits(std::span<std::byte> block, std::int64_t first, std::uint32_t bits,
                std::uint64_t value) {
  const auto at = static_cast<std::size_t>(first / 8);
  if (bits < 8) {
    const std::uint32_t mask = ((1u << bits) - 1) << (first % 8);
    const auto others = std::to_integer<std::uint32_t>(block[at]) & ~mask;
    block[at] =
        static_cast<std::byte>(others | (static_cast<std::uint32_t>(value) << (first % 8) & mask));
    return;
  }
  for (std::uint32_t i = 0; i < bits / 8; ++i)
    block[at + i] = static_cast<std::byte>(value >> (8 * i));
}

// The numbers of a format, in the order in which they are listed and packed.
template <class Format, class Take>
void for_each_number(Format& format, const Take& take) {
  take("code", "codes", NumberOf::weight, format.code);
  if (format.scale) take("scale", "scales", NumberOf::block, *format.scale);
  if (format.minimum) take("minimum", "minima", NumberOf::block, *format.minimum);
  if (format.sub_scale) take("sub_scale", "sub_scales", NumberOf::part, *format.sub_scale);
  if (format.sub_minimum) take("sub_minimum", "sub_minima", NumberOf::part, *format.sub_minimum);
}

double one_of(const std::optional<WeightNumber>& number, std::span<const std::byte> block,
              std::int64_t element, double other) {
  return number ? number->number_of(bits_of(*number, block, element)) : other;
}

}  // namespace

// --- numbers ---

std::int64_t BitField::operator()(std::int64_t element) const {
  return first + (size(at) == 1 ? 0 : at(element));
}

std::vector<NamedNumber> numbers_of(const WeightFormat& format) {
  std::vector<NamedNumber> numbers;
  for_each_number(
      format, [&](const char* name, const char* plural, NumberOf of, const WeightNumber& number) {
        numbers.push_back({name, plural, of, &number});
      });
  return numbers;
}

const WeightNumber* number_called(const WeightFormat& format, std::string_view name) {
  for (const NamedNumber& named : numbers_of(format)) {
    if (named.name == name) return named.number;
  }
  return nullptr;
}

std::int64_t run_of(const WeightNumber& number, std::int64_t elements) {
  std::int64_t run = elements;
  for (const BitField& field : number.fields) {
    while (run > 1) {
      bool is_shared = true;
      for (std::int64_t i = 0; i < elements; ++i) {
        is_shared = is_shared && field(i) == field(i / run * run);
      }
      if (is_shared) break;
      run /= 2;
    }
  }
  return run;
}

std::uint32_t WeightNumber::bits() const {
  std::uint32_t bits = 0;
  for (const BitField& field : fields) bits = std::max(bits, field.to + field.bits);
  return bits;
}

std::vector<BitField> WeightNumber::fields_in_words() const {
  constexpr auto kBits = static_cast<std::uint32_t>(kBitsOfWord);
  std::vector<BitField> out;
  for (const BitField& field : fields) {
    for (std::uint32_t from = 0; from < field.bits; from += kBits) {
      out.push_back(
          {std::min(kBits, field.bits - from), field.first + from, field.at, field.to + from});
    }
  }
  return out;
}

double WeightNumber::number_of(std::uint64_t code) const {
  switch (kind) {
    case NumberKind::whole: return static_cast<double>(static_cast<std::int64_t>(code) - zero);
    case NumberKind::has_sign: {
      const auto number = static_cast<std::int64_t>(code);
      return static_cast<double>(number >= codes() / 2 ? number - codes() : number);
    }
    case NumberKind::floating: return vkmoye::number_of(type, code);
    case NumberKind::power_of_two:
      return code == 255 ? std::numeric_limits<double>::quiet_NaN()
                         : std::ldexp(1, static_cast<int>(code) - 127);
    case NumberKind::level: return levels[static_cast<std::size_t>(code)];
  }
  return 0;
}

double WeightNumber::largest() const {
  double largest = 0;
  for (std::int64_t code = 0; code < codes(); ++code) {
    const double number = std::fabs(number_of(static_cast<std::uint64_t>(code)));
    if (std::isfinite(number)) largest = std::max(largest, number);
  }
  return largest;
}

bool WeightNumber::is_of_block() const {
  return std::all_of(fields.begin(), fields.end(),
                     [](const BitField& field) { return size(field.at) == 1; });
}

WeightNumber number_at_byte(std::int64_t byte, ScalarType type) {
  const auto bits = static_cast<std::uint32_t>(8 * size_of(type));
  return {
      .fields = {{.bits = bits, .first = 8 * byte}}, .kind = NumberKind::floating, .type = type};
}

// --- places ---

std::optional<FieldInWords> in_words(const BitField& field, std::int64_t elements,
                                     std::int64_t bits_of_word, std::int64_t begin) {
  const std::int64_t first = begin + field.first;
  FieldInWords out{first / bits_of_word, first % bits_of_word, {}, {}};
  std::int64_t last_bit = out.first_bit + field.bits;
  std::vector<Layout> word, bit;
  const auto add = [&](std::int64_t extent, std::int64_t stride) {
    word.emplace_back(extent, stride / bits_of_word);
    bit.emplace_back(extent, stride % bits_of_word);
    last_bit += (extent - 1) * (stride % bits_of_word);
  };
  const Layout at = size(field.at) == 1 ? Layout(elements, 0) : field.at;
  for (const auto& [extent, stride] : at.leaves()) {
    const std::int64_t inside = stride == 0 ? extent : bits_of_word / stride;
    if (inside > 0 && inside < extent) {  // some neighbours in a word, the next ones in others
      add(inside, stride);
      add(extent / inside, inside * stride);
    } else {
      add(extent, stride);
    }
  }
  if (last_bit > bits_of_word) return std::nullopt;
  out.word = make_layout(std::span<const Layout>(word));
  out.bit = make_layout(std::span<const Layout>(bit));
  return out;
}

bool WeightFormat::is_in_words() const {
  for (const NamedNumber& named : numbers_of(*this)) {
    for (const BitField& field : named.number->fields_in_words()) {
      if (!in_words(field, elements, kBitsOfWord)) return false;
    }
  }
  return true;
}

double WeightFormat::largest_number() const {
  return code.largest() * (sub_scale ? sub_scale->largest() : 1);
}

// --- blocks ---

std::uint64_t bits_of(const WeightNumber& number, std::span<const std::byte> block,
                      std::int64_t element) {
  std::uint64_t out = 0;
  for (const BitField& field : number.fields) {
    out |= read_bits(block, field(element), field.bits) << field.to;
  }
  return out;
}

void store_bits(const WeightNumber& number, std::uint64_t bits, std::span<std::byte> block,
                std::int64_t element) {
  for (const BitField& field : number.fields) {
    write_bits(block, field(element), field.bits, bits >> field.to);
  }
}

WeightScales scales_of_block(const WeightFormat& format, std::span<const std::byte> block) {
  return {one_of(format.scale, block, 0, 1), one_of(format.minimum, block, 0, 0)};
}

WeightScales scales_of(const WeightFormat& format, std::span<const std::byte> block,
                       std::int64_t element) {
  const WeightScales all = scales_of_block(format, block);
  const double minimum = all.minimum * one_of(format.sub_minimum, block, element, 1);
  return {all.scale * one_of(format.sub_scale, block, element, 1),
          format.subtracts_minimum ? -minimum : minimum};
}

double weight_of(const WeightFormat& format, std::span<const std::byte> block,
                 std::int64_t element) {
  const std::int64_t before = element / format.elements * format.bytes;
  return dequantise(format, block.subspan(static_cast<std::size_t>(before)),
                    format.elements)[static_cast<std::size_t>(element % format.elements)];
}

std::vector<double> dequantise(const WeightFormat& format, std::span<const std::byte> from,
                               std::int64_t count) {
  std::vector<double> weights;
  for (; static_cast<std::int64_t>(weights.size()) < count;
       from = from.subspan(static_cast<std::size_t>(format.bytes))) {
    WeightScales scales = scales_of(format, from, 0);
    for (std::int64_t i = 0; i < format.elements; ++i) {
      if (format.has_sub_blocks()) scales = scales_of(format, from, i);
      weights.push_back(scales.scale * format.code.number_of(bits_of(format.code, from, i)) +
                        scales.minimum);
    }
  }
  return weights;
}

namespace {

// A field of half a block, of which the other half has its bits `apart` bits behind.
std::optional<BitField> half_of(const BitField& field, std::int64_t apart) {
  const std::span<const Mode> leaves = field.at.leaves();
  if (leaves.size() < 2 || leaves.back().extent != 2 || leaves.back().stride != apart) {
    return std::nullopt;
  }
  std::vector<Layout> modes;
  for (std::size_t i = 0; i + 1 < leaves.size(); ++i) {
    modes.emplace_back(leaves[i].extent, leaves[i].stride);
  }
  BitField half = field;
  half.at = make_layout(std::span<const Layout>(modes));
  return half;
}

}  // namespace

std::optional<WeightFormat> half_of(const WeightFormat& format) {
  WeightFormat half = format;
  half.elements /= 2;
  half.bytes /= 2;
  bool are_equal = true;
  for_each_number(half, [&](const char*, const char*, NumberOf, WeightNumber& number) {
    for (BitField& field : number.fields) {
      const std::optional<BitField> of_half = half_of(field, 8 * half.bytes);
      are_equal = are_equal && of_half;
      field = of_half.value_or(field);
    }
  });
  return are_equal ? std::optional(half) : std::nullopt;
}

// --- rules ---

std::vector<std::string> reasons_against(const WeightFormat& format) {
  std::vector<std::string> reasons;
  const auto require = [&](bool holds, const std::string& rule) {
    if (!holds) reasons.push_back(fmt::format("weight format {}: {}", format.name, rule));
  };
  require(is_power_of_two(format.elements, 256) && format.elements >= 8,
          "a block must have a power of two of elements, 8 to 256");
  require(format.bytes > 0 && format.bytes % 2 == 0, "a block must have an even number of bytes");
  require(format.code.bits() >= 1 && format.code.bits() <= 8, "codes must have 1 to 8 bits");
  require(!format.minimum || format.scale, "a minimum needs a scale");
  require(!format.sub_minimum || format.minimum, "a sub_minimum needs a minimum");
  if (!reasons.empty()) return reasons;
  const auto require_fields = [&](const std::string& name, const WeightNumber& number) {
    require(!number.fields.empty(), name + " must have a field");
    std::uint32_t above = 0;
    for (const BitField& field : number.fields) {
      require(
          field.bits >= 1 && field.to == above,
          fmt::format("the fields of {} must be its bits one after the other, from 0 on", name));
      above = field.to + field.bits;
      const std::int64_t of = size(field.at);
      const auto half = half_of(field, 4 * format.bytes);
      require(
          of == 1 || (of == format.elements && in_words(field, of, 32)) ||
              (of == format.elements && in_words({field.bits, 0, field.at}, of, 32)) ||
              (of == format.elements && half && in_words({field.bits, 0, half->at}, of / 2, 32)),
          fmt::format("a field of {} must have a layout over 1 or {} elements, with each of "
                      "its numbers in a word of 32 bits",
                      name, format.elements));
      bool fits = true, is_in_bytes = true;
      for (std::int64_t i = 0; i < format.elements; ++i) {
        const std::int64_t at = field(i);
        fits = fits && at >= 0 && at + field.bits <= 8 * format.bytes;
        is_in_bytes =
            is_in_bytes && (field.bits < 8 ? at % 8 + field.bits <= 8 : at % field.bits == 0);
        if (of == 1) break;
      }
      require(fits,
              fmt::format("a field of {} is outside the {} bytes of a block", name, format.bytes));
      require(
          is_in_bytes,
          fmt::format("a field of {} must be inside a byte, or begin at a multiple of its {} bits",
                      name, field.bits));
    }
  };
  const auto require_kind = [&](const std::string& name, const WeightNumber& number) {
    const std::int64_t levels = number.kind == NumberKind::level ? number.codes() : 0;
    require(static_cast<std::int64_t>(number.levels.size()) == levels,
            fmt::format("{} must have {} levels", name, levels));
    const bool has_zero = number.kind == NumberKind::whole;
    require(number.kind != NumberKind::power_of_two || number.bits() == 8,
            fmt::format("{} has {} bits, but powers of two have 8", name, number.bits()));
    require(has_zero ? number.zero >= 0 && number.zero < number.codes() : number.zero == 0,
            fmt::format("the zero of {} must be a code, and 0 if it is no whole number", name));
    require(number.kind != NumberKind::floating || 8 * size_of(number.type) == number.bits(),
            fmt::format("{} has {} bits, but is a number of {}", name, number.bits(),
                        to_string(number.type)));
  };
  for (const NamedNumber& named : numbers_of(format)) {
    const std::string& name = named.name;
    const WeightNumber& number = *named.number;
    require_fields(name, number);
    require_kind(name, number);
    const auto is_floating_point = [&](ScalarType one, ScalarType other) {
      return number.kind == NumberKind::floating && (number.type == one || number.type == other);
    };
    if (named.of == NumberOf::weight) {
      require(number.kind != NumberKind::floating ||
                  is_floating_point(ScalarType::e4m3, ScalarType::e5m2),
              "codes that are numbers must have type e4m3 or e5m2");
    } else if (named.of == NumberOf::block) {
      const ScalarType widest = format.bytes % 4 == 0 ? ScalarType::f32 : ScalarType::f16;
      require(is_floating_point(ScalarType::f16, widest) && number.is_of_block(),
              fmt::format("{} must be one number of f16 for a block, or of f32 in blocks of whole "
                          "words of 4 bytes",
                          name));
    } else {
      require(number.bits() <= 8, fmt::format("{} must have at most 8 bits", name));
      require(run_of(number, format.elements) >= 8,
              fmt::format("8 consecutive weights must have the same {}", name));
    }
  }
  require(!format.minimum || format.minimum->type == format.scale->type,
          "scale and minimum must have the same type");
  return reasons;
}

}  // namespace vkmoye::gen
