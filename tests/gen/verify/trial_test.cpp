// SPDX-License-Identifier: MIT

#include "gen/verify/kernel_of.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen::verifying {
namespace {

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
  const auto unwritten =
      ElementsAre(HasSubstr("'sums' reads the registers sums, which not every path has written"));
  EXPECT_THAT(with_registers({If{equal(n % 2, 0), fill}, read}), unwritten);
  EXPECT_THAT(with_registers({For{"i", n + 1, fill}, read}), IsEmpty());
  EXPECT_THAT(with_registers({For{"i", n, fill}, read}), unwritten);  // an extent can be 0
}

// A result of n x 1 elements, of which each workgroup of 8 threads writes 8.
Kernel rows_of_eight(Body body) {
  Kernel kernel = kernel_of(std::move(body));
  kernel.arrays[0].access = Access::write;
  kernel.grid[0] = {"n", 8};
  return kernel;
}

TEST(Verify, FindsWorkgroupsThatWriteOneElement) {
  const Expr mine = 8 * builtin(Builtin::group_x) + thread;
  const auto store_at = [&](const Expr& at) {
    return verify(rows_of_eight(
        {If{less(at, n), {Store{{"dst", {at}, "mine"}, number(ScalarType::f32, 1)}}}}));
  };
  EXPECT_THAT(store_at(mine), IsEmpty());
  EXPECT_THAT(store_at(thread), ElementsAre(HasSubstr("race in buffer dst: 'mine' writes dst[0] in "
                                                      "thread 0 of workgroup (0,0,0) and 'mine' "
                                                      "writes it in thread 0 of workgroup (1,0,0)"),
                                            HasSubstr("nothing writes dst[8]")));
  EXPECT_THAT(store_at(mine / 2), Contains(HasSubstr("race in buffer dst")));
  EXPECT_THAT(store_at(2 * mine), ElementsAre(HasSubstr("nothing writes dst[1]")));
}

// A trial is larger than what one workgroup writes without a loop.
TEST(Verify, FindsTheOnlyWorkgroupTooFew) {
  const Expr one_of_64 = builtin(Builtin::thread, 64);
  const Store store{{"dst", {one_of_64}, "mine"}, number(ScalarType::f32, 1)};
  Kernel kernel = kernel_of({If{less(one_of_64, n), {store}}});
  kernel.arrays[0].access = Access::write;
  kernel.threads = 64;
  EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("nothing writes dst[64]")));
}

// What only shows where an extent lies to the tiles in one way.
TEST(Verify, FindsTilesThatAreCountedWrong) {
  const Expr mine = 8 * builtin(Builtin::group_x) + thread;
  const Body store = {
      If{less(mine, n), {Store{{"dst", {mine}, "mine"}, number(ScalarType::f32, 1)}}}};
  for (const GridDimension& wrong : {GridDimension{"n", 9}, GridDimension{"n", 8, 2}}) {
    Kernel kernel = rows_of_eight(store);
    kernel.grid[0] = wrong;
    EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("nothing writes dst[")));
  }
  // The same in a loop of one workgroup.
  const auto looped = [](const Expr& rounds) {
    const Expr at = 8 * variable("t") + thread;
    Kernel kernel = kernel_of(
        {For{"t",
             rounds,
             {If{less(at, n), {Store{{"dst", {at}, "mine"}, number(ScalarType::f32, 1)}}}}}});
    kernel.arrays[0].access = Access::write;
    return verify(kernel);
  };
  EXPECT_THAT(looped((n - 1) / 8 + 1), IsEmpty());
  EXPECT_THAT(looped((n - 1) / 32 + 1), ElementsAre(HasSubstr("nothing writes dst[")));
  EXPECT_THAT(looped((n - 1) / 8), ElementsAre(HasSubstr("nothing writes dst[")));
  EXPECT_THAT(looped((n - 2) / 8 + 1), ElementsAre(HasSubstr("nothing writes dst[")));
}

