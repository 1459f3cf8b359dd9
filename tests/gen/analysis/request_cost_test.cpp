// SPDX-License-Identifier: MIT
#include "vkmoye/gen/analysis/request_cost.hpp"

#include <gtest/gtest.h>

namespace vkmoye::gen {
namespace {

// Lane l touches byte step * l.
LaneAddresses every(std::int64_t step, int lanes = 32) {
  LaneAddresses out;
  for (int lane = 0; lane < lanes; ++lane) out.emplace_back(step * lane);
  return out;
}

TEST(RequestCost, WideAccessesAreServedInPhases) {
  const BankCost wide = bank_cost(every(16), 16, {});
  EXPECT_EQ(wide.degree, 1);
  EXPECT_EQ(wide.wavefronts, 4);
  EXPECT_EQ(wide.best, 4);
  EXPECT_EQ(bank_cost(every(32), 16, {}).wavefronts, 8);
  EXPECT_EQ(bank_cost(every(8), 8, {}).wavefronts, 2);
}

// Lanes 8..15 are a phase of their own also where the first phase has one active lane: together
// they would meet in its banks.
TEST(RequestCost, LanesThatRestKeepTheirPlaces) {
  LaneAddresses lanes = every(16);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if (lane > 0 && (lane < 8 || lane > 15)) lanes[lane].reset();
  }
  const BankCost cost = bank_cost(lanes, 16, {});
  EXPECT_EQ(cost.degree, 1);
  EXPECT_EQ(cost.wavefronts, 2);
  EXPECT_EQ(cost.best, 2);
  EXPECT_EQ(sector_cost(lanes, 16, 32).found, 5);
  EXPECT_EQ(sector_cost(lanes, 16, 32).bytes, 9 * 16);
}

TEST(RequestCost, SharedBytesCountOnce) {
  const SectorCost cost = sector_cost(every(0), 4, 32);
  EXPECT_EQ(cost.found, 1);
  EXPECT_EQ(cost.ideal, 1);
  EXPECT_EQ(cost.bytes, 4);
  EXPECT_EQ(grade(cost), Grade::good);
}

TEST(RequestCost, TheWorseOneIsFurtherFromItsBest) {
  const SectorCost run = sector_cost(every(4), 4, 32), wide = sector_cost(every(16), 16, 32);
  const SectorCost spread = sector_cost(every(8), 4, 32), column = sector_cost(every(4096), 4, 32);
  EXPECT_FALSE(is_worse(run, run));
  EXPECT_TRUE(is_worse(spread, wide)) << "8 sectors instead of 4, against 16 that must be";
  EXPECT_TRUE(is_worse(column, spread));
  EXPECT_FALSE(is_worse(wide, column));
  EXPECT_TRUE(is_worse(bank_cost(every(128), 4, {}), bank_cost(every(16), 16, {})));
}

}  // namespace
}  // namespace vkmoye::gen
