// SPDX-License-Identifier: MIT
// The statistics of samples of a time.

#include <gtest/gtest.h>

#include "timing/sampling.hpp"

namespace vkmoye::bench {
namespace {

Timing of(std::vector<double> samples) { return {std::move(samples), Clock::device}; }

TEST(Quantile, LiesBetweenTheSamplesAroundIt) {
  EXPECT_EQ(quantile(of({7}), 0.5), 7);
  EXPECT_EQ(quantile(of({5, 1, 4, 2, 3}), 0.5), 3);
  EXPECT_EQ(quantile(of({4, 1, 3, 2}), 0.5), 2.5);
  EXPECT_EQ(quantile(of({10, 0}), 0.95), 9.5);
  EXPECT_EQ(quantile(of({3, 9, 6}), 0), 3);
  EXPECT_EQ(quantile(of({3, 9, 6}), 1), 9);
}

TEST(Noise, IsHalfTheIntervalThatHoldsTheMedian) {
  EXPECT_EQ(noise_percent(of(std::vector<double>(100, 5.0))), 0);
  // The median of 0 .. 100 is 50; its interval extends to 0.98 / sqrt(101) of all ranks, 9.75, on either side.
  std::vector<double> samples;
  for (int i = 0; i <= 100; ++i) samples.push_back(i);
  EXPECT_NEAR(noise_percent(of(samples)), 100 * 9.75 / 50, 0.02);
}

}  // namespace
}  // namespace vkmoye::bench
