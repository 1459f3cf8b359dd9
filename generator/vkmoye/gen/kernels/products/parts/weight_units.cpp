// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/weight_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

// The mantissa of an f32 has 23 bits. A number of 24 - kLowestBit bits times the 11 of a scale is exact.
constexpr std::uint32_t kMantissa = 23, kLowestBit = 11;

}  // namespace

WeightGroups weight_groups(const WeightFormat& format, std::int64_t count) {
  using Order = WeightFormat::Order;
  const std::uint32_t bits = format.bits;
  const std::int64_t of_word = 32 / bits;  // codes
  const bool in_halves = format.order == Order::halves && bits == 4;
  // The codes of a group in one word: in halves, every other one.
  const std::int64_t run = std::min(count, in_halves ? of_word / 2 : of_word);
  WeightGroups all;
  all.words = count / run;
  for (std::int64_t number = 0; number < of_word / run; ++number) {
    WeightGroup group;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t code = in_halves ? i % run * 2 + number : number * run + i % run;
      group.codes.push_back(
          {static_cast<std::size_t>(i / run), static_cast<std::uint32_t>(code) * bits});
    }
    group.first = in_halves ? number * format.elements / 2 : number * run;
    group.step = in_halves ? run : of_word;
    all.groups.push_back(std::move(group));
  }
  return all;
}

std::vector<std::int64_t> order_of_pairs(const WeightFormat& format) {
  const WeightGroup group = weight_groups(format, kGroupOfPairs).groups.front();
  std::vector<std::int64_t> order(kGroupOfPairs);
  std::iota(order.begin(), order.end(), 0);
  const auto place = [&](std::int64_t weight) {
    const WeightGroup::Code& code = group.codes[static_cast<std::size_t>(weight)];
    return std::tuple(code.word, code.first_bit % 16, code.first_bit);
  };
  std::sort(order.begin(), order.end(),
            [&](std::int64_t a, std::int64_t b) { return place(a) < place(b); });
  return order;
}

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

std::int64_t access_words(const WeightFormat& format, std::int64_t blocks) {
  const std::int64_t words = blocks * format.bytes / 2;
  return std::min<std::int64_t>(words & -words, kWidestCopy / 2);
}

WeightUnits::WeightUnits(Builder& builder, const WeightFormat& format, std::int64_t blocks,
                         std::int64_t count)
    : builder_(builder), format_(format), blocks_(blocks), count_(count) {
  words_ = builder_.registers("words_of_thread", ScalarType::u32, make_layout({words(), count}));
  if (format.levels.empty()) return;
  levels_ = builder_.shared("levels", ScalarType::f32,
                            make_layout({static_cast<std::int64_t>(format.levels.size())}));
  builder_.with_title("levels <- the number of each code of " + format.name, [&] {
    builder_.branch({ir::equal(builder_.thread(), 0)}, [&] {
      std::uint32_t code = 0;
      for (const double level : format.levels) {
        builder_.store(ir::number(ScalarType::f32, level), {levels_.array, {code++}, "levels"});
      }
    });
  });
}

void WeightUnits::read(std::int64_t unit, const std::string& array, const Expr& start) {
  const std::int64_t halves = access_words(format_, blocks_), words_at_once = halves / 2;
  const std::string title = "words_of_thread <- the blocks of weights, as words of 32 bits";
  const auto read_all = [&](const Expr& i) {
    const Expr loaded = builder_.load(
        "loaded_words",
        {array, {start + i * to_index(halves)}, "words of a thread", to_index(halves)});
    const Expr all = bitcast(loaded, ScalarType::u32);
    for (std::int64_t w = 0; w < words_at_once; ++w) {
      const Expr at = i * to_index(words_at_once) + to_index(unit * words() + w);
      builder_.store(words_at_once == 1 ? all : ir::component(all, to_index(w)),
                     {words_.array, {at}, "words of a thread"});
    }
  };
  builder_.with_title(count_ > 1 ? fmt::format("{}, row {}", title, unit) : title, [&] {
    builder_.unrolled_loop("access", to_index(words() / words_at_once), read_all);
  });
}

Expr WeightUnits::word(std::int64_t unit, const Expr& pair, const Expr& at,
                       const std::string& name) {
  const std::uint32_t of_pair = to_index(blocks_of_pair(format_) * format_.bytes / 4);
  return builder_.load(
      name, {words_.array, {pair * of_pair + at + to_index(unit * words())}, "words of a thread"});
}

