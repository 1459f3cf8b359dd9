// SPDX-License-Identifier: MIT
#pragma once
// The cost of what one subgroup touches at once, and of the worst such request.
//
//   32 lanes, 4 bytes each, neighbours           4 sectors of 32 bytes, 4 would do      good
//   the same, from byte 4 on                     5 sectors where 4 would do             fair
//   32 lanes, 4 bytes each, 16384 bytes apart    32 sectors where 4 would do            bad

#include <cstdint>
#include <optional>
#include <vector>

#include "vkmoye/layout/access.hpp"

namespace vkmoye::gen {

/// What each lane of a request touches first, in bytes; nothing: the lane is not active.
using LaneAddresses = std::vector<std::optional<std::int64_t>>;

enum class Grade : std::uint8_t {
  good,  // as little as its bytes can cost
  fair,  // one run of bytes that begins inside a sector, or less than twice as much
  bad,
};

struct SectorCost {
  int found = 0, ideal = 0;  // sectors; ideal: what the distinct bytes would fill
  std::int64_t bytes = 0;    // distinct
  bool one_run = true;       // the bytes are neighbours
};

struct BankCost {
  int degree = 1;      // the most words of one bank in any phase
  int wavefronts = 0;  // of the request: its phases' degrees added up
  int best = 0;        // the same without conflicts
};

/// Pre: some lane is active; the addresses are multiples of `access_bytes`.
SectorCost sector_cost(const LaneAddresses& lanes, std::int64_t access_bytes,
                       std::int64_t sector_bytes);
BankCost bank_cost(const LaneAddresses& lanes, std::int64_t access_bytes, const BankModel& model);

Grade grade(const SectorCost& cost);
Grade grade(const BankCost& cost);

/// Whether `a` is further from its best than `b`.
bool is_worse(const SectorCost& a, const SectorCost& b);
bool is_worse(const BankCost& a, const BankCost& b);

}  // namespace vkmoye::gen
