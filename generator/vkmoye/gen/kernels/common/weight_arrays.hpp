// SPDX-License-Identifier: MIT
#pragma once
// Weights of a checkpoint, with codes, scales and zero points in arrays of their own, as blocks of a format.
//
//   gptq, 4 bits     qweight (K/8,N) of i32     code of weight (k,n): 4 bits at k 8:4 of an element
//                    scales  (K/g,N) of f16     scale of g weights along k
//                    qzeros  (K/g,N/8) of i32   their zero point minus 1: 4 bits at n 8:4 of an element
//   i4z128           N rows of K/128 blocks of 68 bytes: scale, zero point, 128 codes
//
// An element of an array holds numbers of a few weights: one layout for k and one for n say at which bit. If an array
// has fewer elements than weights, each element is that of several weights along k or n.

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

/// Where a checkpoint has a number of each weight.
struct NumberArray {
  std::string number;  // of the format: "code", "scale", "minimum", "sub_scale", "sub_minimum"
  std::vector<std::string> ends;  // the last word of the array's name, one of these: "qweight"
  std::uint32_t bits = 8;  // of the number; if it is of a floating-point type, all of an element
  Layout k = {}, n = {};   // weight k, n of an element -> first bit of its number
  bool k_first = false;    // shape (K,N), else (.., N,K); each divided by the weights of an element
  std::size_t k_axes = 1;  // the last axes that are k together
  std::uint64_t added = 0;                      // the number is the bits plus this
  std::optional<std::uint64_t> otherwise = {};  // the number if the array is missing
};

struct WeightScheme {
  std::string name;
  std::vector<std::string> formats;  // names of formats with these numbers
  std::vector<NumberArray> (*arrays)(std::uint32_t bits_of_code);
};

/// gptq, gptq_v2, awq, pack-quantized, mlx, fp8, mxfp4, nvfp4: see products/weight-formats.md.
std::span<const WeightScheme> weight_schemes();
/// The scheme of that name; null if there is none.
const WeightScheme* find_weight_scheme(std::string_view name);

/// The words in which names of the scheme's arrays end, for codes of `format`.
std::vector<std::string> words_of(const WeightScheme& scheme, const WeightFormat& format);
/// Whether `name` ends in `word`, alone or behind '.', '_' or '/': model.layers.0.mlp.up_proj.qweight in qweight.
bool ends_in(std::string_view name, std::string_view word);

/// Rows of blocks: shape is (.., N, bytes of K weights).
struct BlocksOfArrays {
  std::vector<std::int64_t> shape;
  std::vector<std::byte> blocks;
};

/// The blocks of `format` with the weights of `arrays`, exactly. The name of each array ends in a word of the scheme.
/// An array g_idx, the group of each k, must be in order. Throws ArgumentError with the reasons: arrays that are
/// missing, given twice or unknown; types and shapes that do not fit each other; scales of fewer weights than those of
/// the format; numbers that the format cannot hold; blocks that no product takes (reasons_against_blocks).
BlocksOfArrays blocks_of(const WeightScheme& scheme, const WeightFormat& format,
                         std::span<const CheckpointArray> arrays);

}  // namespace vkmoye::gen
