#include "vkmoye/gen/ir/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vkmoye::gen::ir {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Expr thread = builtin(Builtin::thread, 8);
const Expr n = variable("n");

// 8 threads, a buffer of n elements, a shared array of 8.
Kernel kernel_of(Body body) {
  Kernel kernel;
  kernel.name = "test";
  kernel.threads = 8;
  kernel.arguments = {"n"};
  kernel.arrays = {
      {"dst", ScalarType::f32, Array::Space::buffer, Access::write, {{"i", "n", 1}}, ""},
      {"src", ScalarType::f32, Array::Space::buffer, Access::read, {{"i", "n", 1}}, ""},
      {"tile", ScalarType::f32, Array::Space::shared, Access::read_write, {{"at", 8, 1}}, "8:1"},
  };
  kernel.body = std::move(body);
  return kernel;
}

Element tile_at(Expr index, std::string partition) { return {"tile", {index}, partition}; }
Expr value(const char* name = "x") { return variable(name, element(ScalarType::f32)); }

// Each thread loads src[thread] into x, guarded, and runs `then`.
Body with_x(Body then) {
  Body body = {Load{"x", {"src", {thread}, "src"}}};
  body.insert(body.end(), then.begin(), then.end());
  return {If{less(thread, n), body}};
}

TEST(Verify, AcceptsReadingBackWhatTheThreadWrote) {
  EXPECT_THAT(verify(kernel_of(
                  with_x({Store{tile_at(thread, "own"), value()}, Load{"y", tile_at(thread, "own")},
                          Store{{"dst", {thread}, "dst"}, value("y")}}))),
              IsEmpty());
}

TEST(Verify, FindsTheMissingBarrierAndNamesBothPartitions) {
  const Expr mirrored = 7 - thread;
  const Body write = with_x({Store{tile_at(thread, "writer"), value()}});
  const Body read = {Load{"y", tile_at(mirrored, "reader")}};

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
  const Body all = {If{less(0, n), {Load{"x", {"src", {0}, "src"}}, For{"k", n, round}}}};
  EXPECT_THAT(verify(kernel_of(all)), ElementsAre(HasSubstr("'late'")));
}

// Each is a race in a round that the first ones do not show.
TEST(Verify, FindsARaceThatOnlyLateRoundsShow) {
  const Expr r = variable("r", kIndex, 1000);
  const Body racy = {Load{"y", tile_at(7 - thread, "reader")},
                     Store{tile_at(thread, "writer"), value("y")}, Barrier{}};
  const auto late = [&](const Expr& end, Body round) {
    Body all = {Store{tile_at(thread, "first"), value()}, Barrier{}, For{"r", end, round}};
    return verify(kernel_of({If{less(0, n), {Load{"x", {"src", {0}, "src"}}, Block{"", all}}}}));
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
  EXPECT_THAT(verify(kernel_of({If{less(0, n), {Load{"x", {"src", {0}, "src"}}, both[0]}}})),
              testing::Contains(HasSubstr("race in shared tile: 'ahead'")));
}

TEST(Verify, FindsRegistersThatOnePathLeavesUnwritten) {
  const Element at = {"sums", {0}, "sums", 1};
  const auto with_registers = [&](Body body) {
    Kernel kernel = kernel_of(std::move(body));
    kernel.arrays.push_back({"sums",
                             ScalarType::f32,
                             Array::Space::registers,
                             Access::read_write,
                             {{"at", 1, 1}},
                             "1:1"});
    return verify(kernel);
  };
  const Body fill = {Store{at, number(ScalarType::f32, 0)}};
  const Load read{"y", at};
  EXPECT_THAT(with_registers({fill[0], read}), IsEmpty());
  EXPECT_THAT(with_registers({If{equal(n % 2, 0), fill, fill}, read}), IsEmpty());
  EXPECT_THAT(with_registers({For{"i", 4, fill}, read}), IsEmpty());
  const auto unwritten = ElementsAre("'sums' reads the registers sums, which nothing has written");
  EXPECT_THAT(with_registers({If{equal(n % 2, 0), fill}, read}), unwritten);
  EXPECT_THAT(with_registers({For{"i", n, fill}, read}), unwritten);
}

TEST(Verify, FindsARaceAroundALoop) {
  // Sound once through, but the next round's write meets this round's read.
  const Body round = {Store{tile_at(thread, "writer"), value()}, Barrier{},
                      Load{"y", tile_at(7 - thread, "reader")}};
  const Body body = {Let{"zero", 0},
                     If{less(0, n), {Load{"x", {"src", {0}, "src"}}, For{"k", n, round}}}};
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
              ElementsAre(HasSubstr("races cannot be excluded")));
  EXPECT_THAT(
      verify(kernel_of({Load{"y", tile_at(thread, "early")}})),
      ElementsAre(HasSubstr("'early' reads tile[0] in thread 0, which nothing has written")));
}

