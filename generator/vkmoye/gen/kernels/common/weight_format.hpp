// SPDX-License-Identifier: MIT
#pragma once
// How weights of few bits lie in memory: blocks of consecutive elements of a row, each with its codes and its scale.
//
//   q4_0, 18 bytes for 32 weights:   scale (f16) | 16 bytes: byte i has the codes of weights i and i + 16
//     weight = scale * (code - 8)
//   q8_0, 34 bytes for 32 weights:   scale (f16) | 32 bytes, two's complement
//     weight = scale * code
//   nf4, 36 bytes for 64 weights:    scale (f32) | 32 bytes: byte i has the codes of weights 2 i and 2 i + 1
//     weight = scale * levels[code]
//
// Formats are rows of a table, and a program can pass a row of its own: kernels, the check of results and the quantiser
// follow from it. B (N,K) is then N rows of K / elements blocks, without gaps between blocks; see GemmForm::weights.
//
// Source of q8_0, q4_0 and q4_1: ggml, the blocks of GGUF files. i4g32, i4g64 and i4g128 hold the weights of GPTQ and
// AWQ in groups: a zero point z of a group becomes the minimum -scale * z. nf4: Dettmers et al., QLoRA, 2023; its
// levels are those of bitsandbytes. e4m3g128 has a scale for 128 weights along k, as the checkpoints of DeepSeek-V3.
// i8 has no scales: its rows are those of a plain array.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

/// The codes of a block in words of some bits: the codes of `together` consecutive elements begin `apart` bits after
/// each other in a word, and the first code of each of `parts` equal parts of the block begins in the first word.
struct CodesInWords {
  std::int64_t together = 4, apart = 8, parts = 2;
  Layout word, bit;  // element -> number of its word, and first bit in it

  /// The number of words that the codes of a block occupy.
  std::int64_t words() const { return cosize(word); }
};

/// A number that a block may contain besides its codes.
struct WeightNumber {
  const char *name, *plural;
  std::int64_t at;  // bytes of the block before it
};

struct WeightFormat {
  /// Which codes share a byte.
  enum class Order : std::uint8_t {
    neighbours,  // byte i has the codes of weights 2 i (low bits) and 2 i + 1; with 8 bits: the code of weight i
    halves,  // byte i has the codes of weights i (low bits) and i + elements / 2
  };

  std::string name;
  std::int64_t elements = 32;  // elements per block
  std::int64_t bytes = 18;     // bytes per block: an even number
  std::uint32_t bits = 4;      // bits per code: 4 or 8
  Order order = Order::halves;
  /// Bytes of the block before the scale; nullopt: the scale is 1.
  std::optional<std::int64_t> scale_at = 0;
  std::int64_t codes_at = 2;  // bytes before the codes: an even number
  std::int64_t zero = 8;      // the code of weight 0
  bool has_sign = false;      // codes are two's complement
  /// Bytes before a number that is added: weight = scale * (code - zero) + minimum.
  std::optional<std::int64_t> minimum_at = {};
  /// The type of scale and minimum: f16, or f32 at multiples of 4 bytes.
  ScalarType scale_type = ScalarType::f16;
  /// The f32 number of each code, in place of code - zero: 2^bits of them, or none.
  std::vector<double> levels = {};
  /// Codes are numbers of this type, e4m3 or e5m2, in place of code - zero.
  std::optional<ScalarType> code_type = {};
  /// Writes the block of these weights.
  std::function<void(std::span<const double> weights, std::span<std::byte> block)> quantise = {};

  /// The code of weight 0 among codes without a sign: a sign bit is inverted.
  std::int64_t unsigned_zero() const { return has_sign ? std::int64_t{1} << (bits - 1) : zero; }
  std::int64_t codes_bytes() const { return elements * bits / 8; }
  /// Where codes lie: q4_0 in words of 16 bits has word ((2,8),2):((0,1),0) and bit ((2,8),2):((8,0),4).
  CodesInWords codes_in_words(std::int64_t bits_of_word) const;
  /// Scale and minimum, as the format has them.
  std::vector<WeightNumber> numbers() const;
  /// Their bytes.
  std::int64_t numbers_bytes() const {
    return static_cast<std::int64_t>(numbers().size() * size_of(scale_type));
  }
  /// The numbers of codes that kernels look up: of levels, or of codes with a type. 0: codes are whole numbers.
  std::int64_t table_size() const {
    return code_type ? std::int64_t{1} << bits : static_cast<std::int64_t>(levels.size());
  }
  /// Their bytes in shared memory, in f32.
  std::int64_t table_bytes() const { return 4 * table_size(); }
  /// The largest magnitude of a number by which a scale is multiplied: 448 for codes of e4m3, 8 for q4_0.
  double largest_number() const;
  /// Whether a weight is scale * (code - zero), or that + minimum, with numbers of f16.
  bool is_linear() const {
    return levels.empty() && !code_type && scale_at && scale_type == ScalarType::f16;
  }
  /// Whether rows of blocks are rows of an array of i8.
  bool is_array() const { return has_sign && bits == 8 && bytes == elements; }
};

/// The formats that have names on the command line.
std::span<const WeightFormat> weight_formats();
/// The format of that name; null if there is none.
const WeightFormat* find_weight_format(std::string_view name);

/// Every reason why kernels cannot read weights of `format`; empty if they can.
std::vector<std::string> reasons_against(const WeightFormat& format);

/// The code of weight `element` of a block, as it is stored: two's complement if the format has signs.
std::int64_t code_of(const WeightFormat& format, std::span<const std::byte> block,
                     std::int64_t element);

/// The exact value of weight `element` from the first of `block` on: scale * (code - zero) + minimum, where a level or
/// the number that the code represents may replace code - zero. It may be in one of the blocks that follow.
double weight_of(const WeightFormat& format, std::span<const std::byte> block,
                 std::int64_t element);

/// `count` weights, a multiple of the elements of a block, from the blocks `from`.
std::vector<double> dequantise(const WeightFormat& format, std::span<const std::byte> from,
                               std::int64_t count);

/// The blocks of `weights`, a row of whole blocks. Throws ArgumentError as the function of quantise.hpp does.
std::vector<std::byte> quantise(const WeightFormat& format, std::span<const double> weights);

}  // namespace vkmoye::gen