// Stage 2 of three is read and never written; 64 elements make two rounds of tiles of 32.
TEST(Verify, FindsAStageThatLateRoundsReadUnwritten) {
  const auto reasons = [](std::uint32_t written) {
    const Expr t = variable("t"), stage = t % 3;
    Kernel kernel = kernel_of({For{
        "t",
        (n - 1) / 32 + 1,
        {If{less(stage, written), {Store{tile_at(stage, "writer"), number(ScalarType::f32, 1)}}},
         Barrier{}, Load{"y", tile_at(stage, "reader")}, Barrier{}}}});
    kernel.threads = 1;
    return verify(kernel);
  };
  EXPECT_THAT(reasons(3), IsEmpty());
  EXPECT_THAT(reasons(2), ElementsAre(HasSubstr("'reader' reads tile[2]")));
}

// Written where both extents are cut off or neither is.
TEST(Verify, FindsWhatIsUnwrittenWhereOneExtentIsCutOff) {
  const Expr m = variable("m");
  const Expr cut_n = not_equal(n % 8, 0), cut_m = not_equal(m % 8, 0);
  const Element at = {"sums", {0}, "sums", 1};
  const Store write{at, number(ScalarType::f32, 0)};
  const auto reasons = [&](const Body& one_cut) {
    Kernel kernel = kernel_of(
        {If{cut_n, {If{cut_m, {write}, one_cut}}, {If{cut_m, one_cut, {write}}}}, Load{"y", at}});
    kernel.arguments.push_back("m");
    kernel.grid[0] = {"n", 8};
    kernel.grid[1] = {"m", 8};
    kernel.arrays.push_back({"sums",
                             ScalarType::f32,
                             Array::Space::registers,
                             Access::read_write,
                             {{"at", 1, 1}},
                             "1:1"});
    return verify(kernel);
  };
  EXPECT_THAT(reasons({write}), IsEmpty());
  EXPECT_THAT(reasons({}), ElementsAre(HasSubstr("'sums' reads the registers sums")));
}

TEST(Verify, NoBarrierOrdersBuffers) {
  const Expr mine = 8 * builtin(Builtin::group_x) + thread;
  const Expr other = 8 * builtin(Builtin::group_x) + (7 - thread);
  Kernel kernel = rows_of_eight(
      {If{less(mine, n), {Store{{"dst", {mine}, "mine"}, number(ScalarType::f32, 1)}}}, Barrier{},
       If{less(other, n), {Load{"y", {"dst", {other}, "other's"}}}}});
  kernel.arrays[0].access = Access::read_write;
  EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("race in buffer dst")));
}

// What is written under a condition is not there where it does not hold.
TEST(Verify, FindsSharedMemoryThatAConditionLeavesUnwritten) {
  const auto reasons = [](const Expr& end) {
    return verify(
        kernel_of({For{"i", end, {Store{tile_at(thread, "writer"), number(ScalarType::f32, 1)}}},
                   Barrier{}, Load{"y", tile_at(7 - thread, "reader")}}));
  };
  EXPECT_THAT(reasons(n + 1), IsEmpty());
  EXPECT_THAT(reasons(n), ElementsAre(HasSubstr("'reader' reads tile[7] in thread 0, which "
                                                "nothing has written (n = 0)")));
  EXPECT_THAT(reasons(n / 4), ElementsAre(HasSubstr("'reader' reads tile[7] in thread 0, which "
                                                    "nothing has written (n = 1)")));
  EXPECT_THAT(verify(kernel_of({If{less(thread, 4),
                                   {Store{tile_at(thread, "half"), number(ScalarType::f32, 1)}}},
                                Barrier{}, Load{"y", tile_at(thread, "all")}})),
              ElementsAre(HasSubstr("'all' reads tile[4]")));
}

TEST(Verify, FindsTheRegisterThatIsNotWritten) {
  Kernel kernel = kernel_of(
      {For{"i", 3, {Store{{"r", {variable("i", kIndex, 3)}, "three"}, number(ScalarType::f32, 1)}}},
       For{"j", 4, {Load{"y", {"r", {variable("j", kIndex, 4)}, "four"}}}}});
  kernel.arrays.push_back(
      {"r", ScalarType::f32, Array::Space::registers, Access::read_write, {{"at", 4, 1}}, "4:1"});
  EXPECT_THAT(verify(kernel),
              ElementsAre(HasSubstr("'four' reads the registers r, which not every")));
}

}  // namespace
}  // namespace vkmoye::gen::verifying
