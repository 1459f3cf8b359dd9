// SPDX-License-Identifier: MIT
#pragma once
// Weights of blocks in f32, from their codes.
//
//   16 + code    bitcast(16.0 | code << 19): the code in the mantissa of a power of two, without a conversion
//   weight       scale * (16 + code) - scale * (16 + zero)
//   bits of a code in two words are put together in the mantissa
//
// If the code is at bit 11 of the mantissa or above, scale * number, scale * (power + zero) and their difference are
// exact in f32 for a scale of f16. Weights are therefore exact, whether or not a device rounds once in fma. If the
// format has a minimum, numbers for parts of a block, or scales of f32, 16 + zero is subtracted first, which is exact:
// then only the sum, or the product, is rounded. The product of a scale of f16, a sub scale of 8 bits or less, and a
// code of 5 bits and a sign is exact. Scales must be finite, and weights within the range of f32 (common/quantise.hpp).
//
// For matrix units, weights are rounded to 16 bits. Whole numbers with scales of f16, or with none, are decoded in
// f16: two codes that are 16 bits apart in a word by one shift and one mask, as 1024 + code. There a weight is
// fma(scale, sub_scale * number, minimum * sub_minimum); sub_scale * number is exact up to 2048, and the last product
// is rounded. Scales may be subnormal numbers of f16, which such devices must not flush.
//
// Numbers of codes that are not whole are looked up in a table in shared memory: 16 levels, each in a bank of its own,
// or the 256 numbers of e4m3 or e5m2, which take some ten operations to convert.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"

namespace vkmoye::gen {

/// Bits of a code: bits [to, to + bits) of it are bits [first_bit, first_bit + bits) of the word.
struct CodeBits {
  Expr word;
  std::uint32_t first_bit, bits, to = 0;
};
/// Where a code is: its bits, in several words if the format has several fields.
using CodePlace = std::vector<CodeBits>;

/// A code with its lowest bit here is not moved to become a number.
inline constexpr std::uint32_t kBitOfNumber = 12;
/// power + code in f32, without a conversion: the code in the mantissa of a power of two, at bit 11 or above.
struct CodeAsNumber {
  Expr number;
  double power;
};
CodeAsNumber code_as_number(const CodePlace& code);

/// 1024 + code in both halves of a vector of f16, for the code at `low`, below bit 16 of its words, and the one 16 bits
/// above.
Expr two_codes_as_halves(const CodePlace& low);
/// The same for codes that may be anywhere: bits that are 16 apart in a word share instructions.
Expr two_codes_as_halves(const CodePlace& low, const CodePlace& high);

/// The bits of a number as a word.
Expr bits_of(const CodePlace& code);

/// What a number of a weight is multiplied by, and what is added: as far as they are given, first a factor that is a
/// whole number, then scale and minimum.
struct WeightScale {
  std::optional<Expr> scale = {}, minimum = {}, factor = {};
};
/// scale * (number * factor) + minimum.
Expr scaled(const Expr& number, const WeightScale& scale);
/// A number of a block, converted to `type`: an f16 in the low (`half` 0) or high half of a word of 32 bits, or an f32
/// that is the whole word.
Expr number_in_word(const Expr& word, ScalarType of, std::uint32_t half,
                    ScalarType type = ScalarType::f32);
/// The number of f32 that some bits are, as a word, without a table; and that of bits in words, a sign bit inverted.
Expr number_of(const WeightNumber& number, const Expr& bits);
Expr number_of(const WeightNumber& number, const CodePlace& place);
/// A whole number of f16, without a conversion. Precondition: `place` is below bit 16 of its words, or above.
Expr whole_half(const WeightNumber& number, const CodePlace& place);
/// Scale and minimum of a weight from the numbers of the format, which `number` reads. In f32, scale and sub scale are
/// multiplied, which is exact; in f16, the sub scale is a factor.
WeightScale scale_of_parts(const WeightFormat& format, ScalarType type,
                           const std::function<Expr(const NamedNumber& number)>& number);

class WeightNumbers {
 public:
  /// Declares the table in shared memory, if the format needs one. `builder` and `format` must outlive this object.
  WeightNumbers(Builder& builder, const WeightFormat& format, const std::string& table = "levels");

  bool has_table() const { return format_.table_size() > 0; }
  /// Fills the table. All invocations must pass a barrier between this and `weight`.
  void fill_table();
  /// A weight in f32, from a scale in f32. `name`: the name of the value that is read from the table.
  Expr weight(const CodePlace& code, const WeightScale& scale, const std::string& name);
  /// The numbers of two codes, without scale, in f32. They are whole numbers of f16 on the way, or from the table.
  /// `name`: the name of both as a vector.
  std::vector<Expr> numbers(const CodePlace& low, const CodePlace& high, const std::string& name);
  /// Two weights, rounded to `type`, which is f16 or bf16. `name`: the name of both as a vector.
  std::vector<Expr> pair(const CodePlace& low, const CodePlace& high, const WeightScale& scale,
                         ScalarType type, const std::string& name);
  /// Whether `pair` decodes in f16 where two codes are 16 bits apart in the same words: then the scale may be of f16.
  bool decodes_in_halves(ScalarType type) const;
  /// "scale * (code - 8)", for titles; or "code - 8".
  std::string formula(bool with_scale = true) const;
  /// formula(), followed by the reason why the bits that decode a code are right.
  std::string decoding() const;

 private:
  Expr from_table(const CodePlace& code, const std::string& name);

  Builder& builder_;
  const WeightFormat& format_;
  View table_ = {};  // shared memory
};

}  // namespace vkmoye::gen
