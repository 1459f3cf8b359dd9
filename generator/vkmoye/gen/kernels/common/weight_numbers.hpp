// SPDX-License-Identifier: MIT
#pragma once
// Weights of blocks in f32, from their codes.
//
//   16 + code    bitcast(16.0 | code << 19): the code in the mantissa of a power of two, without a conversion
//   weight       scale * (16 + code) - scale * (16 + zero)
//
// If the code is at bit 11 of the mantissa or above, scale * number, scale * (power + zero) and their difference are
// exact in f32 for a scale of f16. Weights are therefore exact, whether or not a device rounds once in fma. If the
// format has a minimum or scales of f32, 16 + zero is subtracted first, which is exact: then only the sum, or the
// product, is rounded. Scales must be finite, and weights within the range of f32 (common/quantise.hpp).
//
// For matrix units, weights are rounded to 16 bits. Whole numbers with a scale of f16, or with none, are decoded in
// f16: two codes that are 16 bits apart in a word by one shift and one mask, as 1024 + code.
//
// Numbers of codes that are not whole are looked up in a table in shared memory: 16 levels, each in a bank of its own,
// or the 256 numbers of e4m3 or e5m2, which take some ten operations to convert.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"

namespace vkmoye::gen {

/// power + code in f32, without a conversion: the code in the mantissa of a power of two, at bit 11 or above.
struct CodeAsNumber {
  Expr number;
  double power;
};
/// The code with bits `first_bit` to `first_bit` + `bits` - 1 of the word `codes`.
CodeAsNumber code_as_number(const Expr& codes, std::uint32_t first_bit, std::uint32_t bits);

/// 1024 + code in both halves of a vector of f16, for the codes of `bits` bits at `first_bit`, below 16, and 16 bits
/// above.
Expr two_codes_as_halves(const Expr& codes, std::uint32_t first_bit, std::uint32_t bits);

/// The numbers of a block in the order of WeightFormat::numbers(): none, its scale, or its scale and its minimum.
using WeightScale = std::vector<Expr>;
/// scale * number + minimum, as far as `scale` contains these two.
Expr scaled(const Expr& number, const WeightScale& scale);
/// A number of a block, converted to `type`: an f16 in the low (`half` 0) or high half of a word of 32 bits, or an f32
/// that is the whole word.
Expr number_in_word(const Expr& word, ScalarType of, std::uint32_t half,
                    ScalarType type = ScalarType::f32);
/// The number by which a scale is multiplied for a code, without a table. Codes of a format with signs are
/// code + 2^(bits - 1), here and below.
Expr number_of_code(const WeightFormat& format, const Expr& code);

/// Where a code is: its first bit in a word of codes.
struct CodePlace {
  Expr word;
  std::uint32_t first_bit;
};

class WeightNumbers {
 public:
  /// Declares the table in shared memory, if the format needs one. `builder` and `format` must outlive this object.
  WeightNumbers(Builder& builder, const WeightFormat& format);

  bool has_table() const { return format_.table_size() > 0; }
  /// Fills the table. All invocations must pass a barrier between this and `weight`.
  void fill_table();
  /// A weight in f32, from a scale in f32. `name`: the name of the value that is read from the table.
  Expr weight(const CodePlace& code, const WeightScale& scale, const std::string& name);
  /// Two weights, rounded to `type`, which is f16 or bf16. `name`: the name of both as a vector.
  std::vector<Expr> pair(const CodePlace& low, const CodePlace& high, const WeightScale& scale,
                         ScalarType type, const std::string& name);
  /// Whether `pair` decodes in f16: then codes must be 16 bits apart in a word, and the scale may be of f16.
  bool decodes_in_halves(ScalarType type) const;
  /// "scale * (code - 8)", for titles.
  std::string formula() const;
  /// formula(), followed by the reason why the bits that decode a code are right.
  std::string decoding() const;

 private:
  Builder& builder_;
  const WeightFormat& format_;
  View table_ = {};  // shared memory
};

}  // namespace vkmoye::gen
