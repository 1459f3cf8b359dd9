// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/exchange.hpp"

#include <random>

#include "support/exchange.hpp"
#include "support/expect.hpp"
#include "support/kernel_on_twin.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

using Round = LaneExchange::Round;

// What the rounds and the lanes of `how` make of registers held as `from` says, step by step.
std::vector<std::vector<std::int64_t>> carried_out(const LaneExchange& how, const Layout& from,
                                                   std::int64_t lanes) {
  const std::int64_t threads = size(from.mode(0)), values = size(from.mode(1));
  std::vector<std::vector<std::int64_t>> held(static_cast<std::size_t>(lanes));
  for (std::int64_t l = 0; l < lanes; ++l) {
    for (std::int64_t v = 0; v < values; ++v) {
      const std::int64_t coordinate = from(IntTuple{l % threads, how.values(v)});
      held[static_cast<std::size_t>(l)].push_back(l / threads * cosize(from) + coordinate);
    }
  }
  for (const Round& round : how.rounds) {
    auto next = held;
    const auto step = static_cast<std::size_t>(round.value_step);
    for (std::size_t l = 0; l < held.size(); ++l) {
      for (std::size_t v = 0; v < held[l].size(); ++v) {
        const bool upper = (l & round.lane_step) != 0, high = v / step % 2 != 0;
        if (upper != high) next[l][v] = held[l ^ round.lane_step][high ? v - step : v + step];
      }
    }
    held = next;
  }
  auto out = held;
  for (std::size_t l = 0; l < held.size(); ++l) {
    out[l] = held[static_cast<std::size_t>(how.lanes(static_cast<std::int64_t>(l)))];
  }
  return out;
}

TEST(Exchange, OfRandomLayoutsEndsAsTheSecondSays) {
  std::mt19937 random(7);
  for (const std::uint32_t lanes : {8u, 32u, 64u}) {
    for (int i = 0; i < 300; ++i) {
      const test::RandomExchange exchange = test::random_exchange(random, lanes);
      const auto& [from, to] = exchange;
      const auto found = carried_out(exchange_of(from, to, lanes), from, lanes);
      const std::int64_t threads = size(from.mode(0));
      for (std::int64_t l = 0; l < lanes; ++l) {
        for (std::int64_t v = 0; v < size(to.mode(1)); ++v) {
          ASSERT_EQ(found[static_cast<std::size_t>(l)][static_cast<std::size_t>(v)],
                    l / threads * cosize(from) + to(IntTuple{l % threads, v}))
              << exchange.text() << ", lane " << l << " of " << lanes << ", value " << v;
        }
      }
    }
  }
}

// The kernel verifies, and on the twin each thread ends with the coordinates that `to` gives it.
TEST(Exchange, OfRandomLayoutsIsRightOnTheTwin) {
  std::mt19937 random(8);
  for (const std::uint32_t lanes : {8u, 32u, 64u}) {
    for (int i = 0; i < 25; ++i) {
      const test::RandomExchange exchange = test::random_exchange(random, lanes);
      const auto& [from, to] = exchange;
      const std::int64_t threads = 2 * lanes, group = size(from.mode(0)), held = cosize(from);
      std::vector<float> src(static_cast<std::size_t>(threads / group * held));
      for (std::size_t e = 0; e < src.size(); ++e) src[e] = static_cast<float>(e);
      const std::int64_t values = size(to.mode(1));
      std::vector<float> dst(static_cast<std::size_t>(threads * values), -1);
      SCOPED_TRACE(exchange.text());
      test::run_on_twin(test::exchange_kernel(ScalarType::f32, exchange, threads, lanes), {}, src,
                        dst);
      for (std::int64_t t = 0; t < threads; ++t) {
        for (std::int64_t v = 0; v < values; ++v) {
          ASSERT_EQ(dst[static_cast<std::size_t>(t * values + v)],
                    static_cast<float>(t / group * held + to(IntTuple{t % group, v})))
              << exchange.text() << ", thread " << t << ", value " << v;
        }
      }
    }
  }
}

TEST(Exchange, TakesARoundForEachBitThatCrosses) {
  const LaneExchange rows = exchange_of("(4,4):(1,4)"_layout, "(4,4):(4,1)"_layout, 4);
  EXPECT_THAT(rows.rounds, ElementsAre(Round{1, 1}, Round{2, 2}));
  EXPECT_FALSE(rows.moves_lanes());
  EXPECT_EQ(rows.shuffles(), 4);  // 2 rounds of 2
  // A 16x16 tile, (4,2) of it in each of 32 lanes, then (2,4): vectors of a row, then of a column.
  const LaneExchange blocks = exchange_of("((4,8),(4,2)):((4,32),(1,16))"_layout,
                                          "((4,2,4),(4,2)):((4,2,64),(16,1))"_layout, 32);
  EXPECT_THAT(blocks.rounds, ElementsAre(Round{4, 2}));
  EXPECT_FALSE(blocks.moves_lanes());
  EXPECT_EQ(blocks.shuffles(), 4);
}

