// SPDX-License-Identifier: MIT
// Wrong kernels that are right at the sizes of trials, and of which isl does not decide that they are wrong.

#include "gen/verify/attacked.hpp"
#include "support/expect.hpp"

namespace vkmoye::gen::attack {
namespace {

constexpr std::int64_t kBeyondIndex = std::int64_t{1} << 32;

Stmt reads_shared(const Expr& index) { return Load{"x", shared_at(index, "reader")}; }
Stmt reads_register() { return Load{"y", {"held", {0}, "register reader"}}; }

// Not proved, and the twin finds the fault at `at`.
void expect_unproved(const Body& body, const Arguments& at, int line = __builtin_LINE()) {
  SCOPED_TRACE(line);
  const Kernel kernel = with_result(body);
  EXPECT_THAT(launched(kernel, at).reasons, Not(IsEmpty()));
  EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("not proved: what is read from ")));
}

TEST(AttackTried, ReadsWhereASumWraps) {
  // p + thread wraps: the first threads do not write.
  const Expr sum = p + thread;
  expect_unproved({If{less(sum, n), {store(shared_at(thread, "writer"))}}, Barrier{},
                   If{logical_and(less(sum, n), less(0, thread)), {reads_shared(thread - 1)}}},
                  sizes(70, 1, kBeyondIndex - 5));
  expect_unproved({If{less(p + q, n), {store(shared_at(thread, "writer"))}}, Barrier{},
                   If{less(p, n), {reads_shared(thread)}}},
                  sizes(70, 1, 3, 100));
  expect_unproved({If{less(p, p + 1), {store(register_at(0))}}, reads_register()},
                  sizes(70, 1, kBeyondIndex - 1));
  expect_unproved({If{less(p, 8 * p + 1), {store(register_at(0))}}, reads_register()},
                  sizes(70, 1, kBeyondIndex / 8));
  expect_unproved({If{less(p, p + 8), {store(shared_at(thread, "writer"))}}, Barrier{},
                   reads_shared(63 - thread)},
                  sizes(70, 1, kBeyondIndex - 1));
}

TEST(AttackTried, ReadsWhereTwoArgumentsMeet) {
  const auto where = [](const Expr& condition, const Arguments& at, int line = __builtin_LINE()) {
    expect_unproved({If{condition, {store(register_at(0))}}, reads_register()}, at, line);
    expect_unproved(
        {If{condition, {store(shared_at(thread, "writer"))}}, Barrier{}, reads_shared(63 - thread)},
        at, line);
  };
  where(not_equal(p, 3 * q + 7), sizes(70, 1, 307, 100));
  where(not_equal(p + q, n + m + 3), sizes(70, 5, 73, 5));
  where(not_equal(bit_xor(p, q), 12345), sizes(70, 1, 12345, 0));
  where(not_equal(bit_and(p, q), 12345), sizes(70, 1, 12345, 12345));
  where(not_equal(p / maximum(q, 1), 777), sizes(70, 1, 777, 1));
  where(less(p * q, 100000), sizes(70, 1, 100000, 1));
}

TEST(AttackTried, ReadsInALateRound) {
  expect_unproved({For{"r", p, {For{"j", q, {If{equal(r * j, 90), {reads_register()}}}}}}},
                  sizes(70, 1, 100, 100));
  expect_unproved(
      {For{"r",
           p,
           {Subgroup{.name = "w", .kind = Subgroup::Kind::broadcast, .value = r, .lane = 0},
            If{less(variable("w"), 70), {}, {reads_register()}}}}},
      sizes(70, 1, 71));
}

// A part of an index or of a condition that changes after 16 rounds, beside one that never repeats.
TEST(AttackTried, PartsWithALongerPeriodThanIsFollowed) {
  const Expr later = r / 16 % 2;
  const auto expect_wrong = [](const Body& body, const Arguments& at, int line = __builtin_LINE()) {
    expect_refused(with_result(body), at, 0, 0, line);
  };
  expect_wrong(
      {For{"r",
           p,
           {Subgroup{.name = "w", .kind = Subgroup::Kind::broadcast, .value = later, .lane = 0},
            store(shared_at(select(equal(variable("w"), 0), thread, 0)))}}},
      sizes(70, 1, 17));
  expect_wrong({If{less(thread, 8), {store(shared_at(thread))}}, Barrier{},
                For{"r", p, {reads_shared(8 * later + minimum(r * r, 7))}}},
               sizes(70, 1, 17));
  expect_wrong(
      {If{less(40, p), {store(shared_at(thread))}}, Barrier{},
       For{"r", q, {If{logical_and(less(r * r, m), less(40 - later, p)), {reads_shared(thread)}}}}},
      sizes(70, 1000, 40, 17));
}

// The write happens where two conditions hold, of which the other one is known, and false.
TEST(AttackTried, ConditionsBesideAGate) {
  const Expr at = 4 * (r % 16) + thread, along = 64 * r + thread;
  const Kernel kernel = with_result(
      {For{"r",
           n / 64,
           {If{less(thread, 4),
               {If{logical_and(less(r % 16, 12), less(along, n)), {store(shared_at(at))}},
                If{less(along, n), {reads_shared(at)}}}}}}});
  expect_refused(kernel, sizes(832));
}

TEST(AttackTried, ResultsForWhichTheSolverGivesUp) {
  Body body = put(own);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Expr mixed = own / (7 + 2 * i) + own % (11 + 6 * i) * 3;
    body = {If{not_equal(mixed % (13 + 2 * i), 12), body, body}};
  }
  body.push_back(If{logical_and(equal(n, 5000), equal(thread, 3)), put(0)});
  expect_refused(kernel_of(body), sizes(5000));
}

// If the author asserts what is read, the rest is still verified, and the assumption is kept.
TEST(AttackTried, AreAcceptedAsAssumed) {
  Kernel kernel = with_result({If{less(p * q, 100000), {store(register_at(0))}}, reads_register()});
  kernel.assumptions = {{"held", "p and q are small"}};
  EXPECT_THAT(verify(kernel), IsEmpty());
  EXPECT_THAT(interface_of(kernel).assumptions,
              ElementsAre("what is read from held was written before: p and q are small"));
}

}  // namespace
}  // namespace vkmoye::gen::attack
