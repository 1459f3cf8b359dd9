// SPDX-License-Identifier: MIT
#pragma once
// How weights of few bits lie in memory: blocks of consecutive elements of a row. A weight is
//
//   scale * sub_scale * number(code) + minimum * sub_minimum        q4_1: scale * code + minimum
//                                                                   q6_K: scale * sub_scale * (code - 32)
//
// and each of these is a number of some bits of the block. Which bits is a sum of fields; a field is a layout from the
// element to its first bit:
//
//   q4_0, 18 bytes for 32 weights      scale   16 bits, the same for all weights
//                                      code    4 bits, 16 + (16,2):(8,4)     in byte i those of weights i and i + 16
//   q5_0, 22 bytes for 32 weights      code    4 bits, 48 + (16,2):(8,4), and behind them 1 bit, 16 + 32:1
//   q6_K, 210 bytes for 256 weights    sub_scale    8 bits, 1536 + (16,16):(0,8), two's complement
//
// Formats are rows of a table (weight_table.cpp), and a program can pass a row of its own: kernels, the check of
// results and the quantiser follow from it. B (N,K) is then N rows of K / elements blocks, without gaps between
// blocks; see GemmForm::weights.

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

/// Bits of a number: bits [to, to + bits) of the number of weight e are bits [first + at(e), first + at(e) + bits) of
/// the block, whose bit b is bit b % 8 of byte b / 8.
struct BitField {
  std::uint32_t bits = 4;
  std::int64_t first = 0;
  Layout at = {};  // of size 1: the same bits for all weights
  std::uint32_t to = 0;

  /// The first bit for weight `element`.
  std::int64_t operator()(std::int64_t element) const;
};

/// The words of rows of blocks in a buffer, u16, as far as kernels read single words.
inline constexpr std::int64_t kBitsOfWord = 16;

/// A field in words of some bits: weight e has its first bit at bit first_bit + bit(e) of word first_word + word(e).
struct FieldInWords {
  std::int64_t first_word = 0, first_bit = 0;
  Layout word, bit;

  /// The words from the first to the last one of all weights.
  std::int64_t words() const { return cosize(word); }
};
/// `field` of a block of `elements` that begins at bit `begin` of the first word; nullopt if some weight has its bits
/// in two words. Extents are powers of two.
std::optional<FieldInWords> in_words(const BitField& field, std::int64_t elements,
                                     std::int64_t bits_of_word, std::int64_t begin = 0);

/// What the bits of a number mean.
enum class NumberKind : std::uint8_t {
  whole,         // code - zero
  has_sign,      // two's complement
  floating,      // a number of `type`: f16, f32, e4m3 or e5m2
  power_of_two,  // 2^(code - 127), e8m0 of the OCP Microscaling Formats; NaN for code 255
  level,         // levels[code]
};

/// A number of a weight, a part of a block or a block: its bits, and what they mean.
struct WeightNumber {
  std::vector<BitField> fields;  // those of lower bits first
  NumberKind kind = NumberKind::whole;
  std::int64_t zero = 0;
  ScalarType type = ScalarType::f16;
  std::vector<double> levels = {};  // numbers of f32, 2^bits of them

  std::uint32_t bits() const;
  /// The fields; those of more bits than a word of a buffer as several.
  std::vector<BitField> fields_in_words() const;
  std::int64_t codes() const { return std::int64_t{1} << bits(); }
  /// The number of these bits.
  double number_of(std::uint64_t code) const;
  /// The largest magnitude of a finite number.
  double largest() const;
  bool is_whole() const { return kind == NumberKind::whole || kind == NumberKind::has_sign; }
  /// Whether all weights of a block have the same one.
  bool is_of_block() const;
  /// Among bits without a sign, those of 0: a sign bit is inverted.
  std::int64_t unsigned_zero() const { return kind == NumberKind::has_sign ? codes() / 2 : zero; }
};

/// The consecutive weights of a block of `elements` that have the same number: a power of two.
std::int64_t run_of(const WeightNumber& number, std::int64_t elements);

/// A number of f16 or f32 at a byte of a block, the same for all its weights.
WeightNumber number_at_byte(std::int64_t byte, ScalarType type = ScalarType::f16);

