// SPDX-License-Identifier: MIT
#pragma once
// A tile of weights in blocks, in shared memory as in the buffer.
//
//   WeightTile tile(k, format, {.rows = 16, .blocks = 64, .threads = 128});
//   tile.fetch(buffers.b_words(k_tile, tile.words_of_row()), Edges::inside, ..)   into registers
//   tile.store()                                                                  into shared memory
//   units.read(0, tile.array(), tile.start(row, unit))                            8 blocks of a thread
//
//   q4_0, 8 blocks of a row: 144 bytes, 9 accesses of 16 bytes. Threads that read units side by side meet each bank of
//   shared memory as often as they must, because the number of accesses is odd.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/products/parts/weight_units.hpp"

namespace vkmoye::gen {

struct WeightTileShape {
  std::int64_t rows = 16;
  std::int64_t blocks = 64;  // blocks per row
  std::int64_t unit = 8;     // blocks that a thread reads from shared memory at once
  std::int64_t threads = 128;
};

/// The threads side by side along a row when the tile is fetched, and those across.
struct FetchThreads {
  std::int64_t along, across;
};
FetchThreads fetch_threads(const WeightFormat& format, const WeightTileShape& shape);
/// Bytes of shared memory.
std::int64_t shared_bytes(const WeightFormat& format, const WeightTileShape& shape);
/// Every reason against the shape.
std::vector<std::string> reasons_against(const WeightFormat& format, const WeightTileShape& shape);

class WeightTile {
 public:
  /// Declares shared memory and registers. `k` and `format` must outlive this object.
  WeightTile(Builder& k, const WeightFormat& format, const WeightTileShape& shape);

  /// 16-bit words.
  std::int64_t words_of_row() const { return shape_.blocks * format_.bytes / 2; }

  /// When rows of the buffer are aligned to accesses. `tile`: (words_of_row, rows) of the buffer.
  Conditions fits(const View& tile) const;
  /// Loads `tile` into registers. `elementwise`: word by word of 16 bits; else rows must be aligned.
  void fetch(const View& tile, Edges edges, bool elementwise);
  /// Stores what was fetched to shared memory.
  void store();

  const std::string& array() const { return shared_.array; }
  /// The first element of unit `unit` of row `row` in that array.
  Expr start(const Expr& row, const Expr& unit) const;

 private:
  View part(const View& tile) const;

  Builder& builder_;
  const WeightFormat& format_;
  const WeightTileShape shape_;
  Vector vector_;
  View shared_, next_;
};

}  // namespace vkmoye::gen