TEST(Verify, RefusesABufferAccessThatNothingKeepsInRange) {
  EXPECT_THAT(
      verify(kernel_of({Load{"x", {"src", {thread}, "whole"}}})),
      ElementsAre("'whole' touches src at a coordinate along i that nothing keeps below n"));
  // A guard on another coordinate proves nothing.
  EXPECT_THAT(verify(kernel_of({If{less(thread, n), {Load{"x", {"src", {thread + 1}, "next"}}}}})),
              ElementsAre(HasSubstr("'next'")));
}

TEST(Verify, RefusesABarrierThatSomeThreadsMiss) {
  EXPECT_THAT(verify(kernel_of({If{less(thread, 4), {Barrier{}}}})),
              ElementsAre(HasSubstr("a barrier stands where not all threads")));
  EXPECT_THAT(verify(kernel_of({If{less(0, n), {Barrier{}}}})), IsEmpty());
}

// Writes in each thread, `between`, then reads what another thread wrote.
std::vector<std::string> reasons_with(Stmt between) {
  Body body = with_x({Store{tile_at(thread, "writer"), value()}});
  body.push_back(std::move(between));
  body.push_back(Load{"y", tile_at(7 - thread, "reader")});
  return verify(kernel_of(std::move(body)));
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
  const auto ring = [&](std::uint32_t read_behind) {
    Kernel kernel = kernel_of(
        {If{less(0, n),
            {Load{"x", {"src", {0}, "src"}},
             For{"k",
                 n,
                 {Store{tile_at(8 * (k % 5) + thread, "stage"), value()},
                  Load{"y", tile_at(8 * ((k + 5 - read_behind) % 5) + (7 - thread), "late")},
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
      {Load{"x", {"src", {0}, "src"}},
       For{"k", n, {Let{"twice", 2 * k}, Store{tile_at(variable("twice"), "runaway"), value()}}}}}};
  EXPECT_THAT(verify(kernel_of(body)), Contains(HasSubstr("races cannot be excluded")));
}

TEST(Verify, TrustsNoBoundThatTheDefinitionDoesNotGive) {
  const auto load_at = [](const Expr& index) { return Load{"x", {"four", {index}, "load"}}; };
  const auto reasons = [&](Body body) {
    Kernel kernel = kernel_of(std::move(body));
    kernel.arrays.push_back(
        {"four", ScalarType::f32, Array::Space::buffer, Access::read, {{"i", 4, 1}}, ""});
    return verify(kernel);
  };
  EXPECT_THAT(reasons({load_at(thread % 4)}), IsEmpty());
  EXPECT_THAT(reasons({For{"v", 4, {load_at(variable("v", kIndex, 4))}}}), IsEmpty());
  EXPECT_THAT(reasons({For{"v", 100, {load_at(variable("v", kIndex, 4))}}}), Not(IsEmpty()));
  EXPECT_THAT(reasons({load_at(builtin(Builtin::thread, 4))}), Not(IsEmpty()));
  EXPECT_THAT(reasons({Let{"g", builtin(Builtin::group_x)}, load_at(variable("g", kIndex, 4))}),
              Not(IsEmpty()));
  EXPECT_THAT(reasons({load_at(thread % 0)}), Not(IsEmpty()));
}

TEST(Verify, AcceptsAVectorOnlyWhereItCannotCrossAnEdge) {
  const Expr at = variable("at", kIndex, kUnbounded, 4);
  const auto load = [&](Expr condition, std::uint32_t width) {
    return verify(kernel_of(
        {Let{"at", 4 * thread}, If{condition, {Load{"x", {"src", {at}, "wide", width}}}}}));
  };
  const Expr multiple = equal(n % 4, 0);
  EXPECT_THAT(load(logical_and(multiple, less(at, n)), 4), IsEmpty());
  EXPECT_THAT(load(less(at, n), 4), ElementsAre(HasSubstr("nothing says that n is a multiple")));
  EXPECT_THAT(load(multiple, 4), ElementsAre(HasSubstr("nothing keeps below n")));
  EXPECT_THAT(load(less(at, n), 3), Contains(HasSubstr("powers of two up to 16")));
  // The same facts cover the elements after the first one by one.
  EXPECT_THAT(
      verify(kernel_of({Let{"at", 4 * thread}, If{logical_and(multiple, less(at, n)),
                                                  {Load{"x", {"src", {at + 3}, "last"}}}}})),
      IsEmpty());
  EXPECT_THAT(
      verify(kernel_of({Let{"at", 4 * thread}, If{logical_and(multiple, less(at, n)),
                                                  {Load{"x", {"src", {at + 4}, "next"}}}}})),
      ElementsAre(HasSubstr("'next'")));
}

TEST(Verify, AcceptsAVectorOnlyWhereTheStepsOfFurtherAxesAreMultiples) {
  const Expr at = 4 * thread, row = 0;
  const auto reasons = [&](const Expr& step, const Expr& condition) {
    Kernel kernel = kernel_of({If{condition, {Load{"x", {"rows", {at, row}, "wide", 4}}}}});
    kernel.arguments = {"n", "a", "b"};
    kernel.arrays.push_back({"rows",
                             ScalarType::f32,
                             Array::Space::buffer,
                             Access::read,
                             {{"i", 30, 1}, {"j", 8, step}},
                             ""});
    return verify(kernel);
  };
  const Expr inside = less(at + 3, 30), a = variable("a"), b = variable("b");
  // The vectors lie inside whole, though 30 is no multiple of 4.
  EXPECT_THAT(reasons(32, inside), IsEmpty());
  EXPECT_THAT(reasons(30, inside), ElementsAre(HasSubstr("step along j, 30, is a multiple of 4")));
  EXPECT_THAT(reasons(a * b, inside), ElementsAre(HasSubstr("a * b, is a multiple of 4")));
  EXPECT_THAT(reasons(a * b, logical_and(inside, equal(b % 4, 0))), IsEmpty());
  EXPECT_THAT(reasons(a * b, logical_and(inside, equal((a * b) % 4, 0))), IsEmpty());
  EXPECT_THAT(reasons(a * b, logical_and(inside, equal(a % 2, 0))), Not(IsEmpty()));
}

TEST(Verify, FollowsAWholeTileFromItsLastElement) {
  const Expr block = builtin(Builtin::group_x);
  const auto reasons = [&](const Expr& last, const Expr& at) {
    return verify(kernel_of(
        {Let{"origin", 32 * block}, If{less(last, n), {Load{"x", {"src", {at}, "tile"}}}}}));
  };
  const Expr origin = variable("origin", kIndex, kUnbounded, 32);
  EXPECT_THAT(reasons(32 * block + 31, 32 * block + thread), IsEmpty());
  EXPECT_THAT(reasons(origin + 31, 32 * block + thread + 24), IsEmpty());
  EXPECT_THAT(reasons(32 * block + 31, origin + 4 * thread + 3), IsEmpty());
  EXPECT_THAT(reasons(origin + 31, origin + 4 * thread + 4), ElementsAre(HasSubstr("'tile'")));
  EXPECT_THAT(reasons(origin + 31, block + thread), ElementsAre(HasSubstr("'tile'")));
  // 48 * block + 47 may wrap around 2^32 where 48 * block does not.
  EXPECT_THAT(reasons(48 * block + 47, 48 * block + thread), ElementsAre(HasSubstr("'tile'")));
}

TEST(Verify, KnowsThatAClampedCoordinateIsInside) {
  const auto reasons = [](const Expr& at) {
    return verify(kernel_of({Load{"x", {"src", {at}, "edge"}}}));
  };
  EXPECT_THAT(reasons(minimum(thread + 1000, n - 1)), IsEmpty());
  EXPECT_THAT(reasons(minimum(thread + 1000, n)), ElementsAre(HasSubstr("'edge'")));
}

TEST(Verify, RefusesGridsExtentsAndNamesThatCannotBe) {
  const auto reasons = [](auto change) {
    Kernel kernel = kernel_of({});
    change(kernel);
    return verify(kernel);
  };
  EXPECT_THAT(reasons([](Kernel& k) {
                k.grid[0] = {"n", 0};
              }),
              ElementsAre("the grid has tiles of 0"));
  EXPECT_THAT(reasons([](Kernel& k) { k.grid[1] = {"m", 8}; }), ElementsAre(HasSubstr("'m'")));
  EXPECT_THAT(reasons([](Kernel& k) { k.threads = 0; }), ElementsAre(HasSubstr("0 threads")));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[2].axes[0].extent = -1; }),
              ElementsAre(HasSubstr("extent of -1")));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[2].axes[0].stride = 2; }),
              ElementsAre(HasSubstr("stride 1")));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[0].name = "Src"; }),
              ElementsAre(HasSubstr("have one name")));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[0].name = ""; }),
              ElementsAre("'' cannot be the name of an array"));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[0].axes = {}; }),
              ElementsAre("array dst has no axis"));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[0].name = "float"; }),
              ElementsAre("'float' cannot be the name of an array"));
  EXPECT_THAT(reasons([](Kernel& k) { k.why = "two\nlines"; }), ElementsAre(HasSubstr("one line")));
  EXPECT_THAT(reasons([](Kernel& k) {
                k.body = {Let{"a b", 1}};
              }),
              ElementsAre(HasSubstr("'a b'")));
  EXPECT_THAT(reasons([](Kernel& k) {
                k.body = {Let{"tile", 1}};
              }),
              ElementsAre("'tile' is the name of an array"));
}