/// A format of weights: the size of its blocks, and the numbers of a weight in them; see above.
struct WeightFormat {
  std::string name;
  std::int64_t elements = 32;  // elements per block
  std::int64_t bytes = 18;     // bytes per block: an even number
  WeightNumber code = {{{.bits = 4}}};
  /// Those that the format does not have are 1; without `minimum`, nothing is added.
  std::optional<WeightNumber> scale = {}, sub_scale = {};
  std::optional<WeightNumber> minimum = {}, sub_minimum = {};
  bool subtracts_minimum = false;
  /// Writes the block of these weights.
  std::function<void(const WeightFormat& format, std::span<const double> weights,
                     std::span<std::byte> block)>
      quantise = {};

  /// The numbers of codes that kernels look up: of levels, or of codes with a type. 0: codes are whole numbers.
  std::int64_t table_size() const {
    return code.kind == NumberKind::level || code.kind == NumberKind::floating ? code.codes() : 0;
  }
  /// Their bytes in shared memory, in f32.
  std::int64_t table_bytes() const { return 4 * table_size(); }
  /// The largest magnitude of a number by which a scale is multiplied: 448 for codes of e4m3, 8 for q4_0, and for q6_K
  /// 128 * 32, a sub scale and a code.
  double largest_number() const;
  /// Whether there are numbers for parts of a block.
  bool has_sub_blocks() const { return sub_scale || sub_minimum; }
  /// Whether each field is inside words of a buffer, or consists of whole ones. Blocks of mxfp4 have 17 bytes: no.
  bool is_in_words() const;
  /// Whether rows of blocks are rows of an array of i8.
  bool is_array() const {
    return code.kind == NumberKind::has_sign && code.bits() == 8 && bytes == elements;
  }
  ScalarType scale_type() const { return scale ? scale->type : ScalarType::f16; }
};

/// What has a number of its own: each weight, each part of a block, or the block.
enum class NumberOf : std::uint8_t { weight, part, block };

/// A number of a format with its name.
struct NamedNumber {
  std::string name, plural;  // "minimum", "minima"
  NumberOf of;
  const WeightNumber* number;
};
/// The numbers that `format` has, of "code", "scale", "minimum", "sub_scale", "sub_minimum". It must outlive them.
std::vector<NamedNumber> numbers_of(const WeightFormat& format);
/// The number of that name; null if the format has none.
const WeightNumber* number_called(const WeightFormat& format, std::string_view name);

/// The format of half a block, of which two make a block; nullopt if halves differ. mxfp4 has blocks of 17 bytes.
std::optional<WeightFormat> half_of(const WeightFormat& format);

/// The formats that have names on the command line.
std::span<const WeightFormat> weight_formats();
/// Their names.
std::vector<std::string> weight_format_names();
/// The format of that name; null if there is none.
const WeightFormat* find_weight_format(std::string_view name);

/// Every reason why kernels cannot read weights of `format`; empty if they can.
std::vector<std::string> reasons_against(const WeightFormat& format);

/// The bits of a number of weight `element` of a block, as they are stored.
std::uint64_t bits_of(const WeightNumber& number, std::span<const std::byte> block,
                      std::int64_t element);
/// Stores them; those of other weights that share them too.
void store_bits(const WeightNumber& number, std::uint64_t bits, std::span<std::byte> block,
                std::int64_t element);

/// What the number of the code of a weight is multiplied by, and what is added: 1 and 0 if the format has none.
struct WeightScales {
  double scale = 1, minimum = 0;
};
/// Precondition: `block` consists of the bytes of one block.
WeightScales scales_of(const WeightFormat& format, std::span<const std::byte> block,
                       std::int64_t element);
/// Those of the block, without the numbers of its parts.
WeightScales scales_of_block(const WeightFormat& format, std::span<const std::byte> block);

/// The exact value of weight `element` from the first of `block` on, which may be in one of the blocks that follow.
double weight_of(const WeightFormat& format, std::span<const std::byte> block,
                 std::int64_t element);

/// `count` weights, a multiple of the elements of a block, from the blocks `from`.
std::vector<double> dequantise(const WeightFormat& format, std::span<const std::byte> from,
                               std::int64_t count);

/// The blocks of `weights`, a row of whole blocks. Throws ArgumentError as the function of quantise.hpp does.
std::vector<std::byte> quantise(const WeightFormat& format, std::span<const double> weights);

}  // namespace vkmoye::gen
