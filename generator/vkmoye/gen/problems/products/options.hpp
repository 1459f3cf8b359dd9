// SPDX-License-Identifier: MIT
#pragma once
// A matrix product as typed, with the contents of its arrays. GemmCall (products/gemm_call.hpp) defines what is
// computed.
//
//   --size 2x4x3 --a m --lda 5 --offset-a 4      A lies as an array of K rows of M elements

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/gemm_call.hpp"
#include "vkmoye/gen/problems/packed_operand.hpp"
#include "vkmoye/gen/problems/products/epilogue.hpp"

namespace vkmoye::gen {

/// The initial contents of the arrays.
enum class Init : std::uint8_t {
  random,     // uniform in [-1, 1)
  integers,   // small whole numbers whose sums are exact
  nonfinite,  // random, with some NaNs and infinities
  hard,       // rows of hard numbers, see numbers/hard.hpp; weights have such scales, and any codes
};

struct GemmOptions : GemmCall {
  Init init = Init::random;
  std::string packed = "none";  // operands that are already packed: "a", "b", "ab"
  std::array<std::optional<PackedOperand>, 2> files = {};  // packed files of A and B
  bool keeps_batch = false;  // the result has three dimensions even for a batch of one

  /// "f16", "f16,f32", "f16,f32,f16" or "f32*f16": the shortest form of the types.
  std::string type_text() const;
};

/// Parses "f32", "f16,f32" or "f16,f32,f16": operands, accumulator, result. With one type, the accumulator has at
/// least 32 bits and the result the type of the operands. With two, the result has the accumulator type. "f32*f16"
/// and "f32*f16,f32": A is f32 and B is f16; "f32*f16" alone has the accumulator and the result of the wider type.
/// "f16*q4_0": B is in that weight format, and counts as f16.
/// Throws ArgumentError.
GemmOptions parse_gemm_type(const std::string& text);

/// Sets the types to those of `text`, see parse_gemm_type. Throws ArgumentError.
void set_types(GemmOptions& problem, const std::string& text);

/// The problem of the options `values`, with the default types. Throws ArgumentError.
GemmOptions read_gemm_options(const Options& values);

/// The problem of the options `values` and `type`. Throws ArgumentError.
GemmOptions read_product(const Options& values, const std::string& type);

/// The options of a product other than types and size.
const std::vector<ConfigField<GemmOptions>>& gemm_fields();

}  // namespace vkmoye::gen
