// SPDX-License-Identifier: MIT
#pragma once
// Weights in blocks, packed in the order in which the lanes of a subgroup read them for matrix units: the same fields
// of bits under another layout.
//
//   q4_0, blocks of 32 k x 64 rows (32 rows where B has at most 4096) for the matrices of an H200, 288 words
//     words 0 to 255      codes: lane i reads words 4 i to 4 i + 3, and 4 more 128 words later; each word holds 8
//                         consecutive k of one of its rows
//     words 256 to 287    scales, two in a word: four words for the lanes that read the same rows
//
//   q6_K, blocks of 256 k x 64 rows, 3360 words: 8 parts of 32 k, which lanes read one after the other
//     words 0 to 2047     the low 4 bits of codes: 256 words for each part, as in q4_0
//     words 2048 to 3071  their high 2 bits: a word holds 8 consecutive k of two rows
//     words 3072 to 3103  scales, one of f16 for a row
//     words 3104 to 3359  sub scales, a byte for 16 k: two for each row and part
//
// So a lane reads 16 bytes at a time, and codes of 8 consecutive k of a row belong to 8 consecutive elements of a row
// of A. Elements 2 i and 2 i + 1 have their bits 16 apart in a word: one shift and one mask give two weights. Codes
// with a sign are stored without it, code + 128. A block has as many k as a block of the format, or those that lanes
// read at once, if these are more; then it has several scales of each row. The planes of a block follow one after the
// other: fields of codes, scales, minima, sub scales, sub minima.
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

/// The k of a packed block of `format`, of which lanes read `depth` at once.
inline std::int64_t packed_depth(const WeightFormat& format, std::int64_t depth) {
  return std::max(format.elements, depth);
}
/// The bytes of a packed block of `rows` x `depth` weights, which are whole blocks of the format.
std::int64_t packed_bytes(const WeightFormat& format, std::int64_t rows, std::int64_t depth);

/// Equal numbers of bits of a packed block: a field of the codes, or numbers that `run` k of a row share.
struct PackedPlane {
  std::string name, plural;  // "scale", "scales"
  WeightNumber number;       // of a field of codes: its bits alone, from bit 0 on
  bool is_code;
  std::int64_t run, bits;
  std::int64_t first = 0, words = 0;  // of 32 bits, of the block

  /// Numbers that begin in a word.
  std::int64_t of_word() const { return 32 / bits; }
};

struct PackedWeights {
  const WeightFormat* format = nullptr;
  FragmentLanes lanes;     // how lanes hold a matrix of B
  std::int64_t rows = 64;  // rows of B per block

  std::int64_t depth() const { return size(lanes.to_lane.mode(0)) * kPackedVector; }  // of a part
  std::int64_t block_depth() const { return packed_depth(*format, depth()); }
  std::int64_t parts() const { return block_depth() / depth(); }
  std::int64_t rows_of_lane() const { return rows / size(lanes.to_lane.mode(1)); }
  std::int64_t words() const { return packed_bytes(*format, rows, block_depth()) / 4; }
  std::vector<PackedPlane> planes() const;

  /// The parts of a block that have numbers of their own in `plane`.
  std::int64_t parts_of(const PackedPlane& plane) const {
    return block_depth() / std::max(plane.run, depth());
  }
  /// The words of such a part of which a lane needs something.
  std::int64_t words_of_lane(const PackedPlane& plane) const {
    return rows_of_lane() * (plane.is_code ? kPackedVector : 1) * plane.bits / 32;
  }
  /// The words that a lane reads at once: a power of two.
  std::int64_t access_words(const PackedPlane& plane) const {
    const std::int64_t words = words_of_lane(plane);
    return std::min<std::int64_t>(words & -words, 4);
  }
  /// Of codes, (k, row) of a block -> number of its code; of others, (row, run of k) -> number. Number c is part
  /// c % (32 / bits) of word c / (32 / bits) of the plane.
  Layout places(const PackedPlane& plane) const;
};

/// `count` words of a packed block from number `first` on.
View part_of(const View& block, std::int64_t first, std::int64_t count);

/// Every reason why weights cannot be packed like this; empty if they can.
std::vector<std::string> reasons_against(const PackedWeights& weights);

/// Packed weights that one subgroup reads, of one block of rows: registers into which it loads blocks and from which it
/// decodes them.
class PackedWeightTile {
 public:
  /// Declares registers for `reads` parts of each lane, with `suffix` at the end of their names. `builder` and
  /// `buffers`, whose B is packed this way, must outlive this object.
  PackedWeightTile(Builder& builder, const GemmBuffers& buffers, PackedWeights weights,
                   std::int64_t reads, const std::string& suffix = "");
  PackedWeightTile(const PackedWeightTile&) = delete;

  /// Fills the table of the format, if it has one, and waits for it. All invocations must reach it before `decode`.
  void fill_table();

  /// Reads parts of blocks along k from number `first` * reads on, for the rows of the workgroup's tile. Where k or n
  /// ends before, parts of the last block are read again: A is 0 there, or the result is outside C.
  void read(const Expr& first);
  /// Part number `read` of these alone, of block of rows number `block` in the matrix of the workgroup.
  void read_part(const Expr& first, const Expr& block, std::int64_t read);
  /// to(v, read, row) = the weights that were read, rounded to the type of `to`: registers of
  /// (8, reads, rows of a lane) elements. `scale * (code - zero)` is rounded once.
  void decode(const View& to);
  /// Of part number `read`, and of each row of a lane, as many of the 8 weights as `to` has elements along k, from
  /// number `first` on: registers of (elements, 1, rows of a lane). Precondition: both numbers are even.
  void decode_part(const View& to, std::int64_t read, std::int64_t first);
  /// "scale * (code - 8)", for titles.
  std::string formula() const { return numbers_.formula(); }

 private:
  struct Held {
    PackedPlane plane;
    View
        registers;  // codes: (words of an access, accesses, reads); others: (words of a lane, reads)
  };

  // to: (weights from number `first` on, rows of a lane).
  void decode_rows(const View& to, const Expr& read, std::int64_t first);
  void read_plane(const Held& held, const View& block, const Expr& part, std::int64_t read);
  // Where the number of row `pair` * 2 + `number` of `read` begins; of codes, those of word `w` of its words.
  CodeBits number_of_row(const Held& held, const Expr& read, const Expr& pair, std::uint32_t number,
                         std::int64_t w);
  // The scale of that row, in `type`.
  WeightScale scale_of(const Expr& read, const Expr& pair, std::uint32_t number, ScalarType type);

  Builder& builder_;
  const GemmBuffers& buffers_;
  PackedWeights weights_;
  std::int64_t reads_;
  WeightNumbers numbers_;
  std::vector<Held> planes_;
};

/// The kernel that packs weights in blocks, as a GGUF file stores them.
///   src  (word, row), 16-bit words of rows of blocks, rows `leading` words apart
///   dst  (word of a block, k_block, block)
/// Arguments: words, rows, leading, k_blocks, blocks; batch and stride of a batch. Throws KernelError.
ir::Kernel pack_weights(const PackedWeights& weights, bool batched);

}  // namespace vkmoye::gen
