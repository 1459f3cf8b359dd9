// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/weight_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
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

std::int64_t access_words(const WeightFormat& format, std::int64_t blocks) {
  const std::int64_t words = blocks * format.bytes / 2;
  return std::min<std::int64_t>(words & -words, kWidestCopy / 2);
}

WeightUnits::WeightUnits(Builder& builder, const WeightFormat& format, std::int64_t blocks,
                         std::int64_t count)
    : builder_(builder),
      format_(format),
      blocks_(blocks),
      count_(count),
      numbers_(builder, format) {
  words_ = builder_.registers("words_of_thread", ScalarType::u32, make_layout({words(), count}));
  numbers_.fill_table();
}

void WeightUnits::read(const std::string& array) {
  const std::int64_t halves = access_words(format_, blocks_), words_at_once = halves / 2;
  const auto read_all = [&](const Expr& i) {
    const Expr loaded = builder_.load(
        "words_value", {array, {i * to_index(halves)}, "words of a thread", to_index(halves)});
    const Expr all = bitcast(loaded, ScalarType::u32);
    for (std::int64_t w = 0; w < words_at_once; ++w) {
      builder_.store(
          words_at_once == 1 ? all : ir::component(all, to_index(w)),
          {words_.array, {i * to_index(words_at_once) + to_index(w)}, "words of a thread"});
    }
  };
  builder_.with_title("words_of_thread <- the blocks of weights, as words of 32 bits", [&] {
    builder_.unrolled_loop("access", to_index(count_ * words() / words_at_once), read_all);
  });
}

Expr WeightUnits::word(const Expr& unit, const Expr& pair, const Expr& at,
                       const std::string& name) {
  const std::uint32_t of_pair = to_index(blocks_of_pair(format_) * format_.bytes / 4);
  return builder_.load(
      name, {words_.array, {pair * of_pair + at + unit * to_index(words())}, "words of a thread"});
}