TEST(Exchange, TakesNothingWhereValuesKeepTheirLanes) {
  const LaneExchange how =
      exchange_of("(8,(2,3)):(1,(8,16))"_layout, "(8,(3,2)):(1,(16,8))"_layout, 8);
  EXPECT_EQ(how.shuffles(), 0);
  EXPECT_EQ(how.values, "(3,2):(2,1)"_layout);
  const ir::Kernel kernel = test::exchange_kernel(
      ScalarType::f32, {"(8,(2,3)):(1,(8,16))"_layout, "(8,(3,2)):(1,(16,8))"_layout}, 16, 8);
  EXPECT_THAT(glsl::print(kernel), Not(HasSubstr("subgroupShuffle")));
}

TEST(Exchange, TakesAShuffleForEachValueWhereLanesChangePlaces) {
  const LaneExchange how =
      exchange_of("((2,4),3):((1,2),8)"_layout, "((4,2),3):((2,1),8)"_layout, 32);
  EXPECT_THAT(how.rounds, IsEmpty());
  EXPECT_EQ(how.lanes, "(4,2,4):(2,1,8)"_layout);  // each 8 of 32 among themselves
  EXPECT_EQ(how.shuffles(), 3);
}

TEST(Exchange, RefusesWithEveryReason) {
  EXPECT_THAT(reasons_against_exchange("8:1"_layout, "(2,2,2):(1,2,4)"_layout, 8),
              ElementsAre("8:1 has 1 modes, not (thread, value)",
                          "(2,2,2):(1,2,4) has 3 modes, not (thread, value)"));
  EXPECT_THAT(reasons_against_exchange("(16,3):(1,16)"_layout, "(6,8):(0,1)"_layout, 8),
              ElementsAre("(16,3):(1,16) has 16 threads, not a power of two up to the 8 lanes",
                          "(6,8):(0,1) has 6 threads, not a power of two up to the 8 lanes",
                          HasSubstr("(6,8):(0,1) has coordinate 0 twice, as (thread, value)"),
                          "16 threads of 3 values become 6 of 8"));
  EXPECT_THAT(reasons_against_exchange("(8,2):(1,8)"_layout, "(8,2):(2,16)"_layout, 8),
              ElementsAre("value 1 of thread 0 is coordinate 16 in (8,2):(2,16), which (8,2):(1,8) "
                          "does not contain"));
  // Thread t has 3t, 3t + 1, 3t + 2; then t, t + 8, t + 16.
  EXPECT_THAT(reasons_against_exchange("(8,3):(3,1)"_layout, "(8,3):(1,8)"_layout, 8),
              ElementsAre(HasSubstr("the origins of the values do not form a layout")));
  EXPECT_THAT(reasons_against_exchange("(4,6):(1,4)"_layout, "(4,6):(6,1)"_layout, 8),
              ElementsAre(HasSubstr("straddles the boundary at 4 lanes")));
}

TEST(Exchange, RefusesRegistersThatLanesCannotExchange) {
  const Layout tv = "(8,2):(1,8)"_layout;
  const auto refusal = [&](ScalarType type, std::int64_t values) {
    Builder k("exchange", 8, 8);
    const View held = k.registers("held", type, Layout(values));
    try {
      k.exchange(held, tv, tv);
    } catch (const LayoutError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(ScalarType::u32, 2), "");
  EXPECT_EQ(refusal(ScalarType::f16, 3),
            "exchange of held from (8,2):(1,8) to (8,2):(1,8) in subgroups of 8:\n"
            "  - lanes can exchange f32, f64, i32 and u32, not f16; convert it first\n"
            "  - held has 3 values, (8,2):(1,8) has 2");
  Builder k("exchange", 8, 8);
  EXPECT_THROW(k.exchange(k.shared("tile", ScalarType::u32, Layout(2)), tv, tv), LayoutError);
  Builder without("exchange", 8);
  EXPECT_THROW(without.exchange(without.registers("held", ScalarType::u32, Layout(2)), tv, tv),
               KernelError);
}

}  // namespace
}  // namespace vkmoye::gen
