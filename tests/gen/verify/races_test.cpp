// SPDX-License-Identifier: MIT

#include "gen/verify/kernel_of.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen::verifying {
namespace {

TEST(Verify, AcceptsReadingBackWhatTheThreadWrote) {
  EXPECT_THAT(verify(kernel_of(
                  with_x({Store{tile_at(thread, "own"), value()}, Load{"y", tile_at(thread, "own")},
                          Store{{"dst", {thread}}, value("y")}}))),
              IsEmpty());
}

TEST(Verify, FindsTheMissingBarrierAndNamesBothPartitions) {
  const Expr mirrored = 7 - thread;
  const Body write = with_x({Store{tile_at(thread, "writer"), value()}});
  const Body read = {If{less(mirrored, n), {Load{"y", tile_at(mirrored, "reader")}}}};

  Body racy = write;
  racy.insert(racy.end(), read.begin(), read.end());
  EXPECT_THAT(verify(kernel_of(racy)),
              ElementsAre("race in shared tile: 'writer' writes tile[7] in thread 7 and 'reader' "
                          "reads it in thread 0, with no barrier between"));

  Body sound = write;
  sound.push_back(Barrier{});
  sound.insert(sound.end(), read.begin(), read.end());
  EXPECT_THAT(verify(kernel_of(sound)), IsEmpty());
}

TEST(Verify, TakesAConditionOnALoopWithoutEndForOpen) {
  // In some round the barrier's branch is left out, though not in the first ones.
  const Expr k = variable("k");
  const Body round = {Store{tile_at((thread + k) % 8, "writer"), value()},
                      If{less(k, 1000),
                         {Store{tile_at((thread + k) % 8, "again"), value()}},
                         {Load{"y", tile_at((thread + k + 1) % 8, "late")}}},
                      Barrier{}};
  const Body all = {If{less(0, n), {Load{"x", {"src", {0}}}, For{"k", n, round}}}};
  EXPECT_THAT(verify(kernel_of(all)), ElementsAre(HasSubstr("'late'")));
}

// Each is a race in a round that the first ones do not show.
TEST(Verify, FindsARaceThatOnlyLateRoundsShow) {
  const Expr r = variable("r", kIndex, 1000);
  const Body racy = {Load{"y", tile_at(7 - thread, "reader")},
                     Store{tile_at(thread, "writer"), value("y")}, Barrier{}};
  const auto late = [&](const Expr& end, Body round) {
    Body all = {Store{tile_at(thread, "first"), value()}, Barrier{}, For{"r", end, round}};
    return verify(kernel_of({If{less(0, n), {Load{"x", {"src", {0}}}, Titled{"", all}}}}));
  };
  for (const Expr& end : {Expr(1000), n}) {
    EXPECT_FALSE(late(end, {If{equal(r % 100, 50), racy}}).empty());
    EXPECT_FALSE(late(end, {For{"s", r % 100 / 50, racy}}).empty());
  }
  // Stage (r / 6) % 2 of a ring is written while it is still read.
  const Expr stage = r / 6 % 2;
  const Body ring = {Store{tile_at((thread + 4 * stage) % 8, "writer"), value()},
                     Load{"y", tile_at((thread + 1) % 8, "reader")}};
  EXPECT_FALSE(late(1000, ring).empty());
}

TEST(Verify, FindsThreadsThatGoDifferentWays) {
  // Whichever way all go there is no race; if half of them do, there is.
  const Expr row = variable("n") * 2 + thread;
  const Body both = {If{less(row, 16),
                        {Store{tile_at(thread, "ahead"), value()}},
                        {Store{tile_at(7 - thread, "back"), value()}}}};
  EXPECT_THAT(verify(kernel_of({If{less(0, n), {Load{"x", {"src", {0}}}, both[0]}}})),
              Contains(HasSubstr("race in shared tile: 'ahead'")));
}

// The period of a ring is that of what its index stands for, in however many steps it is written.
TEST(Verify, FollowsARingThroughNames) {
  const Expr r = variable("r"), a = variable("a");
  // Slot (r / 4) % 3 is written, slot ((r + 4) / 4) % 3 read: they meet in round 8, not in the first.
  const auto ring = [&](std::uint32_t slots) {
    Body round = {
        Let{"a", r / 4}, Let{"slot", a % slots}, Let{"next", (a + 1) % slots},
        If{equal(thread, 0),
           {Store{tile_at(variable("slot", kIndex, slots), "writer"), number(ScalarType::f32, 1)}}},
        If{equal(thread, 1), {Load{"y", tile_at(variable("next", kIndex, slots), "reader")}}}};
    Body all = {Store{tile_at(thread, "first"), number(ScalarType::f32, 0)}, Barrier{},
                For{"r", n, std::move(round)}};
    return verify(kernel_of(std::move(all)));
  };
  EXPECT_THAT(ring(3), Contains(HasSubstr("race in shared tile: ")));
  // Out of range from round 32 on.
  EXPECT_THAT(
      verify(kernel_of({For{
          "r",
          n,
          {Let{"a", r / 4}, Let{"slot", a % 9},
           If{equal(thread, 0),
              {Store{tile_at(variable("slot", kIndex, 9), "late"), number(ScalarType::f32, 1)}}},
           Barrier{}}}})),
      ElementsAre(HasSubstr("'late' touches tile[8]")));
}

TEST(Verify, FindsARaceAroundALoop) {
  // Sound once through, but the next round's write meets this round's read.
  const Body round = {Store{tile_at(thread, "writer"), value()}, Barrier{},
                      Load{"y", tile_at(7 - thread, "reader")}};
  const Body body = {Let{"zero", 0}, If{less(0, n), {Load{"x", {"src", {0}}}, For{"k", n, round}}}};
  EXPECT_THAT(verify(kernel_of(body)),
              ElementsAre(HasSubstr("'reader' reads tile[0] in thread 7 "
                                    "and 'writer' writes it in thread 0")));
}

TEST(Verify, FindsTwoThreadsThatWriteOneElement) {
  EXPECT_THAT(verify(kernel_of(with_x({Store{tile_at(thread / 2, "pairs"), value()}}))),
              ElementsAre(HasSubstr("'pairs' writes tile[0] in thread 0 and 'pairs' writes it in "
                                    "thread 1")));
}

TEST(Verify, RefusesSharedIndicesOutOfRangeUnknownOrUnwritten) {
  EXPECT_THAT(verify(kernel_of(with_x({Store{tile_at(thread + 1, "off by one"), value()}}))),
              ElementsAre("'off by one' touches tile[8] in thread 7, the array has 8 elements"));
  EXPECT_THAT(verify(kernel_of(with_x({Store{tile_at(n + thread, "sized"), value()}}))),
              ElementsAre(HasSubstr("races cannot be ruled out")));
  EXPECT_THAT(
      verify(kernel_of({Load{"y", tile_at(thread, "early")}})),
      ElementsAre(HasSubstr("'early' reads tile[0] in thread 0, which nothing has written")));
}

// Writes in each thread, `between`, then reads what another thread wrote.
std::vector<std::string> reasons_with(Stmt between) {
  Body body = with_x({Store{tile_at(thread, "writer"), value()}});
  body.push_back(std::move(between));
  body.push_back(If{less(7 - thread, n), {Load{"y", tile_at(7 - thread, "reader")}}});
  return verify(kernel_of(std::move(body)));
}

// tile[thread / 2 + n % 4]: sizes say where, so it may be anything.
TEST(Verify, TakesAReadThatSizesPlaceForOneOfAnything) {
  const Expr moved = thread / 2 + n % 4, too_far = thread + n % 4;
  const auto reading = [](const Expr& at, bool waits) {
    Body body = {Store{tile_at(thread, "writer"), value()}};
    if (waits) body.emplace_back(Barrier{});
    body.emplace_back(Load{"y", tile_at(at, "reader")});
    return verify(kernel_of({If{less(7, n), {Load{"x", {"src", {thread}}}, Titled{"", body}}}}));
  };
  EXPECT_THAT(reading(moved, true), IsEmpty());
  EXPECT_THAT(reading(moved, false), Contains(HasSubstr("race in shared tile: 'writer'")));
  EXPECT_THAT(reading(too_far, true), Contains(HasSubstr("races cannot be ruled out")));
  EXPECT_THAT(reading(n, true), Contains(HasSubstr("races cannot be ruled out")));
  // Where something is written has to be known.
  EXPECT_THAT(verify(kernel_of(with_x({Store{tile_at(moved, "writer"), value()}}))),
              Contains(HasSubstr("races cannot be ruled out")));
}

TEST(Verify, CountsABarrierOnlyWhereItIsSureToBeReached) {
  const auto races = ElementsAre(HasSubstr("race in shared tile: 'writer'"));
  EXPECT_THAT(reasons_with(Barrier{}), IsEmpty());
  EXPECT_THAT(reasons_with(If{less(1, 2), {Barrier{}}}), IsEmpty());
  EXPECT_THAT(reasons_with(If{less(1, 0), {Barrier{}}}), races);
  EXPECT_THAT(reasons_with(If{less(5, n), {Barrier{}}}), races);
  EXPECT_THAT(reasons_with(If{less(5, n), {Barrier{}}, {Barrier{}}}), IsEmpty());
  EXPECT_THAT(reasons_with(For{"k", 0, {Barrier{}}}), races);
  EXPECT_THAT(reasons_with(For{"k", 1, {Barrier{}}}), IsEmpty());
  EXPECT_THAT(reasons_with(For{"k", n / 1000, {Barrier{}}}), races);
}

TEST(Verify, FollowsARingOfStagesAllTheWayRound) {
  const Expr k = variable("k");
  // Stage k % 5 is written while stage k - 3 is read by the neighbour: they meet from round 3 on.
  const auto ring = [&](std::uint32_t stages_before) {
    Kernel kernel = kernel_of(
        {If{less(0, n),
            {Load{"x", {"src", {0}}},
             For{"k",
                 n,
                 {Store{tile_at(8 * (k % 5) + thread, "stage"), value()},
                  Load{"y", tile_at(8 * ((k + 5 - stages_before) % 5) + (7 - thread), "late")},
                  Barrier{}}}}}});
    kernel.arrays[2].axes[0].extent = 40;
    return verify(kernel);
  };
  EXPECT_THAT(ring(0), Contains(HasSubstr("race")));
  EXPECT_THAT(ring(3), Not(Contains(HasSubstr("race"))));
}

TEST(Verify, RefusesASharedIndexThatGrowsWithALoopWithoutEnd) {
  const Expr k = variable("k");
  const Body body = {If{
      less(0, n),
      {Load{"x", {"src", {0}}},
       For{"k", n, {Let{"twice", 2 * k}, Store{tile_at(variable("twice"), "runaway"), value()}}}}}};
  EXPECT_THAT(verify(kernel_of(body)), Contains(HasSubstr("races cannot be ruled out")));
}

TEST(Verify, EndsSoonHoweverLongTheKernel) {
  const Expr k = variable("k", kIndex, 4000000000u);
  EXPECT_THAT(
      verify(kernel_of(with_x({For{
          "k", 4000000000u, {Store{tile_at(thread + k % 3000000 / 2999999, "own"), value()}}}}))),
      ElementsAre(HasSubstr("too many to follow")));
  // Round a ring of stages, a few rounds show them all.
  EXPECT_THAT(verify(kernel_of({For{"k", 4000000000u, {Barrier{}}}})), IsEmpty());
  Expr e = thread;
  for (int i = 0; i < 200; ++i) e = e + e;
  EXPECT_THAT(verify(kernel_of({Let{"deep", e}})), IsEmpty());
}

TEST(Verify, RefusesWhatNoDeviceCouldHold) {
  Kernel kernel = kernel_of({});
  kernel.arrays[2].axes[0].extent = std::int64_t{1} << 30;
  EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("beyond")));
}

}  // namespace
}  // namespace vkmoye::gen::verifying
