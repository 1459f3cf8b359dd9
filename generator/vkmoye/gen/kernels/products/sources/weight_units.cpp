// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kBits = 32;  // of a word

// `field` with its first bit in a word of a block, whichever of the two that begin at different bytes of a word it is.
// Words are moved so that this bit does not depend on the block.
BitField aligned(BitField field, std::int64_t elements, std::int64_t blocks_of_pair) {
  for (const std::int64_t of : {kBits / blocks_of_pair, std::int64_t{1}}) {
    BitField moved = field;
    moved.first = field.first % of;
    if (in_words(moved, elements, kBits)) return moved;
  }
  field.first = 0;
  return field;
}

// The format of the blocks that are decoded one after the other.
WeightFormat unit_of(const WeightFormat& format) {
  if (format.bytes / 2 % 2 == 1) {
    if (const auto half = half_of(format)) return *half;
  }
  return format;
}

}  // namespace

WeightGroups weight_groups(const WeightFormat& format, std::int64_t count) {
  const BitField& codes = format.code.fields.front();
  const FieldInWords at = *in_words({.bits = codes.bits, .at = codes.at}, format.elements, kBits);
  std::vector<Layout> steps, parts;
  std::int64_t before = 1;  // elements
  for (std::size_t i = 0; i < at.word.leaves().size(); ++i) {
    const Mode of_word = at.word.leaves()[i];
    const std::int64_t inside = std::clamp<std::int64_t>(count / before, 1, of_word.extent);
    if (of_word.extent > inside) {
      (of_word.stride > 0 ? steps : parts).emplace_back(of_word.extent / inside, before * inside);
    }
    before *= of_word.extent;
  }
  const auto all = [](const std::vector<Layout>& modes) {
    return modes.empty() ? Layout() : make_layout(std::span<const Layout>(modes));
  };
  return {all(steps), all(parts)};
}

