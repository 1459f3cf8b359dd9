// SPDX-License-Identifier: MIT
// Kernels whose result depends on which elements of a matrix a lane holds, each beside one that treats all alike.

#include "vkmoye/gen/verify/fragment_orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Use = ir::MatrixType::Use;

constexpr ScalarType kF32 = ScalarType::f32;

// Multiplies two matrices of 16x16, so that `sums` has a value; `use` may change it; it is stored afterwards.
struct Product {
  Builder k{"product", 64, 32};
  Tensor src = k.input("src", ScalarType::f16, {{"column", 16}, {"row", 16}});
  Tensor out = k.output("dst", kF32, {{"column", 16}, {"row", 16}});
  Tensor lanes = k.in_out("lanes", kF32, {{"at", 2 * 256}});
  Matrices a = k.matrices("a", ScalarType::f16, {Use::a, 16, 16}, 1, 1);
  Matrices b = k.matrices("b", ScalarType::f16, {Use::b, 16, 16}, 1, 1);
  Matrices sums = k.matrices("sums", kF32, {Use::accumulator, 16, 16}, 1, 1);
  Matrices others = k.matrices("others", kF32, {Use::accumulator, 16, 16}, 1, 1);

  ir::Kernel with(const std::function<void(Product&)>& use) {
    k.load(tile(src, {16, 16}, {0, 0}), a);
    k.load(tile(src, {16, 16}, {0, 0}), b);
    k.fill(sums, ir::number(kF32, 0));
    k.fill(others, ir::number(kF32, 1));
    k.multiply(a, b, sums);
    use(*this);
    k.branch({ir::less(k.subgroup(), 1)}, [&] { k.store(sums, 0, tile(out, {16, 16}, {0, 0})); });
    return k.finish();
  }
  View elements(const Matrices& of) { return k.elements(of); }  // 8 of a lane
};

// `use` is refused because of `array`, and accepted where the orders of `stated` are.
void expect_by_order(const std::function<void(Product&)>& use, const std::string& array,
                     const std::vector<Matrices Product::*>& stated, int line = __builtin_LINE()) {
  SCOPED_TRACE(line);
  EXPECT_THAT(
      [&] { Product().with(use); },
      ThrowsMessage<KernelError>(HasSubstr("elements of the matrices " + array + " by lane")));
  const ir::Kernel kernel = Product().with([&](Product& p) {
    for (const auto member : stated) p.k.assume_order(p.*member, "(16,(2,8)):(8,(128,1))");
    use(p);
  });
  EXPECT_THAT(interface_of(kernel).assumptions,
              Contains("lanes hold the elements of the matrices " + array +
                       " in this order: (16,(2,8)):(8,(128,1))"));
}

void expect_alike(const std::function<void(Product&)>& use, int line = __builtin_LINE()) {
  SCOPED_TRACE(line);
  EXPECT_NO_THROW(Product().with(use));
}

const auto twice = [](const Expr& x) { return x * ir::number(kF32, 2); };

TEST(ElementsByLane, ElementsOfAnAccumulatorInAMatrixA) {
  expect_by_order([](Product& p) { p.k.copy(p.elements(p.sums), p.elements(p.a)); }, "a",
                  {&Product::a, &Product::sums});
  expect_alike([](Product& p) { p.k.copy(p.elements(p.others), p.elements(p.sums)); });
}

TEST(ElementsByLane, ElementsChosenByLaneOrNumber) {
  const auto where = [](const std::function<Expr(Product&)>& condition) {
    return [condition](Product& p) {
      p.k.branch({condition(p)}, [&] { p.k.apply(p.elements(p.sums), twice, p.elements(p.sums)); });
    };
  };
  expect_by_order(where([](Product& p) { return ir::less(p.k.lane(), 16); }), "sums",
                  {&Product::sums});
  expect_alike(where([](Product& p) { return ir::less(p.k.subgroup(), 1); }));
  // By a value of the lane.
  expect_by_order(
      [](Product& p) {
        const Expr lane = ir::convert(p.k.lane(), kF32);
        p.k.apply(
            p.elements(p.sums), [&](const Expr& x) { return x * lane; }, p.elements(p.sums));
      },
      "sums", {&Product::sums});
  // By the number of an element.
  const ir::Element third{"sums", {3}, "third"};
  expect_by_order([&](Product& p) { p.k.store(ir::number(kF32, 0), third); }, "sums",
                  {&Product::sums});
  expect_by_order(
      [](Product& p) {
        p.k.loop("v", 8, [&](const Expr& v) {
          p.k.store(ir::convert(v, kF32), {"sums", {v}, "numbered"});
        });
      },
      "sums", {&Product::sums});
  expect_by_order(
      [](Product& p) {
        p.k.loop("v", 8, [&](const Expr& v) {
          p.k.store(p.k.load("x", {"others", {7 - v}, "reversed"}), {"sums", {v}, "sums"});
        });
      },
      "sums", {&Product::sums, &Product::others});
}

TEST(ElementsByLane, ElementsInMemory) {
  const auto mine = [](Product& p) {
    const TiledCopy by_lane = make_tiled_copy(make_layout({64}), make_layout({8}));
    return partition(tile(p.lanes, {512}, {0}), by_lane, p.k.thread());
  };
  expect_by_order(
      [&](Product& p) { p.k.copy(p.elements(p.sums), mine(p), {.edges = Edges::inside}); }, "sums",
      {&Product::sums});
  expect_by_order(
      [&](Product& p) { p.k.copy(mine(p), p.elements(p.sums), {.edges = Edges::inside}); }, "sums",
      {&Product::sums});
  // One of all lanes, or a sum of all, may not depend on the order; the verifier does not know.
  expect_by_order(
      [](Product& p) {
        const Expr sum =
            p.k.subgroup_reduce("sum", ir::Op::add, p.k.load("x", {"sums", {0}, "first"}));
        p.k.store(sum, {"lanes", {p.k.thread()}, "lanes"});
      },
      "sums", {&Product::sums});
}

TEST(ElementsByLane, WhatTreatsAllElementsAlike) {
  expect_alike([](Product& p) { p.k.apply(p.elements(p.sums), twice, p.elements(p.sums)); });
  expect_alike([](Product& p) {
    const Expr alpha = p.k.argument("alpha", kF32);
    p.k.apply(
        p.elements(p.sums),
        [&](const Expr& x, const Expr& y) { return maximum(alpha * x + y, ir::number(kF32, 0)); },
        p.elements(p.sums), p.elements(p.others));
  });
  expect_alike([](Product& p) {  // an element of a buffer that is the same for all
    const Expr scale = ir::convert(p.k.load("scale", {"src", {0, 3}, "scale"}), kF32);
    p.k.apply(
        p.elements(p.sums), [&](const Expr& x) { return x * scale; }, p.elements(p.sums));
  });
}

}  // namespace
}  // namespace vkmoye::gen
