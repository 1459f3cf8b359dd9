// SPDX-License-Identifier: MIT
#pragma once
// The tile of a relayout: who moves what of it, and where it lies in shared memory.
//
//   modes 64 and 64 of f32, src along the second, dst along the first
//     load    a thread has a block of 4x4: 4 along the second mode at once, 4 times along the first
//     shared  Swizzle<3,2,6> o (64,64):(1,64), written in words of 4 along the first mode: the block
//             is turned in registers
//     store   4 along the first mode at once

#include <cstdint>
#include <vector>

#include "vkmoye/gen/kernels/moves/relayout/plan.hpp"
#include "vkmoye/layout/access.hpp"

namespace vkmoye::gen {

using ModeOrder = std::vector<std::size_t>;  // numbers of modes

/// Whether mode `m` is one of `modes`.
bool contains(const ModeOrder& modes, std::size_t m);

/// `order`, then the modes that it leaves out.
ModeOrder completed(ModeOrder order, std::size_t modes);

class RelayoutTile {
 public:
  /// Precondition: `plan` has its modes, `joined` and `tile`, and outlives this.
  explicit RelayoutTile(const RelayoutPlan& plan);

  /// Elements column, 2 * column .. of the column-major tile: along modes that follow each other.
  struct Run {
    std::int64_t column, extent;
    ModeOrder modes;
  };
  Run joined() const;
  Run mode(std::size_t m) const { return {columns_[m], plan_.tile[m], {m}}; }
  Run small() const;  // the joined modes but the last

  /// What a thread has at once: `along` elements of one run, `across` of another for each.
  struct Block {
    Run run;
    std::int64_t along;
    Run other = {0, 1, {}};
    std::int64_t across = 1;
  };
  /// Threads for whom there is work at most.
  std::int64_t most_threads(const Block& block) const;

  /// Threads side by side take a line of `block`'s run, then the other modes in `order`, then the
  /// rest of the run.
  TiledCopy copy(const Block& block, const ModeOrder& order, std::int64_t threads,
                 std::int64_t element_bytes) const;

  /// The accesses of `copy` to the tile in shared memory, `width` elements that lie together there, from
  /// the elements `first` of each block on.
  TileAccess accesses(const Block& block, const ModeOrder& order, std::int64_t threads,
                      std::int64_t element_bytes, const Layout& first, std::int64_t width) const;

  /// The modes one after the other in `order`, those that are joined together where the first of them
  /// stands; swizzled so that no access meets a bank twice, where there is such a swizzle.
  ComposedLayout storage(const ModeOrder& order, const std::vector<TileAccess>& accesses,
                         std::int64_t element_bytes) const;

 private:
  IntTuple shape() const;
  Halves shares(const Block& block, const ModeOrder& order, std::int64_t threads,
                std::int64_t element_bytes) const;

  const RelayoutPlan& plan_;
  std::vector<std::int64_t> columns_;  // stride of each mode in the column-major tile
};

}  // namespace vkmoye::gen
