// SPDX-License-Identifier: MIT
#pragma once
// The cost of a request: the addresses that the lanes of a subgroup access with one instruction.
//
//   32 lanes, 4 bytes each, neighbours           4 sectors of 32 bytes, 4 would do      good
//   the same, from byte 4 on                     5 sectors where 4 would do             fair
//   32 lanes, 4 bytes each, 16384 bytes apart    32 sectors where 4 would do            bad

#include <cstdint>
#include <optional>
#include <vector>

#include "vkmoye/layout/access.hpp"

namespace vkmoye::gen {

/// The address of each lane, in bytes; nullopt if the lane is not active.
using LaneAddresses = std::vector<std::optional<std::int64_t>>;

/// How the cost of a request compares with the best one for its bytes.
enum class Grade : std::uint8_t {
  good,  // the best cost for this number of bytes
  fair,  // contiguous bytes that begin inside a sector, or less than twice the best cost
  bad,
};

/// The cost of a request in global memory.
struct SectorCost {
  int found = 0, ideal = 0;  // sectors: actual, and as many as the distinct bytes would fill
  std::int64_t bytes = 0;    // distinct bytes
  bool one_run = true;       // whether they are contiguous
};

/// The cost of a request in shared memory.
struct BankCost {
  int degree = 1;      // the maximum number of words from one bank in a phase
  int wavefronts = 0;  // the sum of the degrees of the phases
  int best = 0;        // wavefronts without conflicts
};

/// The cost of a request to a buffer; to a shared array. Preconditions: a lane is active, and the addresses are
/// multiples of `access_bytes`.
SectorCost sector_cost(const LaneAddresses& lanes, std::int64_t access_bytes,
                       std::int64_t sector_bytes);
BankCost bank_cost(const LaneAddresses& lanes, std::int64_t access_bytes, const BankModel& model);

/// The grade of a request with this cost.
Grade grade(const SectorCost& cost);
Grade grade(const BankCost& cost);

/// Whether `a` is worse than `b`, compared with the best cost of each.
bool is_worse(const SectorCost& a, const SectorCost& b);
bool is_worse(const BankCost& a, const BankCost& b);

}  // namespace vkmoye::gen
