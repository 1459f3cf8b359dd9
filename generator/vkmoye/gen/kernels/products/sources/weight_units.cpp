// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {

WeightGroups weight_groups(const WeightFormat& format, std::int64_t count) {
  const CodesInWords codes = format.codes_in_words(32);
  WeightGroups all;
  all.words = std::max<std::int64_t>(count / codes.together, 1);
  all.elements = all.words * codes.together;
  for (std::int64_t part = 0; part < codes.parts; ++part) {
    for (std::int64_t in_part = 0; in_part < all.elements; in_part += count) {
      WeightGroup group{{}, part * (format.elements / codes.parts) + in_part};
      for (std::int64_t weight = group.first; weight < group.first + count; ++weight) {
        group.codes.push_back({static_cast<std::size_t>(codes.word(weight)),
                               static_cast<std::uint32_t>(codes.bit(weight))});
      }
      all.groups.push_back(std::move(group));
    }
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

Expr WeightUnits::word(const Block& block, const Expr& at, const std::string& name) {
  const std::uint32_t of_pair = to_index(blocks_of_pair(format_) * format_.bytes / 4);
  return builder_.load(name, {words_.array,
                              {block.pair * of_pair + at + block.unit * to_index(words())},
                              "words of a thread"});
}

// Word `number` of the codes of a block; of a format with signs, with the sign bits inverted.
Expr WeightUnits::codes(const Block& block, const Expr& number, const std::string& suffix) {
  const auto u32 = [](std::uint32_t value) { return ir::number(ScalarType::u32, value); };
  const std::int64_t byte = block.number * format_.bytes + format_.codes_at;
  const Expr at = number + to_index(byte / 4);
  const bool is_whole = byte % 4 == 0 && !format_.has_sign;
  Expr codes = word(block, at, (is_whole ? "codes" : "word_of_codes") + suffix);
  if (is_whole) return codes;
  if (byte % 4 != 0) {
    const Expr next = word(block, at + 1, "next_word" + suffix);
    codes = bit_or(shift_right(codes, u32(16)), shift_left(next, u32(16)));
  }
  if (format_.has_sign) codes = bit_xor(codes, u32(format_.bits == 8 ? 0x80808080 : 0x88888888));
  return builder_.let("codes" + suffix, codes);
}

// A number of a block. `suffix`: the end of the name of its word.
Expr WeightUnits::number_at(const Block& block, const WeightNumber& number,
                            const std::string& suffix) {
  const std::int64_t byte = block.number * format_.bytes + number.at;
  return number_in_word(
      word(block, to_index(byte / 4), fmt::format("word_of_{}{}", number.name, suffix)),
      format_.scale_type, byte % 4 == 0 ? 0 : 1);
}

void WeightUnits::for_each_pair(const std::function<void(const Expr& pair)>& body) {
  builder_.unrolled_loop("pair", to_index(blocks_ / blocks_of_pair(format_)), body);
}

void WeightUnits::for_each_weight_group(std::int64_t count, const Body& body) {
  const WeightGroups all = weight_groups(format_, count);
  const std::int64_t in_pair = blocks_of_pair(format_), elements = format_.elements;
  const auto of_unit = [&](std::int64_t unit) {
    return count_ > 1 ? fmt::format("_{}", unit) : "";
  };
  // The words of a step, which have several groups.
  const auto decode_step = [&](std::int64_t block, const Expr& pair, const Expr& step,
                               const std::vector<WeightScale>& scales) {
    std::vector<std::vector<Expr>> words(scales.size());
    for (std::int64_t unit = 0; unit < count_; ++unit) {
      for (std::int64_t w = 0; w < all.words; ++w) {
        const std::string suffix = (all.words > 1 ? std::to_string(w) : "") + of_unit(unit);
        words[static_cast<std::size_t>(unit)].push_back(
            codes({to_index(unit), pair, block}, step * to_index(all.words) + to_index(w), suffix));
      }
    }
    std::int64_t read = 0;  // numbers from the table
    for (const WeightGroup& group : all.groups) {
      std::vector<std::vector<Expr>> weights(scales.size());
      for (std::size_t unit = 0; unit < scales.size(); ++unit) {
        for (const WeightGroup::Code& code : group.codes) {
          weights[unit].push_back(numbers_.weight({words[unit][code.word], code.first_bit},
                                                  scales[unit], fmt::format("level{}", read++)));
        }
      }
      body(weights, pair * to_index(in_pair * elements) + step * to_index(all.elements) +
                        to_index(block * elements + group.first));
    }
  };
  for_each_pair([&](const Expr& pair) {
    for (std::int64_t block = 0; block < in_pair; ++block) {
      std::vector<WeightScale> scales(static_cast<std::size_t>(count_));
      for (std::int64_t unit = 0; unit < count_; ++unit) {
        // Always with a number: the argument of a step of the epilogue is called scale.
        const std::string suffix = std::to_string(block) + of_unit(unit);
        for (const WeightNumber& number : format_.numbers()) {
          scales[static_cast<std::size_t>(unit)].push_back(builder_.let(
              number.name + suffix, number_at({to_index(unit), pair, block}, number, suffix)));
        }
      }
      builder_.unrolled_loop("step", to_index(format_.codes_bytes() / 4 / all.words),
                             [&](const Expr& step) { decode_step(block, pair, step, scales); });
    }
  });
}

void WeightUnits::for_each_group_of_pairs(
    ScalarType type,
    const std::function<void(const std::vector<Expr>& weights, const Expr& unit)>& take,
    const std::function<void(const Expr& first)>& multiply) {
  const std::int64_t in_pair = blocks_of_pair(format_), words = format_.codes_bytes() / 4;
  const auto registers = [&](const std::string& name, ScalarType of, std::int64_t count) {
    return builder_.registers(name, of, make_layout({count, count_})).array;
  };
  const std::string codes_of_block = registers("codes_of_block", ScalarType::u32, words);
  const std::vector<WeightNumber> numbers = format_.numbers();
  std::vector<std::string> arrays;
  for (const WeightNumber& number : numbers) {
    arrays.push_back(registers(fmt::format("{}_of_block", number.plural), ScalarType::f32, 1));
  }
  const auto for_each_unit = [&](const std::function<void(const Expr&)>& body) {
    builder_.unrolled_loop("row", to_index(count_), body);
  };
  const auto read_block = [&](const Expr& pair, std::int64_t number) {
    for_each_unit([&](const Expr& unit) {
      const Block block{unit, pair, number};
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        builder_.store(number_at(block, numbers[i], ""), {arrays[i], {unit}, arrays[i]});
      }
      builder_.unrolled_loop("word", to_index(words), [&](const Expr& word) {
        builder_.store(codes(block, word, ""),
                       {codes_of_block, {word + unit * to_index(words)}, "codes"});
      });
    });
  };
  // The codes of a group are as many bits above those of the group before, and its weights as many elements after.
  const WeightGroups all = weight_groups(format_, kGroupOfPairs);
  const WeightGroup &first = all.groups.front(), &last = all.groups.back();
  const bool is_only = all.groups.size() == 1;
  const auto take_group = [&](const Expr& unit, const Expr& step, const Expr& group) {
    std::vector<Expr> code_words;
    for (std::int64_t w = 0; w < all.words; ++w) {
      const Expr at = step * to_index(all.words) + to_index(w) + unit * to_index(words);
      const std::string name = all.words > 1 ? fmt::format("codes{}", w) : "codes";
      const Expr word =
          builder_.load(is_only ? name : "word_of_" + name, {codes_of_block, {at}, "codes"});
      const Expr bits = convert(group * last.codes[0].first_bit, ScalarType::u32);
      code_words.push_back(is_only ? word : builder_.let(name, shift_right(word, bits)));
    }
    WeightScale scale;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      scale.push_back(builder_.load(fmt::format("{}0", numbers[i].name),
                                    {arrays[i], {unit}, numbers[i].plural}));
    }
    take(pairs(type, first, code_words, scale), unit);
  };
  const auto multiply_block = [&](const Expr& block) {
    builder_.unrolled_loop("step", to_index(words / all.words), [&](const Expr& step) {
      builder_.unrolled_loop("group", to_index(all.groups.size()), [&](const Expr& group) {
        for_each_unit([&](const Expr& unit) { take_group(unit, step, group); });
        multiply(block * to_index(format_.elements) + step * to_index(all.elements) +
                 group * to_index(last.first));
      });
    });
  };
  for_each_pair([&](const Expr& pair) {
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

}  // namespace vkmoye::gen
