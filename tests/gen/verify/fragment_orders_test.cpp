// SPDX-License-Identifier: MIT
// Kernels whose result depends on which elements of a matrix a lane holds, each beside one that treats all alike.

#include "vkmoye/gen/verify/fragment_orders.hpp"

#include <functional>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using Use = ir::MatrixType::Use;

constexpr ScalarType kReal = ScalarType::f32;

// Multiplies matrices of 16x16, so that `sums` has a value; `use` may change it; it is stored afterwards.
struct Product {
  std::uint32_t count = 1;  // of matrices `sums`, and `others`
  Builder k{"product", 64, 32};
  Tensor src = k.input("src", ScalarType::f16, {{"column", 16}, {"row", 16}});
  Tensor out = k.output("dst", kReal, {{"column", 16}, {"row", std::int64_t{16} * count}});
  Tensor lanes = k.in_out("lanes", kReal, {{"at", 2 * 256}});
  Matrices a = k.matrices("a", ScalarType::f16, {Use::a, 16, 16}, 1, 1);
  Matrices b = k.matrices("b", ScalarType::f16, {Use::b, 16, 16}, 1, 1);
  Matrices sums = k.matrices("sums", kReal, {Use::accumulator, 16, 16}, count, 1);
  Matrices others = k.matrices("others", kReal, {Use::accumulator, 16, 16}, count, 1);

  ir::Kernel with(const std::function<void(Product&)>& use) {
    k.load(tile(src, {16, 16}, {0, 0}), a);
    k.load(tile(src, {16, 16}, {0, 0}), b);
    k.assign(sums, 0);
    k.assign(others, 1);
    if (count == 1) k.multiply(a, b, sums);
    use(*this);
    k.branch({less(k.subgroup(), 1)}, [&] {
      for (std::uint32_t i = 0; i < count; ++i) k.store(sums, i, tile(out, {16, 16}, {0, i}));
    });
    return k.finish();
  }
  View elements(const Matrices& of) { return k.elements(of); }  // 8 of a lane
};

// `use` is refused because of `array`, and accepted where the orders of `stated` are.
void expect_by_order(const std::function<void(Product&)>& use, const std::string& array,
                     const std::vector<Matrices Product::*>& stated, std::uint32_t count = 1,
                     int line = __builtin_LINE()) {
  SCOPED_TRACE(line);
  EXPECT_REFUSED(Product{count}.with(use), KernelError,
                 "elements of the matrices " + array + " by lane");
  const ir::Kernel kernel = Product{count}.with([&](Product& p) {
    for (const auto member : stated) p.k.assume_order(p.*member, "(16,(2,8)):(8,(128,1))");
    use(p);
  });
  EXPECT_THAT(interface_of(kernel).assumptions,
              Contains("lanes hold the elements of the matrices " + array +
                       " in this order: (16,(2,8)):(8,(128,1))"));
}

void expect_alike(const std::function<void(Product&)>& use, std::uint32_t count = 1,
                  int line = __builtin_LINE()) {
  SCOPED_TRACE(line);
  EXPECT_NO_THROW(Product{count}.with(use));
}

