// SPDX-License-Identifier: MIT
// Kernels in which data decide what is written, or how often, before it is read: each that is accepted stands beside
// a similar one that is refused.

#include "gen/verify/written.hpp"

namespace vkmoye::gen::attack {
namespace {

// A fault after more rounds than a trial follows, where only data say how many there are.
TEST(Written, InALateRoundOfALoopOverData) {
  const auto late = [](Body first) {
    append(first, {For{"r",
                       variable("end"),
                       {If{less(r, 50),
                           {write_register(0), read_register(0)},
                           {Load{"z", {"held", {1}, "late reader"}}}}}}});
    return with_data("end", std::move(first));
  };
  expect_shown("held", late({write_register(1)}), sizes(70), 60);
  const Kernel kernel = with_result(late({}));
  EXPECT_THAT(arrays_written_before_read(kernel), Not(Contains("held")));
  EXPECT_THAT(launched(kernel, sizes(70), 60).reasons, Not(IsEmpty()));
}

TEST(Written, WhereTheSameDataSay) {
  const auto twice = [](const Expr& again) {
    return with_data("w",
                     {If{less(variable("w"), thread), {write_register(0), write_shared(thread)}},
                      If{again, {read_register(0), read_shared(thread)}}});
  };
  const auto after_barrier = [](const Expr& first, const Expr& second) {
    return with_data("w", {If{first, {write_shared(thread)}}, Barrier{},
                           If{second, {read_shared(63 - thread)}}});
  };
  const Expr w = variable("w"), uniform = variable("w", kIndex);
  for (const char* array : {"held", "s"}) {
    expect_shown(array, twice(less(w, thread)), sizes(70), 7);
    expect_not_shown(array, twice(less(w, thread + 1)), sizes(70), 7);
    expect_not_shown(array, twice(logical_not(less(w, thread))), sizes(70), 7);
  }
  expect_shown("s", after_barrier(less(uniform, 5), less(uniform, 5)), sizes(70));
  expect_not_shown("s", after_barrier(less(uniform, 5), less(uniform, 6)), sizes(70), 5);
  expect_not_shown("s", after_barrier(less(uniform, 5), logical_not(less(uniform, 5))), sizes(70),
                   7);
}

TEST(Written, ByTheSameThreadInABranch) {
  // The read is in the body of the branch or loop, or behind it.
  const auto read_of = [](bool is_inside, Stmt (*around)(Body body)) {
    Body body = {write_shared(thread)};
    if (is_inside) body.push_back(read_shared(thread));
    Body all = {around(body)};
    if (!is_inside) all.push_back(read_shared(thread));
    return with_data("w", all);
  };
  for (Stmt (*around)(Body) :
       {+[](Body body) {
          return Stmt{If{less(variable("w"), thread), std::move(body)}};
        },
        +[](Body body) {
          return Stmt{For{"r", variable("w") % 5 + thread % 2, std::move(body)}};
        }}) {
    expect_shown("s", read_of(true, around), sizes(70), 5);
    expect_not_shown("s", read_of(false, around), sizes(70), 5);
  }
}

// Conditions and ends of loops that look like one that a write was under, and are another one.
TEST(Written, UnderAnotherConditionOnData) {
  const auto loaded = [](const Expr& at, Body body) {
    return with_data("w", std::move(body), at).front();
  };
  const Expr w = variable("w"), few = less(w, 3);
  const Body write = {write_register(0), write_shared(thread)};
  const Body read = {read_register(0), read_shared(thread)};
  const auto expect_neither = [&](const Body& body, std::uint32_t word, std::uint32_t step = 0,
                                  int line = __builtin_LINE()) {
    for (const char* array : {"held", "s"}) {
      expect_not_shown(array, body, sizes(70, 2, 0xffffffff), word, step, line);
    }
  };
  const auto twice = [&](const Expr& first, const Expr& second) {
    return with_data("w", {If{first, write}, If{second, read}});
  };
  const std::uint32_t falling = 0u - 5;  // 5, 0, ..
  // A name that means another word in the next body, in a condition, behind a name, and as the end of a loop.
  expect_neither({loaded(0, {If{few, write}}), loaded(1, {If{few, read}})}, 5, falling);
  expect_neither({loaded(0, {If{less(thread, w), write}}), loaded(1, {If{less(thread, w), read}})},
                 0, 5);
  expect_neither({loaded(0, {Let{"flag", few}, If{variable("flag", kBoolean), write}}),
                  loaded(1, {Let{"flag", few}, If{variable("flag", kBoolean), read}})},
                 5, falling);
  expect_neither({loaded(0, {For{"r", w, write}}), loaded(1, {For{"r", w, read}})}, 0, 5);
  expect_neither(
      {If{less(m, 3), {loaded(0, {If{few, write}})}}, If{less(m, 3), {loaded(1, {If{few, read}})}}},
      5, falling);
  // In the next round.
  for (const Expr& end : {Expr(2), m}) {
    expect_neither(
        {For{"r", end, {loaded(r, {If{equal(r, 0), {If{few, write}}, {If{few, read}}}})}}}, 5,
        falling);
  }
  // The other branch, also behind two negations.
  expect_neither(with_data("w", {If{few, write}, If{few, {}, read}}), 5);
  expect_neither(twice(not_equal(w, 3), logical_not(not_equal(w, 3))), 3);
  // Under a second condition, which is not repeated, or is another one.
  expect_neither(with_data("w", {If{less(m, w), {If{few, write}}}, If{few, read}}), 1);
  expect_neither(with_data("w", {If{less(m, w), {If{less(w, 9), write}}},
                                 If{less(m, w), {If{less(w, 10), read}}}}),
                 9);
  // In rounds that may not happen: of w, of w + 1 and p + 1, which wrap; and in the second one.
  expect_neither(with_data("w", {For{"r", w, {If{few, write}}}, If{few, read}}), 0);
  expect_neither(with_data("w", {For{"r", w + 1, write}, If{less(3, w), read}}), 0xffffffff);
  expect_neither({For{"r", p + 1, write}, If{less(3, p), read}}, 0);
  expect_neither(
      with_data("w", {For{"r", maximum(w, 1), {If{equal(r, 1), write}}}, read[0], read[1]}), 0);
  expect_neither(with_data("w", {For{"r", maximum(w, 1), {read[0], read[1], write[0], write[1]}}}),
                 0);
  // Another element.
  expect_not_shown("held",
                   with_data("w", {If{few, {write_register(0)}}, If{few, {read_register(1)}}}),
                   sizes(70), 0);
  // By other threads, whose words differ, or by another subgroup.
  const Body own_word = {Load{"word", src_at(minimum(own, n - 1))},
                         Let{"mine", to_index(variable("word", element(ScalarType::u32)))}};
  for (const bool is_of_subgroup : {false, true}) {
    Body body = own_word;
    const Expr mine = variable("mine");
    body.push_back(
        is_of_subgroup
            ? Stmt{Subgroup{
                  .name = "w", .kind = Subgroup::Kind::broadcast, .value = mine, .lane = 0}}
            : Stmt{Let{"w", mine}});
    append(body,
           Body{If{few, {write_shared(thread)}}, Barrier{}, If{few, {read_shared(63 - thread)}}});
    expect_not_shown("s", body, sizes(70), 0, 1);
  }
  // A result that is written under the condition alone.
  EXPECT_THAT(verify(kernel_of(with_data("w", {If{few, write}, If{few, read}, If{few, put(own)}}))),
              Not(IsEmpty()));
}

TEST(Written, InTheFirstRoundOfALoopThatHasOne) {
  const auto loop = [](const Expr& end, const Expr& at) {
    return with_data("end",
                     {For{"r", end, {write_shared(at)}}, Barrier{}, read_shared(63 - thread)});
  };
  const Expr end = variable("end", kIndex);
  expect_shown("s", loop(maximum(end, 1), thread), sizes(70));
  expect_shown("s", loop(maximum(1, minimum(end, p)), thread), sizes(70));
  expect_not_shown("s", loop(maximum(end, p), thread), sizes(70));
  expect_not_shown("s", loop(minimum(end, 1), thread), sizes(70));
  expect_not_shown("s", loop(maximum(end, 1), (thread + 1) % 63), sizes(70));
}

}  // namespace
}  // namespace vkmoye::gen::attack
