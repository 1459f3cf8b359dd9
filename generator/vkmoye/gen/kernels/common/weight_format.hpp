// SPDX-License-Identifier: MIT
#pragma once
// How weights of few bits lie in memory: blocks of consecutive elements of a row, each with its codes and its scale.
//
//   q4_0, 18 bytes for 32 weights:   scale (f16) | 16 bytes: byte i has the codes of weights i and i + 16
//     weight = scale * (code - 8)
//   q8_0, 34 bytes for 32 weights:   scale (f16) | 32 bytes, two's complement
//     weight = scale * code
//
// Formats are rows of a table, and a program can pass a row of its own: kernels, the check of results and the quantiser
// follow from it. B (N,K) is then N rows of K / elements blocks, without gaps between blocks; see GemmForm::weights.
//
// Source of q8_0, q4_0 and q4_1: ggml, the blocks of GGUF files. i4g128 holds the weights of GPTQ and AWQ in groups of
// 128: a zero point z of a group becomes the minimum -scale * z.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vkmoye::gen {

struct WeightFormat {
  /// Which codes share a byte.
  enum class Order : std::uint8_t {
    neighbours,  // byte i has the codes of weights 2 i (low bits) and 2 i + 1; codes of 8 bits: of weight i
    halves,  // byte i has the codes of weights i (low bits) and i + elements / 2
  };

  std::string name;
  std::int64_t elements = 32;  // of a block
  std::int64_t bytes = 18;     // of a block: an even number
  std::uint32_t bits = 4;      // of a code: 4 or 8
  Order order = Order::halves;
  std::int64_t scale_at = 0, codes_at = 2;  // bytes of the block before them: even numbers
  std::int64_t zero = 8;                    // the code of weight 0
  bool has_sign = false;                    // codes are two's complement
  std::optional<std::int64_t> minimum_at =
      {};  // of an f16 that is added: weight = scale * (code - zero) + minimum
  /// Writes the block of these weights.
  std::function<void(std::span<const double> weights, std::span<std::byte> block)> quantise = {};

  std::int64_t codes_bytes() const { return elements * bits / 8; }
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

/// That weight, exactly: scale * (code - zero) + minimum.
double weight_of(const WeightFormat& format, std::span<const std::byte> block,
                 std::int64_t element);

/// `count` weights, a multiple of the elements of a block, from the blocks `from`.
std::vector<double> dequantise(const WeightFormat& format, std::span<const std::byte> from,
                               std::int64_t count);

/// The blocks of `weights`, whose number is a multiple of the elements of a block.
std::vector<std::byte> quantise(const WeightFormat& format, std::span<const double> weights);

}  // namespace vkmoye::gen
