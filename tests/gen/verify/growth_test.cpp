// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/growth.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace vkmoye::gen::verifying {
namespace {

using ir::Expr;

// Fewer rounds than 2^20: r * 2^12 may wrap.
const Expr r = ir::variable("r"), few = ir::variable("r", ir::kIndex, 1 << 20);
const Growths in_loop = {{"r", Growth{1, 1}}};

void expect(const Expr& e, std::uint64_t period, std::uint64_t step) {
  const auto growth = growth_of(e, in_loop);
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->period, period);
  EXPECT_EQ(growth->step, step);
}

TEST(Growth, IsThePeriodAndTheStepOfAnIndex) {
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

TEST(Growth, HoldsInEveryRound) {
  for (const Expr& e : {few / 4 % 3, few * 6 / 4, (7 * few + 2) / 3 % 5, few % 6 / 2 + few / 9}) {
    const auto growth = growth_of(e, in_loop);
    ASSERT_TRUE(growth);
    const auto at = [&](std::uint32_t round) {
      std::function<Expr(const Expr&)> with_round = [&](const Expr& x) -> Expr {
        if (x->op == ir::Op::variable) return round;
        std::vector<Expr> operands;
        for (const Expr& operand : x->operands) operands.push_back(with_round(operand));
        return operands.empty() ? x : ir::with_operands(x, operands);
      };
      return *ir::decided(with_round(e));
    };
    for (std::uint32_t round = 0; round < 200; ++round) {
      const auto later = round + static_cast<std::uint32_t>(growth->period);
      ASSERT_EQ(at(later), at(round) + static_cast<std::uint32_t>(growth->step));
    }
  }
}

TEST(Growth, IsUnknownWhereNothingRepeats) {
  EXPECT_FALSE(growth_of(ir::minimum(r, 5), in_loop));
  EXPECT_FALSE(growth_of(r * r, in_loop));
  EXPECT_FALSE(growth_of(ir::less(r, 5), in_loop));
  EXPECT_FALSE(growth_of(r * 4096 % 3, in_loop));  // 4096 r goes on from 0 at r = 2^20
  EXPECT_TRUE(growth_of(r * 4096 % 8, in_loop));
  EXPECT_FALSE(growth_of(r % (2 * kMaxPeriod), in_loop));
}

TEST(Growth, FollowsNames) {
  Growths names = in_loop;
  names["a"] = growth_of(r / 4, names);
  names["data"] = std::nullopt;
  EXPECT_EQ(growth_of(ir::variable("a") % 3, names)->period, 12u);
  EXPECT_FALSE(growth_of(ir::variable("data") % 3, names));
}

}  // namespace
}  // namespace vkmoye::gen::verifying
