// SPDX-License-Identifier: MIT
// What an author asserts about values: proofs rely on it, the twin checks it, and everything shows it.

#include "gen/verify/attacked.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/verify/claims.hpp"

namespace vkmoye::gen::assuming {
namespace {

using namespace attack;

constexpr ScalarType f32 = ScalarType::f32;

TEST(Assume, IsWrittenAsTheAuthorWould) {
  EXPECT_EQ(ir::to_string(equal(n % 4, 0)), "n % 4 == 0");
  EXPECT_EQ(ir::to_string(less((n + 1) * m, p - (q - 1))), "(n + 1) * m < p - (q - 1)");
  EXPECT_EQ(ir::to_string(logical_not(less(n, m))), "n >= m");
  EXPECT_EQ(ir::to_string(logical_and(less(0, n), logical_not(equal(n, m)))), "0 < n && !(n == m)");
  const Expr x = variable("x", element(f32));
  EXPECT_EQ(ir::to_string(less(absolute(x) * number(f32, 0.5), number(f32, 2))),
            "absolute(x) * 0.5 < 2");
  EXPECT_EQ(ir::to_string(less(to_index(variable("x", element(ScalarType::u32))), n)), "x < n");
  EXPECT_EQ(to_string(Assume{less(0, n), "never empty"}), "0 < n: never empty");
}

/// Each invocation writes four elements of dst from 4 * own on, all of them or none.
Kernel by_fours(Body first, std::uint32_t width = 4) {
  Kernel kernel = kernel_of(std::move(first));
  kernel.grid[0] = {"n", 256};
  Body four;
  for (std::uint32_t i = 0; i < width; ++i) four.push_back(store(dst_at(4 * own + i)));
  kernel.body.push_back(If{less(4 * own, n), four});
  return kernel;
}

TEST(Assume, OfArgumentsIsAFactOfEveryLaunch) {
  const Assume padded = {equal(n % 4, 0), "rows are padded to 16 bytes"};
  EXPECT_THAT(verify(by_fours({})), Not(IsEmpty()));
  EXPECT_THAT(verify(by_fours({padded})), IsEmpty());
  // Not enough is assumed, or not all is written.
  EXPECT_THAT(verify(by_fours({Assume{equal(n % 2, 0), "even"}})), Not(IsEmpty()));
  EXPECT_THAT(verify(by_fours({padded}, 3)), Not(IsEmpty()));
  EXPECT_THAT(launched(by_fours({padded}), sizes(300)).floats(1), Each(1.0f));
}

// The trials need sizes that fulfil it, however the arguments meet in it.
TEST(Assume, NeedNotBeLinear) {
  for (const Expr& condition : {equal(bit_xor(n, m), 1), equal(n, m * p), equal(n * m, 4096)}) {
    EXPECT_THAT(verify(with_result({Assume{condition, "the author says so"}})), IsEmpty())
        << to_string(condition);
  }
}

TEST(Assume, OfNamesForArgumentsIsOneOfTheLaunchToo) {
  const Body named = {Let{"rest", n % 4},
                      Titled{"", {Assume{equal(variable("rest"), 0), "padded"}}}};
  EXPECT_THAT(verify(by_fours(named)), IsEmpty());
  ASSERT_EQ(assumptions_of_launch(by_fours(named)).size(), 1u);
  EXPECT_EQ(to_string(assumptions_of_launch(by_fours(named))[0]), "n % 4 == 0: padded");
  // In one branch alone it says nothing about others.
  const Body in_branch = {If{less(p, 3), {Assume{equal(n % 4, 0), "padded"}}}};
  EXPECT_THAT(verify(by_fours(in_branch)), Not(IsEmpty()));
  EXPECT_THAT(assumptions_of_launch(by_fours(in_branch)), IsEmpty());
  // An access before it may rely on it; one outside of the branch that it is in may not.
  const Element at{"src", {q}, "at q"};
  EXPECT_THAT(verify(with_result({Load{"x", at}, Assume{less(q, n), "q is a row"}})), IsEmpty());
  EXPECT_THAT(
      verify(with_result({If{less(p, 3), {Assume{less(q, n), "q is a row"}}}, Load{"x", at}})),
      Not(IsEmpty()));
  EXPECT_THAT(
      verify(with_result({If{less(p, 3), {Assume{less(q, n), "q is a row"}, Load{"x", at}}}})),
      IsEmpty());
}

TEST(Assume, ThatHoldsWhereNothingRuns) {
  // Along a grid of p, each workgroup writes all of dst but for the last elements, or all: not where p is 0.
  Kernel kernel = kernel_of({For{"r", n, {If{equal(own, 0), {store(dst_at(r))}}}}});
  kernel.grid[0] = {"p", 64};
  EXPECT_THAT(verify(kernel), Not(IsEmpty()));
  kernel.body.insert(kernel.body.begin(), Assume{less(n, p - 1), "p is large"});  // or 0
  EXPECT_THAT(launched(kernel, sizes(3, 1, 0)).reasons,
              Contains(HasSubstr("nothing writes dst[0]")));
  EXPECT_THAT(verify(kernel), Not(IsEmpty()));
  kernel.body.insert(kernel.body.begin(), Assume{less(0, p), "p is not 0"});
  EXPECT_THAT(verify(kernel), IsEmpty());
}

TEST(Assume, OfArgumentsThatALaunchBreaksIsRefusedByTheTwin) {
  const Kernel kernel = by_fours({Assume{equal(n % 4, 0), "rows are padded"}});
  EXPECT_REFUSED(launched(kernel, sizes(302)), BrokenAssumption,
                 "the assumption 'n % 4 == 0' does not hold (n = 302): rows are padded");
  EXPECT_THAT(launched(kernel, sizes(304)).reasons, IsEmpty());
  const Kernel undefined =
      by_fours({Assume{less(p / q, 3), "few"}, Assume{equal(n % 4, 0), "padded"}});
  EXPECT_REFUSED(launched(undefined, sizes(304, 1, 1, 0)), BrokenAssumption, "(p = 1, q = 0)");
}

TEST(Assume, ThatNoSmallMoveFulfilsIsSolved) {
  const auto between = [](Body assumes) {
    assumes.push_back(Load{"x", {"src", {m}, "at m"}});
    return with_result(std::move(assumes));
  };
  EXPECT_THAT(
      verify(between({Assume{equal(m + p, n), "two parts"}, Assume{equal(p, 2 * m), "a third"},
                      Assume{less(0, m), "not empty"}, Assume{less(m, n), "a part"}})),
      IsEmpty());
  // m < q and q <= n
  EXPECT_THAT(verify(between({Assume{less(m, q), "a"}, Assume{less(q, n + 1), "b"}})), IsEmpty());
  EXPECT_THAT(verify(between({Assume{less(m, q), "a"}, Assume{less(q, n + 2), "b"}})),
              Not(IsEmpty()));
  EXPECT_THAT(verify(between({Assume{less(m, q + 1), "a"}, Assume{less(q, n + 1), "b"}})),
              Not(IsEmpty()));
}

TEST(Assume, ThatNoSizesFulfilProvesNothing) {
  const auto refused = HasSubstr("no sizes were found that fulfil all assumptions");
  EXPECT_THAT(verify(with_result({Assume{less(n, 0), "never"}})), Contains(refused));
  EXPECT_THAT(verify(with_result({Assume{equal(n % 4, 0), "a"}, Assume{equal(n % 4, 1), "b"}})),
              Contains(refused));
}

/// dst[own] = src[src[own]].
Kernel gather(Body between) {
  const Expr at = to_index(variable("at", element(ScalarType::u32)));
  Body body = {Load{"at", src_at(own)}};
  append(body, between);
  append(body, {Load{"x", src_at(at)},
                store(dst_at(own), convert(variable("x", element(ScalarType::u32)), f32))});
  return kernel_of({If{less(own, n), body}});
}

TEST(Assume, OfDataKeepsAnIndexInside) {
  const Expr at = to_index(variable("at", element(ScalarType::u32)));
  const Kernel kernel = gather({Assume{less(at, n), "the table of rows is valid"}});
  expect_accepted(kernel, sizes(70), 5);
  EXPECT_THAT(launched(kernel, sizes(70), 70).reasons,
              Contains(HasSubstr("the assumption 'at < n' does not hold in thread 0 of workgroup 0 "
                                 "(at = 70, n = 70): the table of rows is valid")));
  for (const Body& too_little : {Body{}, Body{Assume{less(at, n + 1), "one too many"}}}) {
    EXPECT_THAT(launched(gather(too_little), sizes(70), 70).reasons, Not(IsEmpty()));
    EXPECT_THAT(verify(gather(too_little)), Contains(HasSubstr("not proved to be below n")));
  }
}

TEST(Assume, OfWhereInvocationsAreExcludesOtherLaunches) {
  // Sizes at which a thread breaks the assumption are not a launch.
  const Kernel whole =
      kernel_of({Assume{less(own, n), "n is a multiple of 64"}, store(dst_at(own))});
  expect_accepted(whole, sizes(128));
  const std::string broken =
      "the assumption '64 * workgroup x + thread < n' does not hold in thread 1 of workgroup 1 "
      "(workgroup x = 1, thread = 1, n = 65): n is a multiple of 64";
  EXPECT_THAT(launched(whole, sizes(65)).reasons, Contains(broken));
  EXPECT_THAT(verify(kernel_of({Assume{less(own, n), "a"}, Assume{less(n, own), "b"}})),
              Contains(HasSubstr("no sizes were found")));
  // Elements that would be written by who breaks the assumption are not written.
  const Kernel some =
      kernel_of({If{less(own, n), {Assume{less(own, m), "few"}, store(dst_at(own))}}});
  EXPECT_THAT(launched(some, sizes(70, 64)).reasons, Contains(HasSubstr("m = 64): few")));
  const Kernel late = kernel_of({If{
      less(own, n), {If{less(own, 64), {store(dst_at(own))}, {Assume{less(own, 64), "few"}}}}}});
  EXPECT_THAT(launched(late, sizes(65)).reasons, Contains(HasSubstr("few")));
  EXPECT_THAT(verify(late),
              Contains(HasSubstr("not proved: each element of dst is written: nothing")));
}

TEST(Assume, IsCarriedAndShown) {
  Builder k("padded", 64);
  const Tensor dst = k.output("dst", f32, {{"i", "n"}});
  k.assume(equal(dst.extent(0) % 64, 0), "rows are padded to whole workgroups");
  k.grid(0, "n", 64);
  k.store(attack::one, dst_at(64 * k.block_x() + k.thread()));
  const Kernel kernel = k.finish();
  const auto with = [](std::uint32_t divisor) {
    Builder half("half", 64);
    const Tensor to = half.output("dst", f32, {{"i", "n"}});
    half.assume(equal(to.extent(0) % divisor, 0), "rows are padded");
    half.grid(0, "n", 64);
    half.store(attack::one, dst_at(64 * half.block_x() + half.thread()));
    return half.finish();
  };
  EXPECT_NO_THROW(with(128));
  EXPECT_REFUSED(with(32), KernelError, "not proved to be below n");
  constexpr const char* kText = "n % 64 == 0: rows are padded to whole workgroups";
  EXPECT_THAT(interface_of(kernel).assumptions, ElementsAre(kText));
  EXPECT_THAT(glsl::print(kernel), HasSubstr(std::string("// assumed: ") + kText + "\n"));
  bool is_listed = false;
  for (const Claim& claim : claims_of(kernel)) {
    if (claim.text != "n % 64 == 0") continue;
    is_listed = true;
    EXPECT_EQ(claim.answer, Claim::Answer::assumed);
    EXPECT_EQ(claim.by, Claim::Decider::author);
    EXPECT_EQ(claim.why, "rows are padded to whole workgroups");
  }
  EXPECT_TRUE(is_listed);
  EXPECT_THAT(interface_of(bake(kernel, {{"n", 128}})).assumptions, IsEmpty());
  EXPECT_REFUSED(bake(kernel, {{"n", 100}}), ArgumentError, "break the assumption 'n % 64 == 0");
  EXPECT_THAT(verify(by_fours({Assume{equal(n % 4, 0), "two\nlines"}})),
              Contains(HasSubstr("must stay on one line")));
}

}  // namespace
}  // namespace vkmoye::gen::assuming
