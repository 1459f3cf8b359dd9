// SPDX-License-Identifier: MIT
#pragma once
// Decodes weights in registers: from the 32-bit words of some blocks to f32.
//
//   q4_0, 2 blocks: 9 words        s0 c0 | c0 c0 | .. | c0 s1 | c1 c1 | ..      a scale takes half of a word
//     word j of block 0's codes    (words[j] >> 16) | (words[j + 1] << 16)      blocks of 18 bytes: every other one
//     weights                      scale * (code - 8), where 16 + code is bitcast(16.0 | code << 19)
//
// How a code becomes a weight: weight_numbers.hpp. For matrix units, weights are rounded to 16 bits, two at a time.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"
#include "vkmoye/gen/kernels/common/weight_numbers.hpp"

namespace vkmoye::gen {

/// Groups of `count` consecutive weights, 4 or 8: the first weight of one is steps(step) + parts(part). Parts have
/// their codes in the same words, in other bits; q4_0 in groups of 4 has steps 4:4 and parts 2:16.
struct WeightGroups {
  Layout steps, parts;
};
WeightGroups weight_groups(const WeightFormat& format, std::int64_t count);

/// The weights that are decoded together for matrix units.
inline constexpr std::int64_t kGroupOfPairs = 8;
/// The weights of a group of 8 in an order in which the codes of each pair are 16 bits apart in a word:
/// {0, 2, 1, 3, 4, 6, 5, 7} for q4_0.
std::vector<std::int64_t> order_of_pairs(const WeightFormat& format);

/// The number of 16-bit words of the widest access, a power of two, that divides `blocks` blocks.
std::int64_t access_words(const WeightFormat& format, std::int64_t blocks);

/// The blocks between two that begin at the same byte of a word: 1, 2 or 4.
inline std::int64_t blocks_of_pair(const WeightFormat& format) {
  return 4 / std::gcd(format.bytes, std::int64_t{4});
}

/// The blocks that a thread reads at once, at least `elements` weights: of short blocks whole words, of blocks of more
/// than 64 weights one.
inline std::int64_t blocks_at_once(const WeightFormat& format, std::int64_t elements) {
  return format.elements > 64 ? 1 : std::max(blocks_of_pair(format), elements / format.elements);
}

/// Blocks of a thread, called a unit, in registers of 32-bit words.
class WeightUnits {
 public:
  /// Registers for `count` units of `blocks` blocks, and the table of the format, if it has one: then all invocations
  /// must pass a barrier between this and the first weight. `builder` must outlive this object.
  WeightUnits(Builder& builder, const WeightFormat& format, std::int64_t blocks,
              std::int64_t count);

  bool has_table() const { return numbers_.has_table(); }
  /// The 32-bit words of a unit.
  std::int64_t words() const { return (blocks_ * format_.bytes + 2) / 4; }

  /// Reads the units from registers of u16, one unit after the other.
  void read(const std::string& array);

  /// The numbers of a group, for titles: "code - 8", or with the scale if there is a minimum.
  std::string numbers() const { return numbers_.formula(format_.minimum.has_value()); }
  /// How a weight is computed, for titles: "scale * (code - 8): in the mantissa ..".
  std::string decoding() const { return numbers_.decoding(); }

  /// Records `body` for each group of `count` weights: with the values of each unit, and the number of the first weight
  /// in the unit.
  using Body =
      std::function<void(const std::vector<std::vector<Expr>>& weights, const Expr& first)>;
  void for_each_weight_group(std::int64_t count, const Body& body);
  /// Groups of 8 weights, decoded two at a time. Records `body` for each: with what each unit has of them, and the
  /// number of the first weight in the unit. These are numbers, whose products remain to be multiplied by `scale`, or
  /// weights if the format has a minimum: a sum of products with the minimum would be NaN where a product is infinite.
  struct Numbers {
    std::vector<Expr> values = {};
    std::optional<Expr> scale = {};
  };
  void for_each_group_of_numbers(
      const std::function<void(const std::vector<Numbers>& numbers, const Expr& first)>& body);
  /// Groups of 8 weights in the order of pairs, rounded to `type`: f16 or bf16. Records `take` for the weights of each
  /// unit, then `multiply` with the number of the first weight in the unit.
  void for_each_group_of_pairs(
      ScalarType type,
      const std::function<void(const std::vector<Expr>& weights, const Expr& unit)>& take,
      const std::function<void(const Expr& first)>& multiply);

 private:
  // A field of a number: where it is in a block, and the words of a block that are in registers, one unit after the
  // other.
  struct Field {
    BitField field;
    FieldInWords at;
    std::string array;
  };
  // A number, and its fields; of a block, one field, in f32.
  struct Held {
    NamedNumber named;
    std::vector<Field> fields;
  };
  struct Group {
    const WeightGroups& layouts;
    Expr step, part;
  };

  Held declare(const NamedNumber& named);
  // Word `at` of a pair of blocks that begin at different bytes of a word, or of one block.
  Expr word(const Expr& unit, const Expr& pair, const Expr& at, const std::string& name);
  void read_field(const Field& field, const Expr& unit, const Expr& pair, std::int64_t number,
                  bool inverts_signs);
  void read_number(const Held& held, const Expr& unit, const Expr& pair, std::int64_t number);
  // Records `body` for each block, whose numbers are in registers; of a pair of blocks, as a function.
  void for_each_block(const std::function<void(const Expr& block)>& body);
  std::vector<CodePlace> places(const std::vector<Field>& fields, const Expr& unit,
                                const Group& group, std::int64_t count, const std::string& name);
  // The scale and the minimum of a group, those of its part of the block included.
  WeightScale scale_of(const Expr& unit, const Group& group, const std::string& suffix);
  // Records `body` for each group of `count` weights, of whose part the author of the text knows the number.
  void for_each_known_group(std::int64_t count,
                            const std::function<void(const Group& group, const Expr& first,
                                                     const std::string& part)>& body);
  // The number of the first weight of a group in the unit.
  Expr first_of(const Expr& block, const Group& group) const;
  std::vector<Expr> pairs(ScalarType type, const std::vector<CodePlace>& codes,
                          const WeightScale& scale);

  Builder& builder_;
  const WeightFormat format_;  // of halves of blocks, if these have an odd number of bytes
  const std::int64_t blocks_, count_, in_pair_;
  View words_;
  WeightNumbers numbers_;
  std::vector<Held> held_;  // first the codes
};

}  // namespace vkmoye::gen
