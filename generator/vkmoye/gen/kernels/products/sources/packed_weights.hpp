// SPDX-License-Identifier: MIT
#pragma once
// Weights in blocks, packed in the order in which the lanes of a subgroup read them for matrix units.
//
//   q4_0, blocks of 32 k x 64 rows (32 rows where B has at most 4096) for the matrices of an H200, 288 words
//     words 0 to 255      codes: lane i reads words 4 i to 4 i + 3, and 4 more 128 words later; each word holds 8
//                         consecutive k of one of its rows
//     words 256 to 287    scales, two in a word: four words for the lanes that read the same rows
//
// So a lane reads 16 bytes at a time, and a word of codes belongs to 8 consecutive elements of a row of A. Element v of
// the 8 belongs to code v / 2 + 4 (v % 2) of the word: one shift and one mask give two weights, in the halves of a
// word. Codes with a sign are stored without it, code + 128. If the blocks of a format are longer, each packed block
// repeats the scale; if they are shorter, it holds several scales of each row. Minima follow. A scale of f32 is a word.
//
// Block (i,j) is number j + blocks along k * i; rows past the last one repeat the codes of the last.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/fragment_lanes.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"
#include "vkmoye/gen/kernels/common/weight_numbers.hpp"
#include "vkmoye/gen/kernels/products/arrays/buffers.hpp"

namespace vkmoye::gen {

/// The elements of A of 16 bits that a lane reads at once.
inline constexpr std::int64_t kPackedVector = 8;

/// The bytes of a packed block of `rows` x `depth` weights: its codes and, as far as the format has them, a scale and a
/// minimum for each block of the format, or for each row if a block is longer.
std::int64_t packed_bytes(const WeightFormat& format, std::int64_t rows, std::int64_t depth);

struct PackedWeights {
  const WeightFormat* format = nullptr;
  FragmentLanes lanes;     // how lanes hold a matrix of B
  std::int64_t rows = 64;  // rows of B per block

  std::int64_t depth() const { return size(lanes.lanes.mode(0)) * kPackedVector; }  // k of a block
  std::int64_t rows_of_lane() const { return rows / size(lanes.lanes.mode(1)); }
  std::int64_t words_of_row() const {
    return kPackedVector * format->code.bits() / 32;
  }  // per lane
  std::int64_t words_of_lane() const { return rows_of_lane() * words_of_row(); }
  std::int64_t access_words() const {  // that a lane reads at once: a power of two
    return std::min<std::int64_t>(words_of_lane() & -words_of_lane(), 4);
  }
  std::int64_t code_words() const { return rows * depth() * format->code.bits() / 32; }
  std::int64_t scales_of_row() const { return (depth() + format->elements - 1) / format->elements; }
  std::int64_t scales_of_word() const {
    return 4 / static_cast<std::int64_t>(size_of(format->scale_type()));
  }
  /// The words of `scales` scales or minima; 0 if the format has none.
  std::int64_t words_of(std::int64_t scales) const {
    return format->scale ? scales / scales_of_word() : 0;
  }
  /// The words of all scales of a block, or of all minima.
  std::int64_t scale_words() const { return words_of(rows * scales_of_row()); }
  std::int64_t words() const { return packed_bytes(*format, rows, depth()) / 4; }

  /// (k, row) of a block -> number of its code; code c is part c % (32 / bits) of word c / (32 / bits).
  Layout codes() const;
  /// (row, block of the format) -> number of its scale.
  Layout scales() const;
};

/// Every reason why weights cannot be packed like this; empty if they can.
std::vector<std::string> reasons_against(const PackedWeights& weights);

/// The part of the packed weights that one subgroup reads: registers into which it loads blocks and decodes them from.
class PackedWeightTile {
 public:
  /// Declares registers for `reads` blocks of each lane. `builder` and `buffers`, whose B is packed this way, must
  /// outlive this object.
  PackedWeightTile(Builder& builder, const GemmBuffers& buffers, PackedWeights weights,
                   std::int64_t reads);
  PackedWeightTile(const PackedWeightTile&) = delete;

  /// Fills the table of the format, if it has one, and waits for it. All invocations must reach it before `decode`.
  void fill_table();

  /// Reads blocks along k from number `first` * reads on, for the rows of the workgroup's tile. Where k or n ends
  /// before, the last block is read again: A is 0 there, or the result is outside C.
  void read(const Expr& first);
  /// to(v, read, row) = the weights that were read, rounded to the type of `to`: registers of
  /// (8, reads, rows of a lane) elements. `scale * (code - zero)` is rounded once.
  void decode(const View& to);
  /// "scale * (code - 8)", for titles.
  std::string formula() const { return numbers_.formula(); }

 private:
  // The scale of row `pair` * 2 + `number` of `read`, in `type`.
  WeightScale scale_of(const Expr& read, const Expr& pair, std::uint32_t number, ScalarType type);

  void read_block(const View& block, std::int64_t read);

  Builder& builder_;
  const GemmBuffers& buffers_;
  PackedWeights weights_;
  std::int64_t reads_;
  WeightNumbers numbers_;
  View codes_;                   // registers: (words of an access, accesses, reads)
  std::vector<View> of_scales_;  // of scales and of minima: (words of a lane, reads)
};

/// The kernel that packs weights in blocks, as a GGUF file stores them.
///   src  (word, row), 16-bit words of rows of blocks, rows `leading` words apart
///   dst  (word of a block, k_block, block)
/// Arguments: words, rows, leading, k_blocks, blocks; batch and stride of a batch. Throws KernelError.
ir::Kernel pack_weights(const PackedWeights& weights, bool batched);

}  // namespace vkmoye::gen
