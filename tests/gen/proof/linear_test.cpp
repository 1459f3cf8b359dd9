// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/linear.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace vkmoye::gen::proof {
namespace {

TEST(Linear, QuotientsOfAThreadAreItsDigits) {
  Variables variables;
  const std::size_t thread = variables.add("thread", {0, 255}, SameIn::invocation);
  const auto high = variables.quotient(variables.value(thread), 8);
  ASSERT_TRUE(high);
  EXPECT_EQ(variables[high->terms.begin()->first].name, "thread.1");
  // (thread / 8 + 32 turn) / 8 = thread / 64 + 4 turn
  const std::size_t turn = variables.add("turn", {0, 3}, SameIn::invocation);
  const auto next = variables.quotient(*high + variables.value(turn) * 32, 8);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->terms.at(turn), 4);
  EXPECT_EQ(variables.parts(thread).size(), 3u);
}

// Every value of a thread and a counter, by the digits that they were split into.
TEST(Linear, IsTheQuotientForEveryValue) {
  for (const std::int64_t divisor : {2, 3, 4, 8, 32}) {
    for (const std::int64_t factor : {1, 2, 4, 6, 32}) {
      Variables variables;
      const std::size_t t = variables.add("t", {0, 63}, SameIn::invocation),
                        r = variables.add("r", {0, 5}, SameIn::invocation);
      const Linear sum = variables.value(t) + variables.value(r) * 64 * factor;
      const auto quotient = variables.quotient(sum * factor, divisor);
      if (!quotient) continue;
      for (std::int64_t thread = 0; thread < 64; ++thread) {
        for (std::int64_t round = 0; round < 6; ++round) {
          std::function<std::int64_t(std::size_t, std::size_t, std::int64_t)> digit =
              [&](std::size_t wanted, std::size_t of, std::int64_t value) -> std::int64_t {
            if (wanted == of) return value;
            const Variables::Variable& v = variables[of];
            if (v.by == 0) return -1;
            const std::int64_t low = digit(wanted, v.low, value % v.by);
            return low >= 0 ? low : digit(wanted, v.high, value / v.by);
          };
          std::int64_t value = quotient->constant;
          for (const auto& [part, times] : quotient->terms) {
            const std::int64_t of_thread = digit(part, t, thread);
            value += times * (of_thread >= 0 ? of_thread : digit(part, r, round));
          }
          ASSERT_EQ(value, factor * (thread + 64 * factor * round) / divisor);
        }
      }
    }
  }
}

TEST(Linear, RangesBecomeWiderWithTheirDigits) {
  Variables variables;
  const std::size_t n = variables.add("n", {0, 7}, SameIn::launch);
  variables.quotient(variables.value(n), 4);
  const std::size_t before = variables.changes();
  variables.add("n", {0, 99}, SameIn::launch);
  EXPECT_GT(variables.changes(), before);
  EXPECT_GE(variables.range(variables.value(n)).max, 99);
}

// 2^32 * n - 2^32 * m + 5: terms beyond 2^55 make it that of any number, and never a wrapped one.
TEST(Linear, RangesOfLargeTermsHold) {
  Variables variables;
  const std::int64_t wrap = std::int64_t{1} << 32;
  const Linear n = variables.value(variables.add("n", {0, wrap - 1}, SameIn::launch));
  const Linear few = variables.value(variables.add("few", {-3, 4}, SameIn::launch));
  for (const Linear& large : {n * wrap - few * wrap + 5, n * -wrap, n * (wrap / 4) + n * wrap}) {
    EXPECT_EQ(variables.range(large).min, -kFar);
    EXPECT_EQ(variables.range(large).max, kFar);
  }
  const Range exact = variables.range(n * 1024 - few * wrap + 5);
  EXPECT_EQ(exact.min, -4 * wrap + 5);
  EXPECT_EQ(exact.max, (wrap - 1) * 1024 + 3 * wrap + 5);
}

}  // namespace
}  // namespace vkmoye::gen::proof