// Word `number` of the codes of a block; of a format with signs, with the sign bits inverted.
Expr WeightUnits::codes(const Expr& unit, const Expr& pair, std::int64_t block, const Expr& number,
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
Expr WeightUnits::number_at(const Expr& unit, const Expr& pair, std::int64_t block, std::int64_t at,
                            const std::string& name) {
  const std::int64_t byte = block * format_.bytes + at;
  const Expr both = word(unit, pair, to_index(byte / 4), "word_of_" + name);
  if (format_.scale_type == ScalarType::f32) return bitcast(both, ScalarType::f32);
  const Expr halves = bitcast(both, ScalarType::f16);
  return convert(ir::component(halves, byte % 4 == 0 ? 0 : 1), ScalarType::f32);
}

WeightScale WeightUnits::scale(std::int64_t unit, const Expr& pair, std::int64_t block) {
  // Always with a number: the argument of a step of the epilogue is called scale.
  const std::string suffix = std::to_string(block) + (count_ > 1 ? fmt::format("_{}", unit) : "");
  const auto named = [&](const std::string& name, std::int64_t at) {
    return builder_.let(name + suffix, number_at(to_index(unit), pair, block, at, name + suffix));
  };
  WeightScale scale;
  if (format_.scale_at) scale.scale = named("scale", *format_.scale_at);
  if (format_.minimum_at) scale.minimum = named("minimum", *format_.minimum_at);
  return scale;
}

void WeightUnits::for_each_weight_group(std::int64_t count, const Body& body) {
  const auto decode = [&](std::int64_t /*unit*/, const WeightGroup& group,
                          const std::vector<Expr>& words, const WeightScale& scale) {
    std::vector<Expr> weights;
    for (const WeightGroup::Code& code : group.codes) {
      weights.push_back(numbers_.weight({words[code.word], code.first_bit}, scale,
                                        fmt::format("level{}", read_++)));
    }
    return weights;
  };
  for_each_group(weight_groups(format_, count), decode, body);
}

void WeightUnits::for_each_group_of_pairs(
    ScalarType type,
    const std::function<void(const std::vector<Expr>& weights, const Expr& unit)>& take,
    const std::function<void(const Expr& first)>& multiply) {
  const std::int64_t in_pair = blocks_of_pair(format_), words = format_.codes_bytes() / 4;
  const auto registers = [&](const char* name, ScalarType of, std::int64_t count) {
    return builder_.registers(name, of, make_layout({count, count_})).array;
  };
  const std::string codes_of_block = registers("codes_of_block", ScalarType::u32, words);
  std::string scales, minima;
  if (format_.scale_at) scales = registers("scales_of_block", ScalarType::f32, 1);
  if (format_.minimum_at) minima = registers("minima_of_block", ScalarType::f32, 1);
  const auto for_each_unit = [&](const std::function<void(const Expr&)>& body) {
    builder_.unrolled_loop("row", to_index(count_), body);
  };
  const auto read_block = [&](const Expr& pair, std::int64_t block) {
    for_each_unit([&](const Expr& unit) {
      const auto keep = [&](const std::string& array, std::int64_t at, const char* name) {
        builder_.store(number_at(unit, pair, block, at, name), {array, {unit}, array});
      };
      if (format_.scale_at) keep(scales, *format_.scale_at, "scale");
      if (format_.minimum_at) keep(minima, *format_.minimum_at, "minimum");
      builder_.unrolled_loop("word", to_index(words), [&](const Expr& word) {
        builder_.store(codes(unit, pair, block, word, ""),
                       {codes_of_block, {word + unit * to_index(words)}, "codes"});
      });
    });
  };
  // The codes of a group are as many bits above those of the group before, and its weights as many elements after.
  const WeightGroups all = weight_groups(format_, kGroupOfPairs);
  const WeightGroup& first = all.groups.front();
  const bool is_only = all.groups.size() == 1;
  const std::uint32_t bits = is_only ? 0 : all.groups[1].codes[0].first_bit;
  const std::int64_t elements = is_only ? 0 : all.groups[1].first;
  const auto take_group = [&](const Expr& unit, const Expr& step, const Expr& group) {
    std::vector<Expr> code_words;
    for (std::int64_t w = 0; w < all.words; ++w) {
      const Expr at = step * to_index(all.words) + to_index(w) + unit * to_index(words);
      const std::string name = all.words > 1 ? fmt::format("codes{}", w) : "codes";
      const Expr word =
          builder_.load(is_only ? name : "word_of_" + name, {codes_of_block, {at}, "codes"});
      code_words.push_back(
          is_only ? word
                  : builder_.let(name, shift_right(word, convert(group * bits, ScalarType::u32))));
    }
    WeightScale numbers;
    if (format_.scale_at) numbers.scale = builder_.load("scale0", {scales, {unit}, "scales"});
    if (format_.minimum_at) numbers.minimum = builder_.load("minimum0", {minima, {unit}, "minima"});
    take(pairs(type, first, code_words, numbers), unit);
  };
  const auto multiply_block = [&](const Expr& block) {
    builder_.unrolled_loop("step", to_index(words / all.words), [&](const Expr& step) {
      builder_.unrolled_loop("group", to_index(all.groups.size()), [&](const Expr& group) {
        for_each_unit([&](const Expr& unit) { take_group(unit, step, group); });
        multiply(block * to_index(format_.elements) + step * to_index(all.words * first.step) +
                 group * to_index(elements));
      });
    });
  };
  builder_.unrolled_loop("pair", to_index(blocks_ / in_pair), [&](const Expr& pair) {
    for (std::int64_t block = 0; block < in_pair; ++block) {
      const Expr number = pair * to_index(in_pair) + to_index(block);
      builder_.with_title("the codes of a block, and its scale", [&] { read_block(pair, block); });
      if (in_pair == 1) {
        multiply_block(number);
      } else {
        builder_.call("multiply_block", {{"block", number, to_index(blocks_)}}, multiply_block);
      }
    }
  });
}

std::vector<Expr> WeightUnits::pairs(ScalarType type, const WeightGroup& group,
                                     const std::vector<Expr>& words, const WeightScale& scale) {
  const std::vector<std::int64_t> order = order_of_pairs(format_);
  std::vector<Expr> weights;
  const auto place = [&](std::int64_t weight) -> CodePlace {
    const WeightGroup::Code& code = group.codes[static_cast<std::size_t>(weight)];
    return {words[code.word], code.first_bit};
  };
  for (std::size_t i = 0; i < order.size(); i += 2) {
    const std::string name = fmt::format("two{}", order[i]);
    for (Expr& one : numbers_.pair(place(order[i]), place(order[i + 1]), scale, type, name)) {
      weights.push_back(std::move(one));
    }
  }
  return weights;
}

void WeightUnits::for_each_group(const WeightGroups& all, const Decode& decode, const Body& body) {
  const std::int64_t in_pair = blocks_of_pair(format_),
                     steps = format_.codes_bytes() / 4 / all.words;
  builder_.unrolled_loop("pair", to_index(blocks_ / in_pair), [&](const Expr& pair) {
    for (std::int64_t block = 0; block < in_pair; ++block) {
      std::vector<WeightScale> scales;
      for (std::int64_t unit = 0; unit < count_; ++unit) {
        scales.push_back(scale(unit, pair, block));
      }
      builder_.unrolled_loop("step", to_index(steps), [&](const Expr& step) {
        const Expr first_word = step * to_index(all.words);
        read_ = 0;
        std::vector<std::vector<Expr>> words(scales.size());
        for (std::size_t unit = 0; unit < words.size(); ++unit) {
          for (std::int64_t w = 0; w < all.words; ++w) {
            const std::string suffix = (all.words > 1 ? std::to_string(w) : "") +
                                       (count_ > 1 ? fmt::format("_{}", unit) : "");
            words[unit].push_back(
                codes(to_index(unit), pair, block, first_word + to_index(w), suffix));
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
