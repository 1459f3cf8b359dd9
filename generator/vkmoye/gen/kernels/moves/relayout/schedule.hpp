// SPDX-License-Identifier: MIT
#pragma once
// Chooses how to copy one strided tensor to another, from their layouts alone.
//
//   src (8,64,64):(4096,1,64) -> dst (8,64,64):(1,512,8), f32
//     modes   8: 4096 | 1     64: 64 | 8     64: 1 | 512
//     src is contiguous along the last, dst along the first: a tile over both goes through shared memory
//     tile    (8,8,64); a thread loads 4x4 elements, in accesses of 4 along the last mode, and stores
//             them in accesses of 4 along the first
//
//   src (3,4096):(1,3) -> dst (3,4096):(4096,1), u8: pixels to planes
//     modes   3: 1 | 4096     4096: 3 | 1
//     src is contiguous along both, dst along the second: the tile (3,4096) is 12288 consecutive elements
//     of src, which are loaded 16 at a time; a thread stores 16 pixels, 16 bytes of each plane
//
// If both tensors have long runs along the same mode, elements are copied directly, without shared memory.
//
// transpose/auto does not use schedules (see transpose/transpose_tile.hpp), because its sizes are passed with the
// launch: one kernel handles every size, ragged ones too, while a schedule is for one shape. It also uses fewer
// registers: for 4096 x 4096 bytes a thread needs 36 on RDNA3 and 24 on Turing, here 156 and 80; for f16 24
// and 24, here 84 and 48. For f32 both need the same; for f64 a schedule needs fewer.

#include <cstdint>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/common/addressing.hpp"
#include "vkmoye/gen/kernels/moves/relayout/modes.hpp"
#include "vkmoye/gen/kernels/moves/tile_order.hpp"
#include "vkmoye/layout/swizzle.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye::gen {

/// The config of relayout.
struct RelayoutConfig {
  ScalarType type = ScalarType::f32;
  std::int64_t threads = 256;  // maximum number of threads of a workgroup
  std::int64_t vector = 16;    // maximum number of bytes of an access
  std::int64_t run = 0;        // elements of a tile along src and along dst; 0: chosen by type
  std::int64_t rounds = 4;     // accesses in flight of a direct copy
  std::int64_t shared_bytes = 32768;  // maximum shared memory, unless `run` needs more
  TileOrder order = TileOrder::automatic;
  AddressChoice address = AddressChoice::automatic;
};

/// How one kernel moves the elements: in which order, in which tiles, by which threads.
struct RelayoutSchedule {
  std::vector<JointMode> modes;  // their order is used by all fields below
  std::int64_t threads = 256;
  bool straight = true;

  // Direct copy: element number p, the first mode fastest, is moved by thread p / vector.
  std::int64_t vector = 1;  // elements of an access, on both sides
  std::int64_t rounds = 1;  // accesses of a thread

  // Through shared memory: extents of tiles are powers of two, except for joined modes. These are
  // contiguous in one of the tensors, starting with its innermost mode. The tile has them as one mode,
  // which covers all but the last of them entirely.
  std::size_t joined = 1;              // the first `joined` of `modes` are joined; 1: none
  std::vector<std::int64_t> tile;      // extent along each of `modes`
  std::vector<Layout> walk;            // workgroup -> number of its tile along each of `modes`
  TiledCopy load, store;               // the thread-value layouts of a tile
  ComposedLayout shared;               // the tile in shared memory, a mode for each of its modes
  std::int64_t written = 1, read = 1;  // maximum elements of an access to it
};

/// Preconditions: `reasons_against_relayout(src, dst)` is empty; threads, vector, run and rounds are
/// powers of two, and a tile of run * run elements fits in the shared memory of some device.
RelayoutSchedule schedule_relayout(const Layout& src, const Layout& dst,
                                   const RelayoutConfig& config);

}  // namespace vkmoye::gen
