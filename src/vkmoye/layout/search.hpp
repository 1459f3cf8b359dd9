// SPDX-License-Identifier: MIT
#pragma once
// The cheapest shared layout without bank conflicts.
//
//   tile (32,32) of f32, written by rows of 32 threads and read by columns:
//   search_padding   (32,32):(1,33)                        32 elements more
//   search_swizzle   Swizzle<5,0,5> o 0 o (32,32):(1,32)   no more storage; one xor for each address
//
// Every candidate is checked with all its accesses, request by request, so an answer is proven, not
// guessed; among those the one with the least storage wins.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "vkmoye/layout/access.hpp"

namespace vkmoye {

/// A layout of shared memory that a search found.
struct StorageSearch {
  ComposedLayout storage;
  std::int64_t padding = 0;  // elements added to the outer stride
};

/// `tile` (compact, rank 2) with its outer stride enlarged by as few elements as possible, at most
/// one row of banks, so that every access has degree 1. nullopt if no such padding exists: wide
/// accesses keep their alignment, so their padding comes in steps of the width.
/// Throws LayoutError if `tile` is not usable for storage, for an access that check_access refuses, and
/// beyond 2^17 accesses together.
std::optional<StorageSearch> search_padding(const Layout& tile,
                                            std::span<const TileAccess> accesses,
                                            std::int64_t element_bytes,
                                            const BankModel& model = {});

/// `tile` with the padding that minimises the total cost of all accesses, where an access costs as much
/// as its worst request; the smallest such padding if several are equal. The result is that of
/// search_padding if there is one. Throws like search_padding, or if every padding tears an access.
StorageSearch cheapest_padding(const Layout& tile, std::span<const TileAccess> accesses,
                               std::int64_t element_bytes, const BankModel& model = {});

/// `tile` under a swizzle, with the fewest bits that make every access free of conflicts, and that
/// needs no more storage. nullopt if there is none.
std::optional<StorageSearch> search_swizzle(const Layout& tile,
                                            std::span<const TileAccess> accesses,
                                            std::int64_t element_bytes,
                                            const BankModel& model = {});

/// The better of the two: less storage, then no swizzle.
std::optional<StorageSearch> search_storage(const Layout& tile,
                                            std::span<const TileAccess> accesses,
                                            std::int64_t element_bytes,
                                            const BankModel& model = {});

}  // namespace vkmoye
