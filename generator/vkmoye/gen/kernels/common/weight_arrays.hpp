// SPDX-License-Identifier: MIT
#pragma once
// Weights of a checkpoint, with codes, scales and zero points in arrays of their own, as blocks of a format.
//
//   gptq, 4 bits     qweight (K/8,N) of i32     code of weight (k,n): 4 bits at k 8:4 of an element
//                    scales  (K/g,N) of f16     scale of g weights along k
//                    qzeros  (K/g,N/8) of i32   their zero point minus 1: 4 bits at n 8:4 of an element
//   i4z128           N rows of K/128 blocks of 68 bytes: scale, zero point, 128 codes
//
// "k 8:4": an element holds the numbers of 8 weights along k, weight i of them from bit 4 i on. An array with fewer
// elements than that gives each number to a group of weights.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"

namespace vkmoye::gen {

/// An array of a checkpoint, in C order.
struct CheckpointArray {
  std::string name;
  ScalarType type;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data = {};
};

/// Where a checkpoint has one of the numbers of a format.
struct NumberArray {
  std::string number;  // "code", "scale", "minimum", "sub_scale" or "sub_minimum" of the format
  std::string what;    // what people call it: "zero point"
  std::vector<std::string> names;  // the array's name ends in one of these words: "qweight"
  std::uint32_t bits = 8;          // of the number; of a floating-point type: all of an element
  Layout k = {}, n = {};           // weight k, n of an element -> first bit of its number
  bool k_first = false;            // shape (K,N); otherwise (.., N,K)
  std::size_t k_axes = 1;          // how many axes k has, such as 2 for (K/32,16)
  std::int64_t block = 1;   // an element may be that of block x block weights, the last ones fewer
  std::uint64_t added = 0;  // the number is the bits plus this
  std::optional<std::uint64_t> if_missing = {};  // the number if there is no such array
};

struct WeightScheme {
  std::string name;
  std::vector<std::string> formats;  // names of the formats that have these numbers
  /// The arrays: first the codes, then the scales.
  std::vector<NumberArray> (*arrays)(std::uint32_t bits_of_code);
  std::vector<std::string> groups = {};    // names of an array with the group of each k, in order
  std::vector<std::string> shapes = {};    // names of an array with N and K
  std::vector<std::string> factors = {};   // names of a factor of all weights
  std::vector<std::string> divisors = {};  // names of a divisor of all weights
};

/// gptq, gptq_v2, awq, pack-quantized, mlx, fp8, mxfp4, nvfp4: see products/weight-formats.md.
std::span<const WeightScheme> weight_schemes();
/// The scheme of that name; null if there is none.
const WeightScheme* find_weight_scheme(std::string_view name);

/// Whether `name` ends in `word`, alone or behind '.', '_' or '/': model.layers.0.mlp.up_proj.qweight in qweight.
bool ends_in(std::string_view name, std::string_view word);
/// The words in which names of the scheme's arrays end, for codes of `format`.
std::vector<std::string> words_of(const WeightScheme& scheme, const WeightFormat& format);

struct BlocksOfArrays {
  std::vector<std::int64_t> shape;  // (.., N, bytes of K weights)
  std::vector<std::byte> blocks;
  std::int64_t k = 0, group = 0;  // K, and the weights along k that have the same scale
  double alpha = 1;               // what products must be multiplied by: the scale of the tensor
};

/// The blocks of `format` with exactly the weights of `arrays`, divided by alpha. Throws ArgumentError with the
/// reasons: arrays that are missing, given twice or unknown; data, types and shapes that do not fit each other; scales
/// of fewer weights than those of the format; numbers that the format cannot hold; groups out of order; blocks that no
/// product takes (reasons_against_blocks).
BlocksOfArrays blocks_of(const WeightScheme& scheme, const WeightFormat& format,
                         std::span<const CheckpointArray> arrays);

}  // namespace vkmoye::gen