const auto twice = [](const Expr& x) { return x * ir::number(kReal, 2); };

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
  expect_by_order(where([](Product& p) { return less(p.k.lane(), 16); }), "sums", {&Product::sums});
  expect_alike(where([](Product& p) { return less(p.k.subgroup(), 1); }));
  // By a value of the lane.
  expect_by_order(
      [](Product& p) {
        const Expr lane = convert(p.k.lane(), kReal);
        p.k.apply(
            p.elements(p.sums), [&](const Expr& x) { return x * lane; }, p.elements(p.sums));
      },
      "sums", {&Product::sums});
  // By the number of an element.
  const ir::Element third{"sums", {3}, "third"};
  expect_by_order([&](Product& p) { p.k.store(ir::number(kReal, 0), third); }, "sums",
                  {&Product::sums});
  expect_by_order(
      [](Product& p) {
        p.k.loop("v", 8, [&](const Expr& v) {
          p.k.store(convert(v, kReal), {"sums", {v}, "numbered"});
        });
      },
      "sums", {&Product::sums});
  expect_by_order(
      [](Product& p) {
        p.k.loop("v", 8, [&](const Expr& v) {
          p.k.store(p.k.load("x", {"others", {7 - v}, "reversed"}), {"sums", {v}});
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
        p.k.store(sum, {"lanes", {p.k.thread()}});
      },
      "sums", {&Product::sums});
}

TEST(ElementsByLane, WhatTreatsAllElementsAlike) {
  expect_alike([](Product& p) { p.k.apply(p.elements(p.sums), twice, p.elements(p.sums)); });
  expect_alike([](Product& p) {
    const Expr alpha = p.k.argument("alpha", kReal);
    p.k.apply(
        p.elements(p.sums),
        [&](const Expr& x, const Expr& y) { return maximum(alpha * x + y, ir::number(kReal, 0)); },
        p.elements(p.sums), p.elements(p.others));
  });
  expect_alike([](Product& p) {  // an element of a buffer that is the same for all
    const Expr scale = convert(p.k.load("scale", {"src", {0, 3}, "scale"}), kReal);
    p.k.apply(
        p.elements(p.sums), [&](const Expr& x) { return x * scale; }, p.elements(p.sums));
  });
}

constexpr std::uint32_t kMatrices = 8;  // of which a lane has 8 elements each

// sums[to(r)] = others[from(r)] for r < rounds.
std::function<void(Product&)> moves(std::uint32_t rounds,
                                    const std::function<Expr(const Expr&)>& to,
                                    const std::function<Expr(const Expr&)>& from) {
  return [=](Product& p) {
    p.k.loop("r", rounds, [&](const Expr& r) {
      p.k.store(p.k.load("x", {"others", {from(r)}}), {"sums", {to(r)}});
    });
  };
}
// sums[to(r)] = 0 for r < rounds.
std::function<void(Product&)> zeros(std::uint32_t rounds,
                                    const std::function<Expr(const Expr&)>& to) {
  return [=](Product& p) {
    p.k.loop("r", rounds, [&](const Expr& r) {
      p.k.store(ir::number(kReal, 0), {"sums", {to(r)}});
    });
  };
}

// Which elements of one matrix a loop goes through, not which of all.
TEST(ElementsByLane, OtherElementsInEachMatrix) {
  const std::vector<Matrices Product::*> both = {&Product::sums, &Product::others};
  const auto refuse = [&](const std::function<void(Product&)>& use, int line = __builtin_LINE()) {
    expect_by_order(use, "sums", both, kMatrices, line);
  };
  refuse(zeros(8, [](const Expr& r) { return 9 * r; }));
  refuse(zeros(8, [](const Expr& r) { return 3 * r; }));
  refuse(moves(
      8, [](const Expr& r) { return r; }, [](const Expr& r) { return 9 * r; }));
  refuse(zeros(12, [](const Expr& r) { return r; }));
  refuse(zeros(8, [](const Expr& r) { return r + 8 * (r / 2); }));
  refuse(moves(
      8, [](const Expr& r) { return r; }, [](const Expr& r) { return r + 8 * (r / 2); }));
  refuse([](Product& p) { p.k.assign(composition(p.elements(p.sums), make_layout({8}, {9})), 0); });
  refuse([](Product& p) {  // the lane says which matrix
    p.k.loop("r", 8, [&](const Expr& r) {
      p.k.store(ir::number(kReal, 0), {"sums", {r + 8 * (p.k.lane() % 8)}});
    });
  });
  const auto accept = [](const std::function<void(Product&)>& use, int line = __builtin_LINE()) {
    expect_alike(use, kMatrices, line);
  };
  accept(zeros(32, [](const Expr& r) { return r; }));
  accept(zeros(8, [](const Expr& r) { return r + 16; }));
  accept(moves(
      64, [](const Expr& r) { return r; }, [](const Expr& r) { return r; }));
  accept(moves(
      8, [](const Expr& r) { return r; }, [](const Expr& r) { return r + 40; }));
  accept([](Product& p) {  // by the matrix, in any order of them
    p.k.loop("m", kMatrices, [&](const Expr& m) {
      p.k.loop("r", 8, [&](const Expr& r) {
        const Expr x = p.k.load("x", {"others", {8 * ir::bounded(7 - m, 8) + r}});
        p.k.store(x * convert(m, kReal), {"sums", {8 * m + r}});
      });
    });
  });
  accept([](Product& p) { p.k.apply(p.elements(p.sums), twice, p.elements(p.others)); });
}

// What changes while a loop goes through the elements.
TEST(ElementsByLane, ValuesThatChangeFromRoundToRound) {
  const auto counting = [](const std::function<void(Product&, const Expr&, const Expr&)>& use) {
    return [use](Product& p) {
      const View counter = p.k.shared("counter", kReal, make_layout({1}));
      const ir::Element at{"counter", {0}};
      const auto once = [&](const std::function<void()>& body) {
        p.k.branch({equal(p.k.thread(), 0)}, body);
        p.k.barrier();
      };
      once([&] { p.k.store(ir::number(kReal, 0), at); });
      p.k.loop("r", 8, [&](const Expr& r) {
        const Expr count = p.k.load("count", at);
        p.k.barrier();
        use(p, r, count);
        once([&] { p.k.store(p.k.load("before", at) + 1, at); });
      });
    };
  };
  const std::vector<Matrices Product::*> both = {&Product::sums, &Product::others};
  const auto refuse = [&](const std::function<void(Product&)>& use, int line = __builtin_LINE()) {
    expect_by_order(use, "sums", both, 1, line);
  };
  refuse(counting([](Product& p, const Expr& r, const Expr& count) {
    p.k.store(count, {"sums", {r}});
  }));
  refuse(counting([](Product& p, const Expr& r, const Expr& count) {
    p.k.branch({less(count, ir::number(kReal, 3))}, [&] {
      p.k.store(ir::number(kReal, 0), {"sums", {r}});
    });
  }));
  refuse([](Product& p) {  // by other lanes
    p.k.loop("r", 8, [&](const Expr& r) {
      const Expr sum = p.k.subgroup_reduce("sum", ir::Op::add, convert(r, ScalarType::i32));
      p.k.store(convert(sum, kReal), {"sums", {r}});
    });
  });
  const auto in_rounds = [](const std::function<void(Product&)>& also) {
    return [also](Product& p) {
      p.k.loop("r", 8, [&](const Expr& r) {
        const Expr x = p.k.load("x", {"others", {r}});
        p.k.store(x + 1, {"sums", {r}});
        also(p);
      });
    };
  };
  refuse(in_rounds([](Product& p) { p.k.assign(p.others, 5); }));
  refuse(in_rounds([](Product& p) { p.k.multiply(p.a, p.b, p.others); }));
  refuse(in_rounds([](Product& p) { p.k.multiply(p.a, p.b, p.sums); }));
  refuse(in_rounds([](Product& p) { p.k.apply(p.elements(p.sums), twice, p.elements(p.sums)); }));
  expect_alike([](Product& p) {  // each element in its own round
    p.k.loop("r", 8, [&](const Expr& r) {
      const Expr x = p.k.load("x", {"sums", {r}});
      p.k.store(x * x, {"sums", {r}});
      p.k.store(p.k.load("y", {"sums", {r}}) + x, {"others", {r}});
    });
  });
}

}  // namespace
}  // namespace vkmoye::gen