TEST(Verify, EndsSoonHoweverLongTheKernel) {
  const Expr k = variable("k", kIndex, 4000000000u);
  EXPECT_THAT(verify(kernel_of(with_x(
                  {For{"k", 4000000000u, {Store{tile_at(thread + (k - k), "own"), value()}}}}))),
              ElementsAre(HasSubstr("too many to follow")));
  // Round a ring of stages, a few rounds show them all.
  EXPECT_THAT(verify(kernel_of({For{"k", 4000000000u, {Barrier{}}}})), IsEmpty());
  Expr e = thread;
  for (int i = 0; i < 200; ++i) e = e + e;
  EXPECT_THAT(verify(kernel_of({Let{"deep", e}})), IsEmpty());
}

TEST(Verify, RefusesNamesThatAreUndefinedTwiceDefinedOrOfAnotherType) {
  EXPECT_THAT(verify(kernel_of({Let{"a", variable("b")}})),
              ElementsAre("'a' uses 'b', which is not defined there"));
  EXPECT_THAT(verify(kernel_of({Let{"a", 1}, Let{"a", 2}})), ElementsAre("'a' is defined twice"));
  EXPECT_THAT(verify(kernel_of({Block{"", {Let{"a", 1}}}, Let{"b", variable("a")}})),
              ElementsAre("'b' uses 'a', which is not defined there"));
  EXPECT_THAT(verify(kernel_of({If{less(thread, n), {Store{{"dst", {thread}, "dst"}, thread}}}})),
              ElementsAre("'dst' stores index into dst, which takes f32 there"));
  EXPECT_THAT(verify(kernel_of({If{less(thread, n), {Load{"x", {"dst", {thread}, "back"}}}}})),
              ElementsAre("'back' reads dst, which is declared for write only"));
}

TEST(Verify, GivesAllReasonsAtOnce) {
  EXPECT_EQ(verify(kernel_of({Let{"a", variable("b")}, Let{"c", variable("d")}})).size(), 2u);
}

TEST(Verify, RefusesWhatNoDeviceCouldHold) {
  Kernel kernel = kernel_of({});
  kernel.arrays[2].axes[0].extent = std::int64_t{1} << 30;
  EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("beyond")));
}

}  // namespace
}  // namespace vkmoye::gen::ir
