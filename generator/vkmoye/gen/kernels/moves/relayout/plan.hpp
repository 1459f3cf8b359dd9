// SPDX-License-Identifier: MIT
#pragma once
// How to copy one strided tensor to another: what the layouts of both say, before any kernel.
//
//   src (8,64,64):(4096,1,64) -> dst (8,64,64):(1,512,8), f32
//     modes   8: 4096 | 1     64: 64 | 8     64: 1 | 512
//     src runs along the last, dst along the first: a tile over both goes through shared memory
//     tile    (8,8,64); a thread loads 4x4 elements, 4 along the last mode at once, and stores 4
//             along the first at once
//
//   src (3,4096):(1,3) -> dst (3,4096):(4096,1), u8: pixels to planes
//     modes   3: 1 | 4096     4096: 3 | 1
//     src runs along both, dst along the second: the tile (3,4096) is 12288 elements one after the
//     other in src, which are loaded 16 at once; a thread stores 16 pixels, 16 bytes of each plane
//
// Where both tensors run along the same mode far enough, elements go straight across.

#include <cstdint>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/common/address.hpp"
#include "vkmoye/gen/kernels/moves/relayout/modes.hpp"
#include "vkmoye/gen/kernels/moves/tile_order.hpp"
#include "vkmoye/layout/swizzle.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye::gen {

struct RelayoutConfig {
  ScalarType type = ScalarType::f32;
  std::int64_t threads = 256;         // of a workgroup, at most
  std::int64_t vector = 16;           // bytes of an access, at most
  std::int64_t run = 0;               // elements of a tile along src and along dst; 0: by type
  std::int64_t rounds = 4;            // accesses in flight where elements go straight across
  std::int64_t shared_bytes = 32768;  // of shared memory, at most, unless `run` says otherwise
  TileOrder order = TileOrder::automatic;
  Address address = Address::automatic;
};

struct RelayoutPlan {
  std::vector<JointMode> modes;  // in the order of everything below
  std::int64_t threads = 256;
  bool straight = true;

  // Straight across: element number p, the first mode fastest, is moved by thread p / vector.
  std::int64_t vector = 1;  // elements of an access, on both sides
  std::int64_t rounds = 1;  // accesses of a thread

  // Through shared memory: tiles of powers of two, but for the modes that are joined. Those follow
  // each other in one of the tensors from its innermost one on: the tile has them as one mode, which
  // is whole along all but the last of them.
  std::size_t joined = 1;              // how many, the first of `modes`; 1: none
  std::vector<std::int64_t> tile;      // extent along each of `modes`
  std::vector<Layout> walk;            // workgroup -> number of its tile along each of `modes`
  TiledCopy load, store;               // who moves what of a tile
  ComposedLayout shared;               // the tile in shared memory, a mode for each of its modes
  std::int64_t written = 1, read = 1;  // elements of it at once, at most
};

/// Precondition: `reasons_against_relayout(src, dst)` is empty; threads, vector, run and rounds are
/// powers of two, and a tile of run * run elements is not beyond all shared memory.
RelayoutPlan plan_relayout(const Layout& src, const Layout& dst, const RelayoutConfig& config);

}  // namespace vkmoye::gen
