#include "vkmoye/gen/ir/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vkmoye::gen::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Expr thread = builtin(Builtin::thread, 8);
const Expr n = variable("n");

// 8 threads, a buffer of n elements, a shared array of 8.
Kernel kernel_of(Body body) {
  Kernel kernel;
  kernel.name = "test";
  kernel.threads = 8;
  kernel.arguments = {"n"};
  kernel.arrays = {
      {"out", ScalarType::f32, Array::Space::buffer, Access::write, {{"i", "n", 1}}, ""},
      {"in", ScalarType::f32, Array::Space::buffer, Access::read, {{"i", "n", 1}}, ""},
      {"tile", ScalarType::f32, Array::Space::shared, Access::read_write, {{"at", 8, 1}}, "8:1"},
  };
  kernel.body = std::move(body);
  return kernel;
}

Element tile_at(Expr index, std::string partition) { return {"tile", {index}, partition}; }
Expr value(const char* name = "x") { return variable(name, element(ScalarType::f32)); }

// Each thread loads in[thread] into x, guarded, and runs `then`.
Body with_x(Body then) {
  Body body = {Load{"x", {"in", {thread}, "in"}}};
  body.insert(body.end(), then.begin(), then.end());
  return {If{less(thread, n), body}};
}

TEST(Verify, AcceptsReadingBackWhatTheThreadWrote) {
  EXPECT_THAT(verify(kernel_of(
                  with_x({Store{tile_at(thread, "own"), value()}, Load{"y", tile_at(thread, "own")},
                          Store{{"out", {thread}, "out"}, value("y")}}))),
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

TEST(Verify, FindsARaceAroundALoop) {
  // Sound once through, but the next round's write meets this round's read.
  const Body round = {Store{tile_at(thread, "writer"), value()}, Barrier{},
                      Load{"y", tile_at(7 - thread, "reader")}};
  const Body body = {Let{"zero", 0},
                     If{less(0, n), {Load{"x", {"in", {0}, "in"}}, For{"k", n, round}}}};
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
  EXPECT_THAT(verify(kernel_of({Load{"x", {"in", {thread}, "whole"}}})),
              ElementsAre("'whole' touches in at a coordinate along i that nothing keeps below n"));
  // A guard on another coordinate proves nothing.
  EXPECT_THAT(verify(kernel_of({If{less(thread, n), {Load{"x", {"in", {thread + 1}, "next"}}}}})),
              ElementsAre(HasSubstr("'next'")));
}

TEST(Verify, RefusesABarrierThatSomeThreadsMiss) {
  EXPECT_THAT(verify(kernel_of({If{less(thread, 4), {Barrier{}}}})),
              ElementsAre(HasSubstr("a barrier stands where not all threads")));
  EXPECT_THAT(verify(kernel_of({If{less(0, n), {Barrier{}}}})), IsEmpty());
}

TEST(Verify, RefusesNamesThatAreUndefinedTwiceDefinedOrOfAnotherType) {
  EXPECT_THAT(verify(kernel_of({Let{"a", variable("b")}})),
              ElementsAre("'a' uses 'b', which is not defined there"));
  EXPECT_THAT(verify(kernel_of({Let{"a", 1}, Let{"a", 2}})), ElementsAre("'a' is defined twice"));
  EXPECT_THAT(verify(kernel_of({Block{"", {Let{"a", 1}}}, Let{"b", variable("a")}})),
              ElementsAre("'b' uses 'a', which is not defined there"));
  EXPECT_THAT(verify(kernel_of({If{less(thread, n), {Store{{"out", {thread}, "out"}, thread}}}})),
              ElementsAre("'out' stores index into out, which holds f32"));
  EXPECT_THAT(verify(kernel_of({If{less(thread, n), {Load{"x", {"out", {thread}, "back"}}}}})),
              ElementsAre("'back' reads out, which is declared for write only"));
}

TEST(Verify, GivesAllReasonsAtOnce) {
  EXPECT_EQ(verify(kernel_of({Let{"a", variable("b")}, Let{"c", variable("d")}})).size(), 2u);
}

TEST(Verify, RefusesWhatNoDeviceCouldHold) {
  Kernel kernel = kernel_of({});
  kernel.arrays[2].axes[0].extent = std::int64_t{1} << 40;
  EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("beyond")));
}

}  // namespace
}  // namespace vkmoye::gen::ir
