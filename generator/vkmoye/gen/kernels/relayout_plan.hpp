#pragma once
// How to copy one strided tensor to another: what the layouts of both say, before any kernel.
//
//   src (8,64,64):(4096,1,64) -> dst (8,64,64):(1,512,8), f32
//     modes   8: 4096 | 1     64: 64 | 8     64: 1 | 512
//     src runs along the last, dst along the first: a tile over both goes through shared memory
//     tile    (8,4,32); a thread loads 4 elements along the last mode and stores 4 along the first
//
// Where both tensors run along the same mode far enough, elements go straight across.

#include <cstdint>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/address.hpp"
#include "vkmoye/gen/kernels/relayout_modes.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye::gen {

/// Where a workgroup's tile lies beside that of the workgroup before it: further along a run of dst,
/// of src, or of either in turn, in blocks of tiles.
enum class Walk : std::uint8_t { dst, src, both };

struct RelayoutConfig {
  ScalarType type = ScalarType::f32;
  std::int64_t threads = 256;  // of a workgroup, at most
  std::int64_t vector = 16;    // bytes of an access, at most
  std::int64_t run = 0;        // elements of a tile along src and along dst; 0: by type
  std::int64_t rounds = 4;     // accesses in flight where elements go straight across
  Walk walk = Walk::dst;       // of workgroups over tiles
  Address address = Address::automatic;
};

struct RelayoutPlan {
  std::vector<JointMode> modes;  // in the order of everything below
  std::int64_t threads = 256;
  bool straight = true;

  // Straight across: element number p, the first mode fastest, is moved by thread p / vector.
  std::int64_t vector = 1;  // elements of an access, on both sides
  std::int64_t rounds = 1;  // accesses of a thread

  // Through shared memory: tiles of powers of two.
  std::vector<std::int64_t> tile;  // extent along each mode
  std::vector<Layout> walk;        // workgroup -> number of its tile along each mode
  TiledCopy load, store;           // who moves what of a tile
  Layout shared;                   // the tile in shared memory, a mode for each of its modes
  std::int64_t packed = 1;         // elements of a shared word
  std::int64_t padding = 0;        // words after each run along src
};

/// Precondition: `reasons_against_relayout(src, dst)` is empty; threads, vector, run and rounds are
/// powers of two, and a tile of run * run elements is not beyond all shared memory.
RelayoutPlan plan_relayout(const Layout& src, const Layout& dst, const RelayoutConfig& config);

}  // namespace vkmoye::gen