std::vector<std::int64_t> order_of_pairs(const WeightFormat& whole) {
  const WeightFormat format = unit_of(whole);
  const BitField& codes = format.code.fields.front();
  const FieldInWords at = *in_words({.bits = codes.bits, .at = codes.at}, format.elements, kBits);
  std::vector<std::int64_t> order(kGroupOfPairs);
  std::iota(order.begin(), order.end(), 0);
  const auto place = [&](std::int64_t weight) {
    return std::tuple(at.word(weight), at.bit(weight) % 16, at.bit(weight));
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
      format_(unit_of(format)),
      blocks_(blocks * format.elements / format_.elements),
      count_(count),
      in_pair_(std::min(blocks_, blocks_of_pair(format_))),
      numbers_(builder, format_) {
  words_ = builder_.registers("words_of_thread", ScalarType::u32, make_layout({words(), count}));
  numbers_.fill_table();
}

void WeightUnits::read(const std::string& array) {
  const std::int64_t halves = access_words(format_, blocks_);
  const std::int64_t accesses = blocks_ * format_.bytes / 2 / halves;  // of a unit
  const auto store = [&](const Expr& value, const Expr& at) {
    builder_.store(value, {words_.array, {at}, "words of a thread"});
  };
  const auto load = [&](const std::string& name, const Expr& at, std::int64_t count) {
    return builder_.load(name, {array, {at}, "words of a thread", to_index(count)});
  };
  builder_.with_title("words_of_thread <- the blocks of weights, as words of 32 bits", [&] {
    if (halves == 1) {  // two accesses for a word; the last one is half of a word
      builder_.unrolled_loop("unit", to_index(count_), [&](const Expr& unit) {
        builder_.unrolled_loop("word", to_index(words()), [&](const Expr& word) {
          const Expr first = unit * to_index(accesses) + 2 * word;
          const Expr last = unit * to_index(accesses) + to_index(accesses - 1);
          const Expr low = convert(load("low_half", first, 1), ScalarType::u32);
          const Expr high =
              convert(load("high_half", minimum(first + 1, last), 1), ScalarType::u32);
          store(bit_or(low, shift_left(high, ir::number(ScalarType::u32, 16))),
                unit * to_index(words()) + word);
        });
      });
      return;
    }
    const std::int64_t words_at_once = halves / 2;
    builder_.unrolled_loop("access", to_index(count_ * accesses), [&](const Expr& i) {
      const Expr all = bitcast(load("words_value", i * to_index(halves), halves), ScalarType::u32);
      for (std::int64_t w = 0; w < words_at_once; ++w) {
        store(words_at_once == 1 ? all : component(all, to_index(w)),
              i * to_index(words_at_once) + to_index(w));
      }
    });
  });
}

// --- the numbers of a block, in registers of their own ---

WeightUnits::Held WeightUnits::declare(const NamedNumber& named) {
  Held held{named, {}};
  const bool is_of_block = named.of == NumberOf::block;
  for (const BitField& field : named.number->fields) {
    const BitField moved = aligned(field, format_.elements, in_pair_);
    const FieldInWords at = *in_words(moved, format_.elements, kBits);
    const std::string of =
        held.fields.empty() ? named.plural : fmt::format("{}_from_bit{}", named.plural, field.to);
    held.fields.push_back(
        {field, at,
         builder_
             .registers(of + "_of_block", is_of_block ? ScalarType::f32 : ScalarType::u32,
                        make_layout({at.words(), count_}))
             .array});
  }
  return held;
}

Expr WeightUnits::word(const Expr& unit, const Expr& pair, const Expr& at,
                       const std::string& name) {
  const std::uint32_t of_pair = to_index(in_pair_ * format_.bytes / 4);
  return builder_.load(
      name, {words_.array, {pair * of_pair + at + unit * to_index(words())}, "words of a thread"});
}

// The words of a field of block `number` of a pair, with its first bit where `field` expects it.
void WeightUnits::read_field(const Field& field, const Expr& unit, const Expr& pair,
                             std::int64_t number, bool inverts_signs) {
  const auto u32 = [](std::uint32_t value) { return ir::number(ScalarType::u32, value); };
  const std::int64_t bit = 8 * number * format_.bytes + field.field.first - field.at.first_bit;
  builder_.unrolled_loop("word", to_index(field.at.words()), [&](const Expr& at) {
    const Expr here = at + to_index(bit / kBits);
    Expr value = word(unit, pair, here, "word_of_codes");
    if (const auto by = static_cast<std::uint32_t>(bit % kBits); by != 0) {
      const Expr next = word(unit, pair, minimum(here + 1, to_index(words() - 1)), "next_word");
      value = bit_or(shift_right(value, u32(by)), shift_left(next, u32(32 - by)));
    }
    if (inverts_signs) {
      value = bit_xor(value, u32(field.field.bits == 8 ? 0x80808080 : 0x88888888));
    }
    builder_.store(value, {field.array, {at + unit * to_index(field.at.words())}, "codes"});
  });
}

// The number of block `number` of a pair.
void WeightUnits::read_number(const Held& held, const Expr& unit, const Expr& pair,
                              std::int64_t number) {
  const auto& [name, plural, of, what] = held.named;
  for (const Field& field : held.fields) {
    if (of != NumberOf::block) {
      const bool inverts_signs = of == NumberOf::weight && what->kind == NumberKind::has_sign;
      read_field(field, unit, pair, number, inverts_signs);
      continue;
    }
    const std::int64_t byte = number * format_.bytes + field.field.first / 8;
    const Expr bits = word(unit, pair, to_index(byte / 4), "word_of_" + name);
    builder_.store(number_in_word(bits, what->type, byte % 4 == 0 ? 0 : 1),
                   {field.array, {unit}, field.array});
  }
}

void WeightUnits::for_each_block(const std::function<void(const Expr& block)>& body) {
  if (held_.empty()) {
    for (const NamedNumber& named : numbers_of(format_)) held_.push_back(declare(named));
  }
  const auto read_block = [&](const Expr& pair, std::int64_t number) {
    builder_.unrolled_loop("row", to_index(count_), [&](const Expr& unit) {
      for (const bool is_of_block : {true, false}) {
        for (const Held& held : held_) {
          if ((held.named.of == NumberOf::block) == is_of_block) {
            read_number(held, unit, pair, number);
          }
        }
      }
    });
  };
  builder_.unrolled_loop("pair", to_index(blocks_ / in_pair_), [&](const Expr& pair) {
    for (std::int64_t number = 0; number < in_pair_; ++number) {
      const Expr block = pair * to_index(in_pair_) + to_index(number);
      builder_.with_title("the codes of a block, and its scale", [&] { read_block(pair, number); });
      if (in_pair_ == 1) {
        body(block);
      } else {
        builder_.call("multiply_block", {{"block", block, to_index(blocks_)}}, body);
      }
    }
  });
}

// --- groups of weights ---

// The places of the codes, or of another number, of `count` weights of a group. `name`: of its words.
std::vector<CodePlace> WeightUnits::places(const std::vector<Field>& fields, const Expr& unit,
                                           const Group& group, std::int64_t count,
                                           const std::string& name) {
  std::vector<CodePlace> out(static_cast<std::size_t>(count));
  for (const Field& field : fields) {
    const auto evaluated = [&](const Layout& of) {
      return evaluate(composition(of, group.layouts.steps), group.step) +
             evaluate(composition(of, group.layouts.parts), group.part);
    };
    const std::string of_field =
        &field == &fields.front() ? name : fmt::format("{}_from_bit{}", name, field.field.to);
    // The first bit of the group, which only the author of a loop over parts may know.
    const Expr bit = evaluated(field.at.bit);
    const std::optional<std::uint32_t> first_bit = ir::constant_value(bit);
    std::map<std::int64_t, Expr> words;
    const bool is_only = field.at.word(count - 1) == 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t after = field.at.word(i);
      if (words.count(after) == 0) {
        const std::string numbered = is_only ? of_field : of_field + std::to_string(after);
        const Expr at =
            evaluated(field.at.word) + to_index(after) + unit * to_index(field.at.words());
        Expr word = builder_.load(numbered, {field.array, {at}, "codes"});
        if (!first_bit) {
          word =
              builder_.let("moved_" + numbered, shift_right(word, convert(bit, ScalarType::u32)));
        }
        words.emplace(after, word);
      }
      out[static_cast<std::size_t>(i)].push_back(
          {words.at(after),
           static_cast<std::uint32_t>(field.at.first_bit + field.at.bit(i)) + first_bit.value_or(0),
           field.field.bits, field.field.to});
    }
  }
  return out;
}

WeightScale WeightUnits::scale_of(const Expr& unit, const Group& group, const std::string& suffix) {
  const auto number = [&](const NamedNumber& named) {
    const auto& [name, plural, of, what] = named;
    const std::vector<Field>& fields =
        std::find_if(held_.begin(), held_.end(), [&](const Held& held) {
          return held.named.name == named.name;
        })->fields;
    if (of == NumberOf::block) {
      const bool has_sub = number_called(format_, "sub_" + name) != nullptr;
      return builder_.load(name + suffix + (has_sub ? "_of_block" : ""),
                           {fields.front().array, {unit}, name});
    }
    Expr bits = bits_of(places(fields, unit, group, 1, name + suffix).front());
    if (what->kind == NumberKind::has_sign) {
      bits = bit_xor(bits, ir::number(ScalarType::u32, 1u << (what->bits() - 1)));
    }
    return number_of(*what, bits);
  };
  WeightScale scale = scale_of_parts(format_, ScalarType::f32, number);
  if (format_.sub_scale) scale.scale = builder_.let("scale" + suffix, *scale.scale);
  if (format_.sub_minimum || format_.subtracts_minimum) {
    scale.minimum = builder_.let("minimum" + suffix, *scale.minimum);
  }
  return scale;
}

void WeightUnits::for_each_known_group(
    std::int64_t count,
    const std::function<void(const Group& group, const Expr& first, const std::string& part)>&
        body) {
  const WeightGroups groups = weight_groups(format_, count);
  const std::int64_t parts = size(groups.parts);
  for_each_block([&](const Expr& block) {
    builder_.unrolled_loop("step", to_index(size(groups.steps)), [&](const Expr& step) {
      for (std::int64_t part = 0; part < parts; ++part) {
        const Group group{groups, step, to_index(part)};
        body(group, first_of(block, group), parts > 1 ? std::to_string(part) : "");
      }
    });
  });
}

void WeightUnits::for_each_weight_group(std::int64_t count, const Body& body) {
  for_each_known_group(count, [&](const Group& group, const Expr& first, const std::string& part) {
    std::vector<std::vector<Expr>> weights;
    std::int64_t read = 0;  // numbers from the table
    for (std::int64_t unit = 0; unit < count_; ++unit) {
      const std::string suffix = part + (count_ > 1 ? fmt::format("_{}", unit) : "");
      const WeightScale scale = scale_of(to_index(unit), group, "0" + suffix);
      std::vector<Expr> of_unit;
      for (const CodePlace& code :
           places(held_.front().fields, to_index(unit), group, count, "codes" + suffix)) {
        of_unit.push_back(numbers_.weight(code, scale, fmt::format("level{}{}", suffix, read++)));
      }
      weights.push_back(std::move(of_unit));
    }
    body(weights, first);
  });
}

void WeightUnits::for_each_group_of_numbers(
    const std::function<void(const std::vector<Numbers>& numbers, const Expr& first)>& body) {
  const std::vector<std::int64_t> order = order_of_pairs(format_);
  for_each_known_group(
      kGroupOfPairs, [&](const Group& group, const Expr& first, const std::string& part) {
        std::vector<Numbers> all;
        for (std::int64_t unit = 0; unit < count_; ++unit) {
          const std::string suffix = part + (count_ > 1 ? fmt::format("_{}", unit) : "");
          const WeightScale scale = scale_of(to_index(unit), group, "0" + suffix);
          const std::vector<CodePlace> codes =
              places(held_.front().fields, to_index(unit), group, kGroupOfPairs, "codes" + suffix);
          std::vector<Expr> numbers(order.size(), Expr(0));
          for (std::size_t i = 0; i < order.size(); i += 2) {
            const auto low = static_cast<std::size_t>(order[i]),
                       high = static_cast<std::size_t>(order[i + 1]);
            const std::vector<Expr> two =
                numbers_.numbers(codes[low], codes[high], fmt::format("two{}{}", low, suffix));
            numbers[low] = two[0];
            numbers[high] = two[1];
          }
          if (scale.minimum) {
            for (Expr& number : numbers) number = scaled(number, scale);
            all.push_back({numbers});
          } else {
            all.push_back({numbers, scale.scale});
          }
        }
        body(all, first);
      });
}

Expr WeightUnits::first_of(const Expr& block, const Group& group) const {
  return block * to_index(format_.elements) + evaluate(group.layouts.steps, group.step) +
         evaluate(group.layouts.parts, group.part);
}

void WeightUnits::for_each_group_of_pairs(
    ScalarType type,
    const std::function<void(const std::vector<Expr>& weights, const Expr& unit)>& take,
    const std::function<void(const Expr& first)>& multiply) {
  const WeightGroups groups = weight_groups(format_, kGroupOfPairs);
  for_each_block([&](const Expr& block) {
    builder_.unrolled_loop("step", to_index(size(groups.steps)), [&](const Expr& step) {
      builder_.unrolled_loop("part", to_index(size(groups.parts)), [&](const Expr& part) {
        const Group group{groups, step, part};
        builder_.unrolled_loop("row", to_index(count_), [&](const Expr& unit) {
          take(pairs(type, places(held_.front().fields, unit, group, kGroupOfPairs, "codes"),
                     scale_of(unit, group, "0")),
               unit);
        });
        multiply(first_of(block, group));
      });
    });
  });
}

std::vector<Expr> WeightUnits::pairs(ScalarType type, const std::vector<CodePlace>& codes,
                                     const WeightScale& scale) {
  const std::vector<std::int64_t> order = order_of_pairs(format_);
  std::vector<Expr> weights;
  for (std::size_t i = 0; i < order.size(); i += 2) {
    const auto of = [&](std::size_t number) -> const CodePlace& {
      return codes[static_cast<std::size_t>(order[number])];
    };
    for (Expr& one : numbers_.pair(of(i), of(i + 1), scale, type, fmt::format("two{}", order[i]))) {
      weights.push_back(std::move(one));
    }
  }
  return weights;
}

}  // namespace vkmoye::gen
