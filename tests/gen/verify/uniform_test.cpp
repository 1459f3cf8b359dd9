// SPDX-License-Identifier: MIT
// Values that are the same in a whole workgroup, or subgroup, by the way they are made: loops and conditions on them
// may hold barriers and subgroup operations.

#include "gen/verify/attacked.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen::uniformity {
namespace {

using namespace attack;

constexpr ScalarType f32 = ScalarType::f32, u32 = ScalarType::u32;

const Expr flag = variable("flag", element(u32));
const Expr rounds_of = to_index(flag);
const Expr two = number(u32, 2);
const auto kMiss = HasSubstr("may not reach");

/// src has an element for each workgroup, its place in front.
Kernel kernel_with(Body body) {
  body.push_back(If{less(own, n), {store(dst_at(own, "result"))}});
  Kernel kernel = kernel_of(std::move(body));
  kernel.arrays[0].axes = {{"i", "m", 1}};
  return kernel;
}
Stmt flag_at(const Expr& at) { return Load{"flag", {"src", {at}, "flag"}}; }
/// Written, and read by another thread after a barrier.
Body exchanged(const std::string& name = "x") {
  return {store(shared_at(thread, "write")), Barrier{}, Load{name, shared_at(63 - thread, "read")},
          Barrier{}};
}

TEST(Uniform, AnInputAtOnePlaceForTheWorkgroup) {
  for (const Expr& at : {Expr(0), p, group}) {
    const Body guarded = {flag_at(at), If{less(flag, two), exchanged(), exchanged("y")}};
    const Kernel kernel = kernel_with({If{less(at, m), guarded}});
    for (const std::uint32_t word : {1, 2}) expect_accepted(kernel, sizes(130, 3), word);
  }
  // At places that differ; an array that is also written.
  for (const Expr& at : {thread, own, group + thread / 32}) {
    const Kernel kernel =
        kernel_with({If{less(at, m), {flag_at(at)}}, Let{"any", Expr(1)},
                     If{less(at, m),
                        {Load{"flag2", {"src", {at}, "flag"}},
                         If{less(variable("flag2", element(u32)), two), exchanged()}}}});
    EXPECT_THAT(verify(kernel), Contains(kMiss));
  }
  Kernel written = kernel_with({If{less(0, m), {flag_at(0), If{less(flag, two), exchanged()}}}});
  EXPECT_THAT(verify(written), IsEmpty());
  written.arrays[0].access = Access::read_write;
  EXPECT_THAT(verify(written), Contains(kMiss));
}

TEST(Uniform, LoopsWithAnEndFromAnInput) {
  const auto looped = [](const Expr& end, Body body) {
    return kernel_with({If{less(group, m), {flag_at(group), For{"r", end, std::move(body)}}}});
  };
  expect_accepted(looped(minimum(rounds_of, 100), exchanged()), sizes(130, 3), 5);
  // A barrier too few; an end that differs between threads.
  Body body = exchanged();
  body.pop_back();
  const Kernel racing = looped(minimum(rounds_of, 100), body);
  EXPECT_THAT(launched(racing, sizes(130, 3), 5).reasons, Not(IsEmpty()));
  EXPECT_THAT(verify(racing), Contains(HasSubstr("race in shared s")));
  const Kernel uneven = looped(minimum(rounds_of + thread % 2, 100), exchanged());
  EXPECT_THAT(launched(uneven, sizes(130, 3), 5).reasons, Not(IsEmpty()));
  EXPECT_THAT(verify(uneven), Contains(kMiss));
}

TEST(Uniform, SharedMemoryAtOnePlace) {
  const Expr x = variable("x", element(f32));
  const auto chosen = [&](const Expr& at, Body before) {
    Body body = {store(shared_at(thread, "write"), convert(thread, f32))};
    append(body, before);
    append(body, {Load{"x", shared_at(at, "choice")}, Barrier{},
                  If{less(x, number(f32, 2)), exchanged("y")}});
    return kernel_with(body);
  };
  EXPECT_THAT(verify(chosen(3, {Barrier{}})), IsEmpty());
  expect_accepted(chosen(1, {Barrier{}}), sizes(130));
  expect_refused(chosen(3, {}), sizes(130));
  expect_refused(chosen(thread, {Barrier{}}), sizes(130));
}

TEST(Uniform, WhatAllLanesGetIsTheSameInASubgroup) {
  using Kind = Subgroup::Kind;
  const Expr whole = variable("whole"), sum = variable("sum", element(f32));
  const auto made = [&](Kind kind, const Expr& value, const Expr& condition, Body inner) {
    return kernel_with({Subgroup{.name = "whole", .kind = kind, .value = value, .lane = 0},
                        If{condition, std::move(inner)}});
  };
  const Body subgroup = {Subgroup{.name = "inner", .value = thread}};
  for (const Kind kind : {Kind::broadcast, Kind::reduce}) {
    expect_accepted(made(kind, thread, less(whole, 40), subgroup), sizes(130));
    // It differs between subgroups: no barrier may be there.
    const Expr between = kind == Kind::reduce ? Expr(1000) : Expr(32);  // sums are 496 and 1520
    expect_refused(made(kind, thread, less(whole, between), exchanged()), sizes(130));
  }
  for (const Kind kind : {Kind::inclusive_scan, Kind::exclusive_scan, Kind::shuffle_xor}) {
    expect_refused(made(kind, thread, less(whole, 20), subgroup), sizes(130));
  }
  // A floating sum may be rounded differently in each lane; a broadcast of it is one value.
  const Expr x = convert(thread, f32), total = variable("whole", element(f32));
  EXPECT_THAT(verify(made(Kind::reduce, x, less(total, number(f32, 9)), subgroup)),
              Contains(kMiss));
  EXPECT_THAT(verify(made(Kind::broadcast, x, less(total, number(f32, 9)), subgroup)), IsEmpty());
  // A workgroup of one subgroup.
  Kernel single = made(Kind::broadcast, thread, less(whole, 20), exchanged());
  single.threads = 32;
  EXPECT_THAT(verify(single), Not(Contains(kMiss)));
}

// Sparse rows: a workgroup for each row, whose elements lie from starts[row] on.
TEST(Uniform, SparseRowsTimesAVector) {
  Builder k("csr", 64, 32);
  k.input("starts", u32, {{"row", "ends"}});
  const Tensor columns = k.input("columns", u32, {{"i", "elements"}});
  k.input("values", f32, {{"i", "elements"}});
  const Tensor x = k.input("x", f32, {{"column", "width"}});
  const Tensor y = k.output("y", f32, {{"row", "rows"}});
  k.grid(0, "rows", 1);
  const Expr row = k.block_x(), rows = y.extent(0);
  k.assume(less(rows, variable("ends")), "starts has the end of each row");
  const auto start = [&](const char* name, const Expr& at) {
    return k.let(std::string(name) + "_at", to_index(k.load(name, Element{"starts", {at}, name})));
  };
  const Expr begin = start("begin", row), end = start("end", row + 1);
  k.assume(logical_not(less(end, begin)), "starts increase");
  const View sum = k.registers("sum", f32, Layout());
  k.assign(sum, 0);
  k.loop("chunk", ceil_div(end - begin, 64), [&](const Expr& chunk) {
    const Expr at = k.let("element_at", 64 * chunk + k.thread() + begin);
    k.branch({less(at, end), less(at, columns.extent(0))}, [&] {
      const Expr column = to_index(k.load("column", Element{"columns", {at}}));
      k.branch({less(column, x.extent(0))}, [&] {
        k.assign(sum, k.load("so_far", sum) + k.load("factor", Element{"values", {at}}) *
                                                  k.load("of_x", Element{"x", {column}}));
      });
    });
    k.barrier();  // in a loop whose end data decide
  });
  k.reduce_across(sum, kSum, make_layout({64}), 0);
  k.branch({equal(k.thread(), 0)}, [&] { k.store(k.load("total", sum), Element{"y", {row}}); });
  const Kernel kernel = k.finish();
  std::vector<std::uint32_t> starts = {0, 2, 2, 5}, at = {0, 2, 1, 0, 2};
  std::vector<float> values = {1, 2, 3, 4, 5}, vector = {1, 10, 100}, out(3);
  const Arguments sizes = {{"ends", 4}, {"elements", 5}, {"width", 3}, {"rows", 3}};
  const auto report = run_on_host(kernel, {starts, at, values, vector, out}, sizes);
  EXPECT_THAT(report.reasons, IsEmpty());
  EXPECT_THAT(out, ElementsAre(201, 0, 534));
}

}  // namespace
}  // namespace vkmoye::gen::uniformity