// Word `number` of the codes of a block; of a format with signs, with the sign bits inverted.
Expr WeightUnits::codes(std::int64_t unit, const Expr& pair, std::int64_t block, const Expr& number,
                        const std::string& suffix) {
  const auto u32 = [](std::uint32_t value) { return ir::number(ScalarType::u32, value); };
  const std::int64_t byte = block * format_.bytes + format_.codes_at;
  const Expr at = number + to_index(byte / 4);
  const bool is_whole = byte % 4 == 0 && !format_.has_sign;
  Expr codes = word(unit, pair, at, (is_whole ? "codes" : "word_of_codes") + suffix);
  if (is_whole) return codes;
  if (byte % 4 != 0) {
    const Expr next = word(unit, pair, at + 1, "next_word" + suffix);
    codes = bit_or(shift_right(codes, u32(16)), shift_left(next, u32(16)));
  }
  if (format_.has_sign) codes = bit_xor(codes, u32(format_.bits == 8 ? 0x80808080 : 0x88888888));
  return builder_.let("codes" + suffix, codes);
}

// The scale or minimum at byte `at` of a block.
Expr WeightUnits::number_at(std::int64_t unit, const Expr& pair, std::int64_t block,
                            std::int64_t at, const std::string& name) {
  const std::int64_t byte = block * format_.bytes + at;
  const Expr both = word(unit, pair, to_index(byte / 4), "word_of_" + name);
  if (format_.scale_type == ScalarType::f32)
    return builder_.let(name, bitcast(both, ScalarType::f32));
  const Expr halves = bitcast(both, ScalarType::f16);
  return builder_.let(name, convert(ir::component(halves, byte % 4 == 0 ? 0 : 1), ScalarType::f32));
}

WeightUnits::Scale WeightUnits::scale(std::int64_t unit, const Expr& pair, std::int64_t block) {
  // Always with a number: the argument of a step of the epilogue is called scale.
  const std::string suffix = std::to_string(block) + (count_ > 1 ? fmt::format("_{}", unit) : "");
  Scale scale;
  if (format_.scale_at) {
    scale.scale = number_at(unit, pair, block, *format_.scale_at, "scale" + suffix);
  }
  if (format_.minimum_at) {
    scale.minimum = number_at(unit, pair, block, *format_.minimum_at, "minimum" + suffix);
  }
  return scale;
}

// The number of a code that is not a whole number.
Expr WeightUnits::listed(const Expr& codes, std::uint32_t first_bit) {
  if (format_.code_type) {
    const Expr numbers = bitcast(codes, *format_.code_type);
    return convert(ir::component(numbers, first_bit / 8), ScalarType::f32);
  }
  const Expr codes_from_it =
      first_bit == 0 ? codes : shift_right(codes, ir::number(ScalarType::u32, first_bit));
  const Expr code = ir::to_index(codes_from_it) % (1u << format_.bits);
  return builder_.load(fmt::format("level{}", read_++), {levels_.array, {code}, "levels"});
}

Expr WeightUnits::weight(const Expr& codes, std::uint32_t first_bit, const Scale& scale) {
  if (!format_.levels.empty() || format_.code_type) {
    const Expr number = listed(codes, first_bit);
    if (scale.minimum) return multiply_add(number, *scale.scale, *scale.minimum);
    return scale.scale ? number * *scale.scale : number;
  }
  const auto [number, power] = code_as_number(codes, first_bit, format_.bits);
  const double least = power + zero();
  if (!scale.scale) return number - least;
  if (scale.minimum) return multiply_add(number - least, *scale.scale, *scale.minimum);
  return multiply_add(number, *scale.scale, -(*scale.scale * least));
}

double WeightUnits::zero() const {
  return format_.has_sign ? std::ldexp(1, static_cast<int>(format_.bits) - 1)
                          : static_cast<double>(format_.zero);
}

std::string WeightUnits::decoding() const {
  const std::int64_t zero = format_.has_sign ? std::int64_t{1} << (format_.bits - 1) : format_.zero;
  const bool is_whole = format_.levels.empty() && !format_.code_type;
  const std::string code = !format_.levels.empty()  ? "levels[code]"
                           : zero == 0 || !is_whole ? "code"
                                                    : fmt::format("(code - {})", zero);
  return fmt::format(
      "{}{}{}{}", format_.scale_at ? "scale * " : "", code, format_.minimum_at ? " + minimum" : "",
      is_whole ? ": the bits of p, a power of two, with the code in its mantissa are the number p "
                 "+ code"
               : "");
}

