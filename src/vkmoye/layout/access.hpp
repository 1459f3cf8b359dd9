// SPDX-License-Identifier: MIT
#pragma once
// What a subgroup's access costs in shared and in global memory.
//
//   tile (32,32), 4-byte elements, 32 lanes read one row, element (0,lane):
//   stored (32,32):(1,32)    every lane in bank 0: degree 32
//   stored (32,32):(1,33)    lane l in bank l: degree 1
//
// Shared memory has `banks` banks of `bank_bytes`; lanes that want different words of one bank wait
// for each other. An access wider than a bank is served in phases: with 32 banks of 4 bytes, 32
// lanes of 16 bytes go in 4 phases of 8 lanes, lanes of 8 bytes in 2 phases of 16. Conflicts are those
// within a phase. Lanes that want the same word share it.
//
// Derivation: CUDA C++ Programming Guide, "Shared Memory" of each compute capability; AMD's LDS has
// the same form with its own numbers.

#include <cstdint>
#include <span>

#include "vkmoye/layout/swizzle.hpp"

namespace vkmoye {

/// Limits of the analysis, which examines every access one by one.
inline constexpr std::int64_t kMaxAccesses = std::int64_t{1} << 20;
inline constexpr std::int64_t kMaxAccessBytes = 1024;

/// Precondition: lanes and banks 1..1024, bank_bytes 1..1024.
struct BankModel {
  int lanes = 32;
  int banks = 32;
  int bank_bytes = 4;
};

/// A request is one access by `lanes` lanes.
struct BankConflicts {
  int degree = 1;  // the maximum number of words of one bank in any phase; 1 is free of conflicts
  int phases = 1;  // per request
  int wavefronts = 0;  // cycles of the worst request: its phases' degrees added up
};

/// The cost of one request: lane i reads `access_bytes` from byte_addresses[i].
/// Precondition: the addresses are multiples of access_bytes; there are at most model.lanes of them.
BankConflicts bank_conflicts(std::span<const std::int64_t> byte_addresses,
                             std::int64_t access_bytes, const BankModel& model = {});

/// Which thread accesses what: (thread, value) -> index of the element in the tile (first mode fastest), the
/// first of `width` consecutive ones. Threads make requests of model.lanes, one per value.
struct TileAccess {
  Layout elements;
  std::int64_t width = 1;
};

/// Throws LayoutError unless `access` can be made to a tile of `tile_size` elements: no element outside
/// it, at most kMaxAccesses, at most kMaxAccessBytes each.
void check_access(const TileAccess& access, std::int64_t tile_size, std::int64_t element_bytes,
                  const BankModel& model = {});

/// The worst request of `access` when the tile is stored by `storage`.
/// Throws LayoutError if the `width` elements of an access are not neighbours, or not aligned to their
/// size, in that storage; also if check_access does.
BankConflicts bank_conflicts(const ComposedLayout& storage, const TileAccess& access,
                             std::int64_t element_bytes, const BankModel& model = {});

/// Whether every request has degree 1; stops at the first that does not.
/// Throws LayoutError under the conditions of bank_conflicts.
bool is_conflict_free(const ComposedLayout& storage, const TileAccess& access,
                      std::int64_t element_bytes, const BankModel& model = {});

/// Aligned segments of `sector_bytes` that one request touches: the memory traffic of a global
/// access is this times sector_bytes.
int sectors_per_request(std::span<const std::int64_t> byte_addresses, std::int64_t access_bytes,
                        std::int64_t sector_bytes = 32);

/// The most sectors of any request of `access`, the tile lying in memory as `layout`, and the least
/// that its bytes could fill.
struct SectorCount {
  int most = 0;
  int ideal = 0;
};
/// The sectors of `sector_bytes` bytes that each request of `lanes` lanes touches.
SectorCount sectors_per_request(const Layout& layout, const TileAccess& access,
                                std::int64_t element_bytes, int lanes = 32,
                                std::int64_t sector_bytes = 32);

}  // namespace vkmoye
