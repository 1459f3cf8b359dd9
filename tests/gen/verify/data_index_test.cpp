// SPDX-License-Identifier: MIT
// Indices from data: reads kept inside, scatters to elements that are asserted to be distinct, atomics; and the broken
// kernels next to each, which must be refused.

#include "gen/verify/attacked.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/verify/claims.hpp"

namespace vkmoye::gen::data_indices {
namespace {

using namespace attack;

constexpr ScalarType f32 = ScalarType::f32, u32 = ScalarType::u32;

const Expr code = to_index(variable("code", element(u32)));
const Expr word = number(u32, 1);

/// 64 threads; src (u32) of n elements and hist (u32) of 16 shared, dst (u32, read and written) of 16.
Kernel histogram_of(Body body) {
  Kernel kernel = kernel_of(std::move(body));
  kernel.arrays[1] = {"dst", u32, Array::Space::buffer, Access::read_write, {{"bin", 16, 1}}, ""};
  kernel.arrays[2] = {"s", u32, Array::Space::shared, Access::read_write, {{"at", 16, 1}}, "16:1"};
  return kernel;
}
Stmt zeros() { return If{less(thread, 16), {Store{shared_at(thread, "zeros"), number(u32, 0)}}}; }
Stmt count(const Expr& at) {
  return If{less(own, n),
            {Load{"code", src_at(own)},
             If{less(code, 16), {Atomic{"before", Op::add, shared_at(at, "count"), word}}}}};
}
Stmt result() {
  return If{less(thread, 16),
            {Load{"sum", shared_at(thread, "sum")},
             Atomic{"old", Op::add, {"dst", {thread}, "total"}, variable("sum", element(u32))}}};
}
Kernel histogram(const Stmt& counting) {
  return histogram_of({zeros(), Barrier{}, counting, Barrier{}, result()});
}

TEST(DataIndex, AHistogramInSharedMemory) {
  const Kernel kernel = histogram(count(code));
  EXPECT_THAT(verify(kernel), IsEmpty());
  const Launched launch = launched(kernel, sizes(130), 3);
  EXPECT_THAT(launch.reasons, IsEmpty());
  std::uint32_t bins[16] = {};
  std::memcpy(bins, launch.buffers[1].data(), sizeof bins);
  EXPECT_EQ(bins[3], 130u + 3);  // every word was 3 before
  EXPECT_EQ(bins[4], 3u);
}

TEST(DataIndex, HistogramsThatAreBroken) {
  // A bin too many; without one of the barriers; counted without atomics; not set to 0.
  const auto unguarded =
      If{less(own, n),
         {Load{"code", src_at(own)}, Atomic{"before", Op::add, shared_at(code, "count"), word}}};
  const auto wide =
      If{less(own, n),
         {Load{"code", src_at(own)},
          If{less(code, 17), {Atomic{"before", Op::add, shared_at(code, "count"), word}}}}};
  const auto plain =
      If{less(own, n),
         {Load{"code", src_at(own)}, If{less(code, 16), {Store{shared_at(code, "count"), word}}}}};
  EXPECT_THAT(launched(histogram(unguarded), sizes(130), 16).reasons, Not(IsEmpty()));
  EXPECT_THAT(verify(histogram(unguarded)),
              Contains(HasSubstr("keep it below 16 by a condition, a remainder or a minimum")));
  EXPECT_THAT(verify(histogram(wide)), Contains(HasSubstr("keep it below 16")));
  EXPECT_THAT(launched(histogram(plain), sizes(130), 3).reasons,
              Contains(HasSubstr("race in shared")));
  EXPECT_THAT(verify(histogram(plain)), Contains(HasSubstr("use an atomic operation, or assert")));
  expect_refused(histogram_of({zeros(), count(code), Barrier{}, result()}), sizes(130), 3);
  expect_refused(histogram_of({zeros(), Barrier{}, count(code), result()}), sizes(130), 3);
  expect_refused(histogram_of({count(code), Barrier{}, result()}), sizes(130), 3);
  // Bins that nothing has set, of which nothing is read but by the atomic operations.
  expect_refused(histogram_of({count(code)}), sizes(130), 3);
  // A plain access to a known element, and an atomic one to it, beside those that data place.
  expect_refused(histogram_of({zeros(), Barrier{}, count(code), Store{shared_at(3), word},
                               Barrier{}, result()}),
                 sizes(130), 3);
}

TEST(DataIndex, TheSameInALoopOverTheInput) {
  const auto loop = [](Body inner) { return For{"r", (n + 63) / 64, std::move(inner)}; };
  const Expr at = 64 * r + thread;
  const auto body = [&](const Expr& index, Body last = {}) {
    Body counted = {
        Load{"code", src_at(at)},
        If{less(index, 16), {Atomic{"before", Op::add, shared_at(index, "count"), word}}}};
    Body inner = {If{less(at, n), counted}};
    append(inner, last);
    Kernel kernel = histogram_of({zeros(), Barrier{}, loop(inner), Barrier{}, result()});
    kernel.grid[0] = {1, 1};
    return kernel;
  };
  EXPECT_THAT(verify(body(code)), IsEmpty());
  // grows with the round, and stays below 16 where it counts
  expect_accepted(body(code + r), sizes(130), 3);
  const Kernel early = body(code, {Load{"early", shared_at(3, "early")}});
  EXPECT_THAT(launched(early, sizes(130), 3).reasons, Contains(HasSubstr("race in shared s")));
  EXPECT_THAT(verify(early), Contains(HasSubstr("race in s: 'early'")));
}

/// 64 threads: table of 64 shared elements is filled, and read at an index from data.
Kernel lookup(const Expr& index, Body between, std::uint32_t filled = 64) {
  const Body fill = {If{less(thread, filled), {store(shared_at(thread, "fill"))}}};
  Body body = fill;
  append(body, between);
  append(body, {If{less(own, n),
                   {Load{"code", src_at(own)}, If{less(index, 64),
                                                  {Load{"x", shared_at(index, "lookup")},
                                                   store(dst_at(own), variable("x", element(f32)))},
                                                  {store(dst_at(own))}}}}});
  return kernel_of(body);
}

TEST(DataIndex, ReadsOfSharedMemoryUnderAGuard) {
  EXPECT_THAT(verify(lookup(code, {Barrier{}})), IsEmpty());
  EXPECT_THAT(launched(lookup(code, {Barrier{}}), sizes(130), 63).floats(1), Each(1.0f));
  EXPECT_THAT(launched(lookup(code, {Barrier{}}), sizes(130), 64).reasons, IsEmpty());
  expect_refused(lookup(code, {}), sizes(130), 63);               // no barrier
  expect_refused(lookup(code, {Barrier{}}, 63), sizes(130), 63);  // an element that nothing writes
  Kernel twice = lookup(code, {Barrier{}});  // and written again before the next barrier
  twice.body.push_back(store(shared_at(thread, "again")));
  expect_refused(twice, sizes(130), 63);
  Kernel narrow = lookup(code, {Barrier{}});
  narrow.arrays[2].axes[0].extent = 63;
  narrow.body[0] = If{less(thread, 63), {store(shared_at(thread, "fill"))}};
  expect_refused(narrow, sizes(130), 63);
}

/// dst (f32, read and written, n elements): what `body` does to it.
Kernel scattered(Body body, Access access, std::vector<Assumption> assumptions) {
  Kernel kernel =
      kernel_of({If{less(own, n), {Load{"code", src_at(own)}, If{less(code, n), body}}}});
  kernel.arrays[1].access = access;
  kernel.assumptions = std::move(assumptions);
  return kernel;
}
constexpr auto kDistinct = Assumption::Kind::distinct;

TEST(DataIndex, AScatterToElementsThatAreAssertedToBeDistinct) {
  const Body put = {store(dst_at(code, "scatter"))};
  const Assumption distinct = {"dst", "a permutation", kDistinct};
  const Kernel kernel = scattered(put, Access::read_write, {distinct});
  EXPECT_THAT(verify(kernel), IsEmpty());
  EXPECT_THAT(interface_of(kernel).assumptions,
              ElementsAre("different invocations write different elements of dst: a permutation"));
  EXPECT_THAT(launched(kernel, sizes(1), 0).reasons, IsEmpty());
  EXPECT_THAT(launched(kernel, sizes(130), 3).reasons,
              Contains(HasSubstr("'scatter' writes dst[3] in thread 0 of workgroup (0,0,0) and "
                                 "'scatter' writes it in thread 1")));
  EXPECT_THAT(verify(scattered(put, Access::read_write, {})),
              Contains(HasSubstr("assert with assume_distinct that the indices differ")));
  // Elements may be left out of a result that is asserted to be distinct alone.
  EXPECT_THAT(verify(scattered(put, Access::write, {distinct})), Not(IsEmpty()));
  EXPECT_THAT(verify(scattered(put, Access::write, {{"dst", "a permutation"}})), IsEmpty());
  EXPECT_THAT(
      launched(scattered(put, Access::write, {{"dst", "a permutation"}}), sizes(2), 0).reasons,
      Not(IsEmpty()));
  EXPECT_THAT(verify(scattered(put, Access::read_write, {{"d", "a permutation", kDistinct}})),
              Contains(HasSubstr("an assumption is about the array 'd', which is not declared")));
}

TEST(DataIndex, WhatADistinctScatterDoesNotAllow) {
  const Assumption distinct = {"dst", "a permutation", kDistinct};
  const Expr x = variable("x", element(f32));
  const Body update = {Load{"x", dst_at(code, "old")}, store(dst_at(code, "new"), x + attack::one)};
  EXPECT_THAT(verify(scattered(update, Access::read_write, {distinct})), IsEmpty());
  const auto refuse = [&](Body body, int line = __builtin_LINE()) {
    expect_refused(scattered(std::move(body), Access::read_write, {distinct}), sizes(130), 3, 0,
                   line);
  };
  refuse({store(dst_at(code, "scatter")), store(dst_at(own, "own"))});
  refuse({store(dst_at(code, "scatter")), Load{"x", dst_at(n - 1 - own, "back")}});
  refuse(
      {store(dst_at(code, "scatter")), Atomic{"old", Op::add, dst_at(own, "count"), attack::one}});
  refuse(
      {Atomic{"old", Op::add, dst_at(own, "count"), attack::one}, store(dst_at(code, "scatter"))});
  // Without the guard the index may be outside.
  Kernel outside = kernel_of({If{less(own, n), {Load{"code", src_at(own)}, store(dst_at(code))}}});
  outside.arrays[1].access = Access::read_write;
  outside.assumptions = {distinct};
  EXPECT_THAT(launched(outside, sizes(130), 130).reasons, Not(IsEmpty()));
  EXPECT_THAT(verify(outside), Contains(HasSubstr("not proved to be below n")));
}

TEST(DataIndex, AScatterInSharedMemory) {
  const auto kernel_with = [](Body after, std::vector<Assumption> assumptions) {
    Body body = {
        store(shared_at(thread, "fill")), Barrier{},
        If{less(own, n),
           {Load{"code", src_at(own)}, If{less(code, 64), {store(shared_at(code, "scatter"))}}}}};
    append(body, after);
    Kernel kernel = with_result(body);
    kernel.assumptions = std::move(assumptions);
    return kernel;
  };
  const Assumption distinct = {"s", "a permutation", kDistinct};
  const Body read = {Barrier{}, Load{"x", shared_at(63 - thread, "read")}};
  EXPECT_THAT(verify(kernel_with(read, {distinct})), IsEmpty());
  EXPECT_THAT(verify(kernel_with(read, {})), Contains(HasSubstr("assert with assume_distinct")));
  EXPECT_THAT(launched(kernel_with(read, {distinct}), sizes(130), 3).reasons,
              Contains(HasSubstr("race in shared s: 'scatter' writes s[3]")));
  EXPECT_THAT(launched(kernel_with(read, {distinct}), sizes(1), 3).reasons, IsEmpty());
  // Read where data say, of elements that nothing has written.
  Kernel unwritten = with_result(
      {If{less(own, n),
          {Load{"code", src_at(own)}, If{less(code, 64), {Load{"x", shared_at(code)}}}}}});
  unwritten.assumptions = {distinct};
  EXPECT_THAT(launched(unwritten, sizes(130), 3).reasons,
              Contains(HasSubstr("nothing has written")));
  EXPECT_THAT(verify(unwritten), Contains(HasSubstr("nothing has written")));
  // Read, or written where the thread says, before the next barrier.
  EXPECT_THAT(verify(kernel_with({Load{"x", shared_at(63 - thread, "early")}}, {distinct})),
              Contains(HasSubstr("race in s: 'early'")));
  EXPECT_THAT(verify(kernel_with({store(shared_at(thread, "again"))}, {distinct})),
              Contains(HasSubstr("race in s: 'again'")));
}

TEST(DataIndex, IsAssertedWithTheBuilder) {
  Builder k("permuted", 64);
  const Tensor from = k.input("from", f32, {{"i", "n"}});
  const Tensor order = k.input("order", u32, {{"i", "n"}});
  const Tensor to = k.in_out("to", f32, {{"i", "n"}});
  k.grid(0, "n", 64);
  const Expr extent = to.extent(0), mine = 64 * k.block_x() + k.thread();
  k.assume_distinct(to, "order is a permutation");
  k.branch({less(mine, extent)}, [&] {
    const Expr at = k.let("at", to_index(k.load("place", Element{"order", {mine}})));
    k.assume(less(at, extent), "order is a permutation");
    k.store(k.load("x", Element{"from", {mine}}), Element{"to", {at}, "scatter"});
  });
  const Kernel kernel = k.finish();
  std::vector<float> a = {1, 2, 3}, b(3);
  std::vector<std::uint32_t> places = {2, 0, 1};
  EXPECT_THAT(run_on_host(kernel, {a, places, b}, {{"n", 3}}).reasons, IsEmpty());
  EXPECT_THAT(b, ElementsAre(2, 3, 1));
  places = {2, 0, 2};
  EXPECT_THAT(run_on_host(kernel, {a, places, b}, {{"n", 3}}).reasons,
              ElementsAre(HasSubstr("'scatter' writes to[2] in thread 0 of workgroup (0,0,0) and "
                                    "'scatter' writes it in thread 2")));
  places = {2, 0, 3};
  EXPECT_THAT(run_on_host(kernel, {a, places, b}, {{"n", 3}}).reasons,
              Contains(HasSubstr("(at = 3, n = 3): order is a permutation")));
}

// A step of a sort in place: each element is exchanged with the one whose number differs in the bits of p.
TEST(DataIndex, AnArrayThatIsChangedInPlaceIsAssertedToBeDistinct) {
  const Expr other = bit_xor(own, attack::p);
  Kernel kernel =
      kernel_of({If{logical_and(less(own, n), logical_and(less(own, other), less(other, n))),
                    {Load{"a", dst_at(own, "low")}, Load{"b", dst_at(other, "high")},
                     store(dst_at(own, "low"), variable("b", element(f32))),
                     store(dst_at(other, "high"), variable("a", element(f32)))}}});
  kernel.arrays[1].access = Access::read_write;
  EXPECT_THAT(verify(kernel), ElementsAre(AllOf(HasSubstr("not proved: no invocation touches"),
                                                HasSubstr("assert it with assume_distinct, and"))));
  kernel.assumptions = {{"dst", "p is the same for all", kDistinct}};
  EXPECT_THAT(verify(kernel), IsEmpty());
}

}  // namespace
}  // namespace vkmoye::gen::data_indices
