// SPDX-License-Identifier: MIT
#pragma once
// The tile of a relayout: its thread-value layouts and its layout in shared memory.
//
//   modes 64 and 64 of f32, src contiguous along the second, dst along the first
//     load    a thread has a block of 4x4: 4 accesses of 4 elements along the second mode
//     shared  Swizzle<3,2,6> o (64,64):(1,64), written in vectors of 4 along the first mode: the block
//             is transposed in registers
//     store   accesses of 4 elements along the first mode

#include <cstdint>
#include <vector>

#include "vkmoye/gen/kernels/moves/relayout/schedule.hpp"
#include "vkmoye/layout/access.hpp"

namespace vkmoye::gen {

using ModeOrder = std::vector<std::size_t>;  // numbers of modes

/// Whether mode `m` is one of `modes`.
bool contains(const ModeOrder& modes, std::size_t m);

/// `order`, followed by the modes that it does not contain.
ModeOrder completed(ModeOrder order, std::size_t modes);

class RelayoutTile {
 public:
  /// Precondition: `modes`, `joined` and `tile` of `schedule` are set. `schedule` must outlive this object.
  explicit RelayoutTile(const RelayoutSchedule& schedule);

  /// Elements along contiguous modes: 0, column, 2 * column .. of the column-major tile.
  struct Run {
    std::int64_t column, extent;
    ModeOrder modes;
  };
  Run joined() const;
  Run mode(std::size_t m) const { return {columns_[m], schedule_.tile[m], {m}}; }
  Run small() const;  // the joined modes but the last

  /// The block of a thread: `along` elements of one run by `across` elements of another.
  struct Block {
    Run run;
    std::int64_t along;
    Run other = {0, 1, {}};
    std::int64_t across = 1;
  };
  /// The maximum number of threads that have work.
  std::int64_t most_threads(const Block& block) const;

  /// A copy in which threads side by side cover a line of `block`'s run, then the other modes in `order`,
  /// then the rest of the run.
  TiledCopy copy(const Block& block, const ModeOrder& order, std::int64_t threads,
                 std::int64_t element_bytes) const;

  /// The accesses of `copy` to the tile in shared memory: `width` contiguous elements each, starting at the
  /// elements `first` of each block.
  TileAccess accesses(const Block& block, const ModeOrder& order, std::int64_t threads,
                      std::int64_t element_bytes, const Layout& first, std::int64_t width) const;

  /// The compact layout of the modes in `order`, with the joined modes together at the position of the
  /// first of them. Swizzled so that no access has bank conflicts, if there is such a swizzle.
  ComposedLayout storage(const ModeOrder& order, const std::vector<TileAccess>& accesses,
                         std::int64_t element_bytes) const;

 private:
  IntTuple shape() const;
  Halves shares(const Block& block, const ModeOrder& order, std::int64_t threads,
                std::int64_t element_bytes) const;

  const RelayoutSchedule& schedule_;
  std::vector<std::int64_t> columns_;  // stride of each mode in the column-major tile
};

}  // namespace vkmoye::gen
