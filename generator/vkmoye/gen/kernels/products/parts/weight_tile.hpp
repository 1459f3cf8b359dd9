// SPDX-License-Identifier: MIT
#pragma once
// A tile of weights in blocks, in shared memory as in the buffer, and its decoding in registers.
//
//   q4_0, 8 blocks of a row: 144 bytes      a thread reads them in 9 accesses of 16 bytes
//     words of the thread    s0 c0 | c0 c0 | .. | c0 s1 | c1 c1 | ..      a scale takes half of a word
//     word j of block 0      (words[j] >> 16) | (words[j + 1] << 16)      blocks of 18 bytes: every other one
//     its weights            scale * (code - 8), where 16 + code is bitcast(16.0 | code << 19)
//
// A code becomes a number without a conversion: with its bits in the mantissa of a power of two, at bit 11 or above, so
// that scale * number, scale * (power + zero) and their difference are exact in f32. Weights are therefore exact, whether
// or not a device rounds once in fma, unless the format has a minimum: then adding it rounds once. Scales must be finite.
//
//   WeightTile tile(k, format, {.rows = 16, .blocks = 64, .threads = 128});
//   tile.fetch(buffers.b_words(k_tile, tile.words_of_row()), Edges::inside, ..)   into registers
//   tile.store()                                                                  into shared memory
//   tile.read(row, unit, words)                                                   words of a thread: 8 blocks

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/form/weight_format.hpp"

namespace vkmoye::gen {

struct WeightTileShape {
  std::int64_t rows = 16;
  std::int64_t blocks = 64;  // of a row
  std::int64_t unit = 8;     // blocks that a thread reads from shared memory at once
  std::int64_t threads = 128;
  std::int64_t pad = 0;  // 16-bit words between rows in shared memory
};

/// The 16-bit words of an access to a unit, and to rows of whole units: the widest power of two.
std::int64_t access_words(const WeightFormat& format, std::int64_t unit);
/// The threads side by side along a row when the tile is fetched, and those across.
struct FetchThreads {
  std::int64_t along, across;
};
FetchThreads fetch_threads(const WeightFormat& format, const WeightTileShape& shape);
/// Bytes of shared memory.
std::int64_t shared_bytes(const WeightFormat& format, const WeightTileShape& shape);
/// Every reason against the shape.
std::vector<std::string> reasons_against(const WeightFormat& format, const WeightTileShape& shape);

/// Four consecutive weights of a block whose codes lie in one word of codes.
struct WeightGroup {
  std::uint32_t first_bit[4];  // of their codes in the word
  std::int64_t first, step;    // the first one is number `first` + `step` * (number of the word)
};
/// The groups of a word of codes.
std::vector<WeightGroup> groups_of_word(const WeightFormat& format);
/// The words of codes of a block.
inline std::int64_t code_words(const WeightFormat& format) { return format.codes_bytes() / 4; }

class WeightTile {
 public:
  /// Declares shared memory and registers. `k` and `format` must outlive this object.
  WeightTile(Builder& k, const WeightFormat& format, const WeightTileShape& shape);

  std::int64_t words_of_row() const { return shape_.blocks * format_.bytes / 2; }
  /// The 32-bit words of a unit.
  std::int64_t words_of_unit() const { return shape_.unit * format_.bytes / 4; }

  /// When rows of the buffer are aligned to accesses. `tile`: (words_of_row, rows) of the buffer.
  Conditions fits(const View& tile) const;
  /// Loads `tile` into registers. `elementwise`: word by word of 16 bits; else rows must be aligned.
  void fetch(const View& tile, Edges edges, bool elementwise);
  /// Stores what was fetched to shared memory.
  void store();

  /// words(i) <- 32-bit word i of unit `unit` of row `row`. `to`: registers of u32, from `first` on.
  void read(const Expr& row, const Expr& unit, const View& to, const Expr& first);

  /// Word `number` of the codes of block `block` of a unit whose words are in registers from `first` on. Only the number
  /// may be the variable of an unrolled loop. Formats with signs: with the sign bits inverted. Names end with `suffix`.
  Expr codes(const View& words, const Expr& first, const Expr& pair, std::int64_t block,
             const Expr& number, const std::string& suffix);
  /// The scale of that block; the minimum, if the format has one.
  Expr half(const View& words, const Expr& first, const Expr& pair, std::int64_t block,
            std::int64_t at, const std::string& name);
  /// The weight, of f32, whose code is at bit `first_bit` of `codes`.
  Expr weight(const Expr& codes, std::uint32_t first_bit, const Expr& scale,
              const std::optional<Expr>& minimum) const;

  /// The blocks between two that begin at the same byte of a word: 1 or 2.
  std::int64_t blocks_of_pair() const { return format_.bytes % 4 == 0 ? 1 : 2; }

 private:
  View part(const View& tile) const;
  Expr word(const View& words, const Expr& first, const Expr& pair, const Expr& at,
            const std::string& name);

  Builder& k_;
  const WeightFormat& format_;
  const WeightTileShape shape_;
  Vector vector_;
  View shared_, next_;
};

}  // namespace vkmoye::gen
