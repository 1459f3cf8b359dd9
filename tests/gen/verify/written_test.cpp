// SPDX-License-Identifier: MIT
// What is read was written before: kernels for which that is followed for all sizes, each beside one that differs a
// little and is wrong.

#include "gen/verify/written.hpp"

namespace vkmoye::gen::attack {
namespace {

TEST(Written, ByEachThread) {
  expect_shown("s", {write_shared(thread), Barrier{}, read_shared(63 - thread)}, sizes(70));
  expect_not_shown(
      "s", {If{less(thread, 63), {write_shared(thread)}}, Barrier{}, read_shared(63 - thread)},
      sizes(70));
  const auto by_one = [](std::uint32_t rounds) {
    return Body{If{equal(thread, 0), {For{"r", rounds, {write_shared(r)}}}}, Barrier{},
                read_shared(63 - thread)};
  };
  expect_shown("s", by_one(64), sizes(70));
  expect_not_shown("s", by_one(63), sizes(70));
}

// Multiples of 2^32 are 0: neither term decides the condition.
TEST(Written, UnderConditionsWithMultiplesOf2To32) {
  for (const Expr& zero : {65536u * (65536u * n), n + 4294967295u * n}) {
    const Expr condition = less(zero + thread, m);
    expect_shown(
        "s",
        {If{condition, {write_shared(thread)}}, Barrier{}, If{condition, {read_shared(thread)}}},
        sizes(70, 30));
  }
}

TEST(Written, InEachBranch) {
  const auto branches = [](Body otherwise) {
    return Body{If{less(own, n), {write_shared(thread)}, std::move(otherwise)}, Barrier{},
                read_shared(63 - thread)};
  };
  expect_shown("s", branches({write_shared(thread)}), sizes(70));
  expect_not_shown("s", branches({}), sizes(70));
  expect_not_shown("s", branches({If{less(own, 100), {write_shared(thread)}}}), sizes(70));
  const auto uniform = [](const Expr& read_where) {
    return Body{If{less(m, p), {write_shared(thread)}}, Barrier{},
                If{read_where, {read_shared(63 - thread)}}};
  };
  expect_shown("s", uniform(less(m, p)), sizes(70, 3, 4));
  expect_not_shown("s", uniform(less(m, p + 1)), sizes(70, 3, 3));
  expect_not_shown("s", uniform(logical_not(less(m, p))), sizes(70, 3, 3));
}

// A loop over tiles of n has a round only where the tile begins inside.
TEST(Written, WhereALoopImpliesTheCondition) {
  // Two halves in turn: the second round does not read what the first one has written.
  const auto in_rounds_to = [](const Expr& end, const Expr& where) {
    const Expr half = 32 * (r % 2);
    const Body stage = {If{where, {write_shared(half + thread)}}};
    const Body use = {read_shared(half + 31 - thread)};
    const Expr is_half = less(thread, 32);
    return Body{For{"r", end, {If{is_half, stage}, Barrier{}, If{is_half, use}, Barrier{}}}};
  };
  const Expr parts = ceil_div(n, 64);
  expect_shown("s", in_rounds_to(parts, less(64 * r, n)), sizes(70));
  expect_shown("s", in_rounds_to(minimum(parts, p), less(64 * r, n)), sizes(70, 1, 5));
  expect_shown("s", in_rounds_to(minimum(p, parts), less(32 * r, n)), sizes(70, 1, 5));
  expect_shown("s", in_rounds_to(ceil_div(minimum(n, p), 64), less(64 * r, n)), sizes(70, 1, 65));
  expect_shown("s", in_rounds_to(minimum(n / 64, p), logical_and(less(64 * r, n), less(r, p))),
               sizes(70, 1, 65));
  expect_not_shown("s", in_rounds_to(parts, less(65 * r, n)), sizes(65));
  expect_not_shown("s", in_rounds_to(minimum(parts, p), less(64 * r, m)), sizes(70, 64, 5));
  expect_not_shown("s", in_rounds_to(maximum(parts, p), less(64 * r, n)), sizes(60, 1, 3));
  expect_not_shown("s", in_rounds_to(parts + 1, less(64 * r, n)), sizes(60));
  // By a condition around it.
  const auto nested = [](const Expr& inner) {
    return Body{If{less(m, p), {If{inner, {write_shared(thread)}}, Barrier{}, read_shared(0)}}};
  };
  expect_shown("s", nested(less(m, p)), sizes(70, 3, 4));
  expect_shown("s", nested(logical_or(less(q, n), less(m, p))), sizes(70, 3, 4));
  expect_not_shown("s", nested(less(m, q)), sizes(70, 3, 4, 3));
  // An implied condition that another has as a part.
  const auto in_part = [](const Expr& where) {
    const Body use = {If{less(m, p), {If{where, {read_shared(0)}}}}};
    return Body{If{
        less(m, p),
        {If{logical_and(less(m, p), less(n, q)), {write_shared(thread)}}, Barrier{}, use.front()}}};
  };
  expect_shown("s", in_part(less(n, q)), sizes(70, 3, 4, 71));
  expect_not_shown("s", in_part(less(m, q)), sizes(70, 3, 4, 5));
}

TEST(Written, WhereTheSameBoundHolds) {
  const auto bounded_by = [](const Expr& read_where, const Expr& read_at) {
    return Body{If{less(own, n), {write_shared(thread)}}, Barrier{},
                If{less(64 * group + read_where, n), {read_shared(read_at)}}};
  };
  expect_shown("s", bounded_by(63 - thread, 63 - thread), sizes(70));
  expect_shown("s", bounded_by(thread, thread / 2), sizes(70));
  expect_not_shown("s", bounded_by(63 - thread, (64 - thread) % 64), sizes(70));
  expect_not_shown("s", bounded_by(thread / 2, thread), sizes(70));
  // p + thread may wrap: then the first threads do not write.
  const auto may_wrap = [](const Expr& base) {
    return Body{
        If{less(base + thread, n), {write_shared(thread)}}, Barrier{},
        If{logical_and(less(base + thread, n), less(0, thread)), {read_shared(thread - 1)}}};
  };
  expect_not_shown("s", may_wrap(p), sizes(70, 1, (std::int64_t{1} << 32) - 5));
  expect_not_shown("s", may_wrap(64 * group - 32), sizes(70));
}

TEST(Written, WhereTheExtentIsAMultiple) {
  const auto in_fours = [](std::uint32_t multiple) {
    const Expr first = 4 * (thread % 16);
    Body reads;
    for (std::uint32_t i = 0; i < 4; ++i) {
      reads.push_back(Load{"x" + std::to_string(i), shared_at(first + i, "reader")});
    }
    return Body{If{less(own, n), {write_shared(thread)}}, Barrier{},
                If{logical_and(equal(n % multiple, 0), less(64 * group + first, n)), reads}};
  };
  expect_shown("s", in_fours(4), sizes(72));
  expect_shown("s", in_fours(12), sizes(72));
  expect_not_shown("s", in_fours(2), sizes(70));
  expect_not_shown("s", in_fours(6), sizes(66));
}

TEST(Written, InEarlierRounds) {
  const auto ring = [](const Expr& read_at) {
    const auto stage = [](const Expr& round) { return round % 2 * 32 + thread % 32; };
    return Body{If{less(thread, 32), {write_shared(stage(0))}}, Barrier{},
                For{"r",
                    p,
                    {read_shared(stage(read_at)), Barrier{},
                     If{less(thread, 32), {write_shared(stage(r + 1))}}, Barrier{}}}};
  };
  expect_shown("s", ring(r), sizes(70, 1, 9));
  expect_not_shown("s", ring(r + 1), sizes(70, 1, 9));
  // The period is 6, and the fault in its last round.
  const auto third = [](std::uint32_t of) {
    return Body{For{
        "r",
        p,
        {If{less(r % 6, 5), {write_register(r % 2)}}, If{equal(r % 6, of), {read_register(1)}}}}};
  };
  expect_shown("held", third(1), sizes(70, 1, 20));
  expect_not_shown("held", third(0), sizes(70, 1, 20));
}

TEST(Written, WhereALoopHasARound) {
  const auto loops = [](const Expr& end) {
    return Body{For{"r", p, {write_register(0), write_shared(thread)}}, Barrier{},
                For{"j", end, {read_register(0), read_shared(63 - thread)}}};
  };
  expect_shown("held", loops(p), sizes(70, 1, 3));
  expect_shown("s", loops(p), sizes(70, 1, 3));
  expect_not_shown("held", loops(q), sizes(70, 1, 0, 3));
  expect_not_shown("s", loops(p + 1), sizes(70, 1, 0));
  const auto after_loop = [](const Expr& end) {
    return Body{For{"r", end, {write_register(0)}}, read_register(0)};
  };
  expect_shown("held", after_loop(100), sizes(70));
  expect_not_shown("held", after_loop(p), sizes(70));
  expect_not_shown("held", after_loop(thread % 3), sizes(70));
  expect_not_shown("held", after_loop(minimum(n, 4) / 4), sizes(3));
}

TEST(Written, BeforeALoopAndForItsNextRound) {
  const auto ahead = [](const Expr& first, const Expr& next, const Expr& index) {
    return Body{If{first, {write_register(0)}},
                For{"r", p, {read_register(r % 2), If{next, {write_register(index)}}}}};
  };
  const Expr odd = (r + 1) % 2;
  expect_shown("held", ahead(less(0, p), less(r + 1, p), odd), sizes(70, 1, 5));
  expect_shown("held", ahead(not_equal(p, 0), logical_not(logical_not(less(r + 1, p))), odd),
               sizes(70, 1, 5));
  expect_not_shown("held", ahead(less(0, p), less(r + 1, p), r % 2), sizes(70, 1, 5));
  expect_not_shown("held", ahead(less(0, p), less(r + 2, p), odd), sizes(70, 1, 2));
  expect_not_shown("held", ahead(less(0, p), less(r + 1, q), odd), sizes(70, 1, 3, 1));
  expect_not_shown("held", ahead(less(1, p), less(r + 1, p), odd), sizes(70, 1, 1));
  expect_not_shown("held", ahead(less(0, q), less(r + 1, p), odd), sizes(70, 1, 1, 0));
  const auto shared = [](std::uint32_t threads) {
    return Body{
        For{"r",
            p,
            {If{less(0, r), {read_shared(63 - thread)}}, Barrier{},
             If{less(r + 1, p), {If{less(thread, threads), {write_shared(thread)}}}}, Barrier{}}}};
  };
  expect_shown("s", shared(64), sizes(70, 1, 5));
  expect_not_shown("s", shared(63), sizes(70, 1, 2));
}

// Tiles of 8 rows, along which a loop goes: the last one is cut off.
TEST(Written, AlongAnExtent) {
  const Expr row = thread / 8;
  const auto along = [](const Expr& end, const Expr& written, const Expr& read, const Expr& limit) {
    return Body{For{"r",
                    end,
                    {If{less(written, n), {write_shared(thread)}}, Barrier{},
                     If{less(read, limit), {read_shared(63 - thread)}}, Barrier{}}}};
  };
  const Expr parts = ceil_div(n, 8), back = 7 - row;
  expect_shown("s", along(parts, 8 * r + row, 8 * r + back, n), sizes(12));
  expect_shown("s", along((n - 1) / 8 + 1, 8 * r + row, 8 * r + back, n), sizes(12));
  expect_not_shown("s", along(parts, 8 * r + row, 8 * r + row, n), sizes(4));
  expect_not_shown("s", along(parts, 8 * r + row, 8 * r + back, m), sizes(4, 8));
  expect_not_shown("s", along(parts, 8 * r + 8 + row, 8 * r + back, n), sizes(12));
  expect_not_shown("s", along(parts, 16 * (n - r) + row, 8 * r + back, n), sizes(12));
  expect_not_shown("s", along(parts, 64 * group + 8 * r + row, 8 * r + back, n), sizes(70));
  // 8 r wraps in late rounds.
  const Kernel wraps = with_result(along(q, 8 * r + 8 + row, 8 * r + 8 + back, n));
  EXPECT_THAT(arrays_written_before_read(wraps), Not(Contains("s")));
}

TEST(Written, WhereAConditionHoldsAndWhereItFails) {
  const auto both = [](const Expr& first, const Expr& second) {
    return Body{If{first, {write_register(0)}}, If{second, {write_register(0)}}, read_register(0)};
  };
  expect_shown("held", both(less(p * q, n), logical_not(less(p * q, n))), sizes(70, 1, 9, 9));
  expect_shown("held", both(equal(p, q), not_equal(p, q)), sizes(70, 1, 9, 9));
  expect_not_shown("held", both(less(p, q), logical_not(less(q, p))), sizes(70, 1, 3, 2));
  expect_not_shown("held", both(not_equal(p, q), logical_not(equal(p, q))), sizes(70, 1, 3, 3));
}

TEST(Written, InLoopsOfAFewRounds) {
  const auto few = [](const Expr& index) {
    return Body{For{"r", minimum(p, 2), {write_register(r % 2), read_register(index)}}};
  };
  expect_shown("held", few(r % 2), sizes(70, 1, 2));
  expect_not_shown("held", few((r + 1) % 2), sizes(70, 1, 2));
}

TEST(Written, WhereAnIndexIsKnownInPart) {
  const auto eighths = [](std::uint32_t written) {
    return Body{If{less(thread % 8, written), {write_shared(thread)}}, Barrier{},
                read_shared(thread / 8 * 8 + m % 7)};
  };
  expect_shown("s", eighths(8), sizes(70, 6));
  expect_shown("s", eighths(7), sizes(70, 6));
  expect_not_shown("s", eighths(6), sizes(70, 6));
}

TEST(Written, BeforeAnAtomicOperation) {
  const Stmt add{Atomic{"old", Op::add, shared_at(thread, "sum"), one}};
  expect_shown("s", {write_shared(thread), Barrier{}, add}, sizes(70));
  expect_not_shown("s", {add}, sizes(70));
}

// Conditions that nest: what decides about a write is all that is around it.
TEST(Written, UnderSeveralConditions) {
  const auto nested = [](const Expr& outer, const Expr& read_outer) {
    return Body{
        If{outer, {If{less(own, n), {write_shared(thread)}}}}, Barrier{},
        If{read_outer, {If{less(64 * group + (63 - thread), n), {read_shared(63 - thread)}}}}};
  };
  expect_shown("s", nested(less(m, p), less(m, p)), sizes(70, 1, 2));
  expect_not_shown("s", nested(less(m, p), less(m, q)), sizes(70, 1, 0, 2));
  expect_not_shown("s", nested(less(thread % 8, 7), less(m, p)), sizes(70, 1, 2));
  // Bounded by two extents, of which the reader knows one.
  expect_not_shown("s", nested(less(64 * group + thread, m), less(m, 1000)), sizes(70, 50));
}

}  // namespace
}  // namespace vkmoye::gen::attack