void WeightUnits::for_each_weight_group(std::int64_t count, const Body& body) {
  const auto decode = [&](std::int64_t /*unit*/, const WeightGroup& group,
                          const std::vector<Expr>& words, const Scale& scale) {
    std::vector<Expr> weights;
    for (const WeightGroup::Code& code : group.codes) {
      weights.push_back(weight(words[code.word], code.first_bit, scale));
    }
    return weights;
  };
  for_each_group(weight_groups(format_, count), decode, body);
}

void WeightUnits::for_each_group_of_pairs(ScalarType type, const Body& body) {
  const auto decode = [&](std::int64_t unit, const WeightGroup& group,
                          const std::vector<Expr>& words,
                          const Scale& scale) { return pairs(type, unit, group, words, scale); };
  for_each_group(weight_groups(format_, kGroupOfPairs), decode, body);
}

std::vector<Expr> WeightUnits::pairs(ScalarType type, std::int64_t unit, const WeightGroup& group,
                                     const std::vector<Expr>& words, const Scale& scale) {
  using namespace ir;
  const bool in_halves = type == ScalarType::f16 && format_.is_linear() && !scale.minimum;
  const std::vector<std::int64_t> order = order_of_pairs(format_);
  std::vector<Expr> weights;
  for (std::size_t i = 0; i < order.size(); i += 2) {
    const WeightGroup::Code& low = group.codes[static_cast<std::size_t>(order[i])];
    const WeightGroup::Code& high = group.codes[static_cast<std::size_t>(order[i + 1])];
    const std::string name = fmt::format("two{}_{}", group.first + order[i], unit);
    if (in_halves) {
      const Expr two =
          builder_.let(name, two_codes_as_halves(words[low.word], low.first_bit, format_.bits));
      const Expr factor = convert(*scale.scale, type);
      for (const std::uint32_t half : {0u, 1u}) {
        weights.push_back((component(two, half) - (1024 + zero())) * factor);
      }
    } else {
      const Expr two = vector({weight(words[low.word], low.first_bit, scale),
                               weight(words[high.word], high.first_bit, scale)});
      const Expr rounded = builder_.let(name, convert(two, type));
      for (const std::uint32_t half : {0u, 1u}) weights.push_back(component(rounded, half));
    }
  }
  return weights;
}

void WeightUnits::for_each_group(const WeightGroups& all, const Decode& decode, const Body& body) {
  const std::int64_t in_pair = blocks_of_pair(format_),
                     steps = format_.codes_bytes() / 4 / all.words;
  builder_.unrolled_loop("pair", to_index(blocks_ / in_pair), [&](const Expr& pair) {
    for (std::int64_t block = 0; block < in_pair; ++block) {
      std::vector<Scale> scales;
      for (std::int64_t unit = 0; unit < count_; ++unit) scales.push_back(scale(unit, pair, block));
      builder_.unrolled_loop("step", to_index(steps), [&](const Expr& step) {
        const Expr first_word = step * to_index(all.words);
        read_ = 0;
        std::vector<std::vector<Expr>> words(scales.size());
        for (std::size_t unit = 0; unit < words.size(); ++unit) {
          for (std::int64_t w = 0; w < all.words; ++w) {
            const std::string suffix = (all.words > 1 ? std::to_string(w) : "") +
                                       (count_ > 1 ? fmt::format("_{}", unit) : "");
            words[unit].push_back(codes(static_cast<std::int64_t>(unit), pair, block,
                                        first_word + to_index(w), suffix));
          }
        }
        for (const WeightGroup& group : all.groups) {
          std::vector<std::vector<Expr>> weights;
          for (std::size_t unit = 0; unit < words.size(); ++unit) {
            weights.push_back(
                decode(static_cast<std::int64_t>(unit), group, words[unit], scales[unit]));
          }
          body(weights, pair * to_index(in_pair * format_.elements) +
                            step * to_index(all.words * group.step) +
                            to_index(block * format_.elements + group.first));
        }
      });
    }
  });
}

}  // namespace vkmoye::gen
