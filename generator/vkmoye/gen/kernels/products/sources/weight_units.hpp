// SPDX-License-Identifier: MIT
#pragma once
// Decodes weights in registers: from the 32-bit words of some blocks to f32.
//
//   q4_0, 2 blocks: 9 words        s0 c0 | c0 c0 | .. | c0 s1 | c1 c1 | ..      a scale takes half of a word
//     word j of block 0's codes    (words[j] >> 16) | (words[j + 1] << 16)      blocks of 18 bytes: every other one
//     weights                      scale * (code - 8), where 16 + code is bitcast(16.0 | code << 19)
//
// How a code becomes a weight: weight_numbers.hpp. For matrix units, weights are rounded to 16 bits, two at a time.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"
#include "vkmoye/gen/kernels/common/weight_numbers.hpp"

namespace vkmoye::gen {

/// Consecutive weights of a block, and where their codes are: in `words` consecutive words of codes.
struct WeightGroup {
  struct Code {
    std::size_t word;
    std::uint32_t first_bit;
  };
  std::vector<Code> codes;
  std::int64_t first;  // number of the first weight, in the first words
};
struct WeightGroups {
  std::int64_t words = 1;
  std::int64_t elements = 8;  // added to the number of a weight with the next words
  std::vector<WeightGroup> groups;
};
/// Groups of `count` weights, 4 or 8, that use all codes of some words.
WeightGroups weight_groups(const WeightFormat& format, std::int64_t count);

/// The weights that are decoded together for matrix units.
inline constexpr std::int64_t kGroupOfPairs = 8;
/// The weights of a group of 8 in an order in which the codes of each pair are 16 bits apart in a word:
/// {0, 2, 1, 3, 4, 6, 5, 7} for q4_0.
std::vector<std::int64_t> order_of_pairs(const WeightFormat& format);

/// The number of 16-bit words of the widest access, a power of two, that divides `blocks` blocks.
std::int64_t access_words(const WeightFormat& format, std::int64_t blocks);

/// The blocks between two that begin at the same byte of a word: 1 or 2.
inline std::int64_t blocks_of_pair(const WeightFormat& format) {
  return format.bytes % 4 == 0 ? 1 : 2;
}

/// Blocks of a thread, called a unit, in registers of 32-bit words.
class WeightUnits {
 public:
  /// Registers for `count` units of `blocks` blocks, and the table of the format, if it has one: then all invocations
  /// must pass a barrier between this and the first weight. `builder` and `format` must outlive this object.
  WeightUnits(Builder& builder, const WeightFormat& format, std::int64_t blocks,
              std::int64_t count);

  bool has_table() const { return numbers_.has_table(); }
  /// The 32-bit words of a unit.
  std::int64_t words() const { return blocks_ * format_.bytes / 4; }

  /// Reads the units from registers of u16, one unit after the other.
  void read(const std::string& array);

  /// How a weight is computed, for titles: "scale * (code - 8): in the mantissa ..".
  std::string decoding() const { return numbers_.decoding(); }

  /// Records `body` for each group of `count` weights: with the values of each unit, and the number of the first weight
  /// in the unit.
  using Body =
      std::function<void(const std::vector<std::vector<Expr>>& weights, const Expr& first)>;
  void for_each_weight_group(std::int64_t count, const Body& body);
  /// Groups of 8 weights in the order of pairs, rounded to `type`: f16 or bf16. Records `take` for the weights of each
  /// unit, then `multiply` with the number of the first weight in the unit.
  void for_each_group_of_pairs(
      ScalarType type,
      const std::function<void(const std::vector<Expr>& weights, const Expr& unit)>& take,
      const std::function<void(const Expr& first)>& multiply);

 private:
  // Block `number` of two that begin at different bytes of a word, or 0: of pair `pair` of a unit.
  struct Block {
    Expr unit, pair;
    std::int64_t number;
  };
  // Records `body` for each pair.
  void for_each_pair(const std::function<void(const Expr& pair)>& body);
  // Word `at` of the pair.
  Expr word(const Block& block, const Expr& at, const std::string& name);
  Expr codes(const Block& block, const Expr& number, const std::string& suffix);
  Expr number_at(const Block& block, const WeightNumber& number, const std::string& suffix);
  std::vector<Expr> pairs(ScalarType type, const WeightGroup& group, const std::vector<Expr>& words,
                          const WeightScale& scale);

  Builder& builder_;
  const WeightFormat& format_;
  const std::int64_t blocks_, count_;
  View words_;
  WeightNumbers numbers_;
};

}  // namespace vkmoye::gen
