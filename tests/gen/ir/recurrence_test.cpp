// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/recurrence.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace vkmoye::gen::verifying {
namespace {

using ir::Expr;

// Fewer rounds than 2^20: r * 2^12 may wrap.
const Expr r = ir::variable("r"), few = ir::variable("r", ir::kIndex, 1 << 20);
const ir::Recurrences in_loop = {{"r", ir::Recurrence{.step = 1}}};

void expect(const Expr& e, std::uint64_t period, std::uint64_t step) {
  const auto recurrence = recurrence_of(e, in_loop);
  ASSERT_TRUE(recurrence);
  EXPECT_EQ(recurrence->period, period);
  EXPECT_EQ(recurrence->step, step);
}

TEST(Recurrence, IsThePeriodAndTheStepOfAnIndex) {
  expect(ir::variable("n"), 1, 0);
  expect(r, 1, 1);
  expect(3 * r + 5, 1, 3);
  expect(r / 4, 4, 1);
  expect(few * 6 / 4, 2, 3);
  expect(r / 4 % 3, 12, 0);
  expect(r % 4 + few / 2 % 3, 12, 0);
  expect(ir::bit_and(r, 7), 8, 0);
  expect(ir::bit_xor(r % 4, r / 2 % 2), 4, 0);
  expect(ir::minimum(r % 4, 2), 4, 0);
}

TEST(Recurrence, HoldsInEveryRound) {
  for (const Expr& e : {few / 4 % 3, few * 6 / 4, (7 * few + 2) / 3 % 5, few % 6 / 2 + few / 9}) {
    const auto recurrence = recurrence_of(e, in_loop);
    ASSERT_TRUE(recurrence);
    const auto at = [&](std::uint32_t round) {
      std::function<Expr(const Expr&)> with_round = [&](const Expr& x) -> Expr {
        if (x->op == ir::Op::variable) return round;
        std::vector<Expr> operands;
        for (const Expr& operand : x->operands) operands.push_back(with_round(operand));
        return operands.empty() ? x : ir::with_operands(x, operands);
      };
      return *ir::constant_value(with_round(e));
    };
    for (std::uint32_t round = 0; round < 200; ++round) {
      const auto later = round + static_cast<std::uint32_t>(recurrence->period);
      ASSERT_EQ(at(later), at(round) + static_cast<std::uint32_t>(recurrence->step));
    }
  }
}

// 999 - r, of a loop of 1000 rounds, falls by 1 each round: no recurrence by 2^32 - 1.
TEST(Recurrence, OfWhatFalls) {
  const ir::Recurrences known = {{"r", ir::recurrence_of_rounds(1000)}};
  const Expr falling = 999 - ir::variable("r", ir::kIndex, 1000);
  for (const std::uint32_t divisor : {2u, 3u, 5u, 12u}) {
    const auto remainder = recurrence_of(falling % divisor, known);
    ASSERT_TRUE(remainder);
    EXPECT_EQ(remainder->period, divisor);
    EXPECT_EQ(remainder->step, 0u);
    const auto quotient = recurrence_of(falling / divisor, known);
    ASSERT_TRUE(quotient);
    EXPECT_EQ(quotient->period, divisor);
    EXPECT_EQ(static_cast<std::uint32_t>(quotient->step), 0xFFFFFFFFu);
  }
  EXPECT_EQ(recurrence_of(4 * falling / 6, known)->period, 3u);
  EXPECT_FALSE(recurrence_of(ir::less(falling, 500), known));  // from a late round on
  EXPECT_FALSE(recurrence_of(ir::equal(falling, 500), known));
  EXPECT_FALSE(recurrence_of(ir::minimum(falling, 500), known));
}

TEST(Recurrence, IsUnknownWhereNothingRepeats) {
  EXPECT_FALSE(recurrence_of(r * r, in_loop));
  EXPECT_FALSE(recurrence_of(ir::less(r, ir::variable("n")), in_loop));
  EXPECT_FALSE(recurrence_of(ir::minimum(r, ir::variable("n")), in_loop));
  EXPECT_FALSE(recurrence_of(r * 4096 % 3, in_loop));  // 4096 r goes on from 0 at r = 2^20
  EXPECT_TRUE(recurrence_of(r * 4096 % 8, in_loop));
  EXPECT_FALSE(recurrence_of(r % (2 * ir::kMaxPeriod), in_loop));
}

TEST(Recurrence, FollowsNames) {
  ir::Recurrences names = in_loop;
  names["a"] = recurrence_of(r / 4, names);
  names["data"] = std::nullopt;
  EXPECT_EQ(recurrence_of(ir::variable("a") % 3, names)->period, 12u);
  EXPECT_FALSE(recurrence_of(ir::variable("data") % 3, names));
}

}  // namespace
}  // namespace vkmoye::gen::verifying
