// SPDX-License-Identifier: MIT
// What the DSL refuses, and what it derives.

#include "vkmoye/gen/dsl/builder.hpp"

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// src and dst of (cols, rows), 256 threads.
struct Arrays {
  Builder k{"test", 256};
  Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
  Tensor dst = k.output("dst", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
  View from = tile(src, {32, 32}, {k.block_x(), k.block_y()});
  View to = tile(dst, {32, 32}, {k.block_x(), k.block_y()});
  Layout threads = make_layout({32, 8});
};

TEST(Builder, DerivesTheGridFromTheTiles) {
  Arrays s;
  s.k.copy(parallelize(s.from, s.threads, s.k.thread()),
           parallelize(s.to, s.threads, s.k.thread()));
  const ir::Kernel kernel = s.k.finish();
  EXPECT_EQ(kernel.grid[0].extent, Extent("cols"));
  EXPECT_EQ(kernel.grid[0].tile, 32);
  EXPECT_EQ(kernel.grid[1].extent, Extent("rows"));
}

TEST(Builder, RefusesLoopsThatAreCalledAsThoseOfMoves) {
  for (const char* name : {"v0", "v12", "value", "value3"}) {
    Arrays s;
    EXPECT_REFUSED(s.k.loop(name, 3, [](const Expr&) {}), KernelError,
                   "copies use this name for their own loops or values")
        << name;
  }
}

TEST(Builder, RefusesCopiesOfNoPairsAndOfSeveralArrays) {
  Arrays s;
  const View from = parallelize(s.from, s.threads, s.k.thread());
  const View to = parallelize(s.to, s.threads, s.k.thread());
  const CopyOptions options{.edges = Edges::inside, .loads_first = true};
  EXPECT_REFUSED(s.k.copy({}, options), KernelError, "the list of pairs of views is empty");
  EXPECT_REFUSED(s.k.copy({{from, to}, {to, from}}, options), KernelError,
                 "one pair is from dst to src");
}

TEST(View, TakesValuesFromMultiplesOnly) {
  Arrays s;
  EXPECT_NO_THROW(take(s.from, Expr(2) * s.k.thread(), 2));
  EXPECT_REFUSED(take(s.from, s.k.thread() + 1, 2), LayoutError,
                 "the index cannot be proved to be a multiple of 2");
}

// 1 and (1) are one value each.
TEST(Builder, CopiesOneValueWhateverItsShapeIsCalled) {
  Builder k("test", 32);
  const Tensor dst = k.output("dst", ScalarType::f32, {{"row", "rows"}});
  const View one = k.registers("one", ScalarType::f32, Layout());
  k.assign(one, 3);
  k.branch({equal(k.thread(), 0)}, [&] { k.copy(one, tile(dst, {1}, {k.block_x()})); });
  EXPECT_NO_THROW(k.finish());
}

TEST(Builder, RefusesTilesThatWantDifferentGrids) {
  Arrays s;
  const View wide = tile(s.dst, {64, 32}, {s.k.block_x(), s.k.block_y()});
  const View half = tile(wide, {32, 32}, {0, 0});
  s.k.copy(parallelize(s.from, s.threads, s.k.thread()),
           parallelize(half, s.threads, s.k.thread()));
  for (int asked = 0; asked < 2; ++asked) {  // asked again, the answer is the same
    EXPECT_REFUSED(s.k.finish(), KernelError, "block_x counts tiles of 32 along cols");
  }
}

TEST(Builder, RefusesABroadcastFromSeveralLanes) {
  const auto taken = [](const auto& lane_of, bool by_shuffle) {
    Builder k("test", 64, 32);
    const Tensor dst = k.output("dst", ScalarType::u32, {{"i", 64}});
    const Expr from = k.let("from", lane_of(k));
    const Expr taken = by_shuffle ? k.subgroup_shuffle("taken", k.thread(), from)
                                  : k.subgroup_broadcast("taken", k.thread(), from);
    k.store(convert(taken, ScalarType::u32), {"dst", {k.thread()}, "mine"});
    k.finish();
  };
  const auto next = [](const Builder& k) { return (k.lane() + 1) % 32; };
  EXPECT_REFUSED(taken(next, false), KernelError,
                 "the lane of 'taken' must be the same for all lanes; use a shuffle if it differs");
  EXPECT_NO_THROW(taken(next, true));
  EXPECT_NO_THROW(taken([](const Builder&) { return Expr(31); }, false));
  EXPECT_NO_THROW(taken([](const Builder& k) { return k.subgroup(); }, false));
}

// As if there were one workgroup: right for the smallest arrays.
TEST(Builder, RefusesAWorkgroupsCoordinateThatNothingCounts) {
  const auto doubled = [](bool counted) {
    Builder k("test", 64);
    const Tensor src = k.input("src", ScalarType::f32, {{"i", "n"}});
    k.output("dst", ScalarType::f32, {{"i", "n"}});
    if (counted) k.grid(0, "n", 64);
    const Expr i = 64 * k.block_x() + k.thread();
    k.branch({less(i, src.extent(0))}, [&] {
      k.store(2 * k.load("mine", ir::Element{"src", {i}}), ir::Element{"dst", {i}});
    });
    return k.finish();
  };
  EXPECT_REFUSED(doubled(false), KernelError,
                 "the grid along block_x is unknown: no copy takes a tile at it, and "
                 "grid(0, extent, tile) is not called");
  EXPECT_NO_THROW(doubled(true));
}

TEST(Builder, RefusesThreadLayoutsThatLeaveElementsWithoutOwner) {
  Arrays s;
  const auto with = [&](const char* threads) {
    return [&s, threads] { parallelize(s.from, parse_layout(threads), s.k.thread()); };
  };
  EXPECT_THAT(with("(32,8):(1,16)"), ThrowsMessage<LayoutError>(HasSubstr("each once")));
  EXPECT_THAT(with("(32,8):(1,0)"), ThrowsMessage<LayoutError>(HasSubstr("each once")));
  EXPECT_THAT(with("(16,8)"), ThrowsMessage<LayoutError>(HasSubstr("the layout has 128 threads")));
  EXPECT_THAT(with("(32,16)"), ThrowsMessage<LayoutError>(HasSubstr("the layout has 512 threads")));
  EXPECT_THAT(with("(256,1)"), ThrowsMessage<LayoutError>(HasSubstr("does not divide")));
  EXPECT_NO_THROW(with("(32,8):(8,1)")());
}

TEST(Builder, RefusesCopiesBetweenDifferentShapesAndWrongVectors) {
  Arrays s;
  const View part = parallelize(s.from, s.threads, s.k.thread());
  const View other = parallelize(s.to, make_layout({16, 16}), s.k.thread());
  EXPECT_REFUSED(s.k.copy(part, other), LayoutError, "differ");
  EXPECT_REFUSED(s.k.copy(part, part, {.vector = {4}}), LayoutError, "vectors of 4");
}

TEST(View, PartitionGivesEachThreadTheBlockOfItsValues) {
  // The six-thread copy of MoYe.jl's TiledCopy: thread 1 has 12 13 16 17 20 21 of a (4,9) tile.
  Builder k("test", 6);
  const View smem = k.shared("tile", ScalarType::f64, make_layout({4, 9}));
  const TiledCopy copy = make_tiled_copy(parse_layout("(2,3):(3,1)"), parse_layout("(2,3):(1,2)"));
  const View mine = partition(smem, copy, k.thread());
  EXPECT_EQ(to_string(mine.axes[0].values), "((2,3),1,1):((1,4),0,0)");
  EXPECT_EQ(evaluate(parse_layout("(3,2):(12,2)"), 1)->value, 12u);
}

TEST(View, SliceRefusesANumberOutsideItsMode) {
  Builder k("test", 64);
  const View smem = k.shared("tile", ScalarType::f32, make_layout({8, 2}));
  EXPECT_EQ(to_string(slice(smem, {_, 1}).axes[0].values), "(8):(1)");
  EXPECT_REFUSED(slice(smem, {_, 7}), LayoutError, "7 is outside mode 1, extent 2");
}

TEST(View, ModesArePermutedAndValuesTakenInOrder) {
  Builder k("test", 64);
  const View smem = k.shared("tile", ScalarType::f32, "(4,6):(1,5)"_layout);
  EXPECT_EQ(to_string(permute(smem, {1, 0}).axes[0].values), "(6,4):(5,1)");
  EXPECT_THROW(permute(smem, {0, 0}), LayoutError);
  EXPECT_THROW(permute(smem, {0}), LayoutError);
  // Number 10 is element (2,2); after the last comes the first again.
  const auto first = [&](std::uint32_t index) {
    return origin(take(smem, Expr(index), 2).axes[0])->value;
  };
  EXPECT_EQ(first(10), 12u);
  EXPECT_EQ(first(24), 0u);
  EXPECT_EQ(to_string(take(smem, 0, 2).axes[0].values), "(2):(1)");
  EXPECT_THROW(take(smem, 0, 3), LayoutError);
}

TEST(View, ProjectionsShareValuesBetweenThreads) {
  // (16,16) threads over a (128,8) tile: {1, _} cuts mode 0 by thread % 16 and keeps all of mode 1.
  Builder k("test", 256);
  const View smem = k.shared("tile", ScalarType::f32, make_layout({128, 8}));
  const Layout threads = make_layout({16, 16});
  const View rows = parallelize(smem, threads, k.thread(), {1, _});
  const View columns = parallelize(smem, threads, k.thread(), {_, 1});
  EXPECT_EQ(size(rows.shape()), 64);
  EXPECT_EQ(size(columns.shape()), 64);
  EXPECT_FALSE(ir::same(origin(rows.axes[0]), origin(columns.axes[0])));
}

// A row begins a * b elements after the one before it.
TEST(Builder, VectorsAskForTheStepBetweenRowsWhateverItIsMadeOf) {
  Builder k("test", 32);
  const Tensor src =
      k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows", Extent("a", "b")}});
  const View from = tile(src, {128, 1}, {k.block_x(), k.block_y()});
  const TiledCopy copy = make_tiled_copy(make_layout({32, 1}), make_layout({4, 1}));
  const Expr product = ir::variable("a") * ir::variable("b");
  const Conditions fits = k.fits(partition(from, copy, k.thread()), {4});
  ASSERT_EQ(fits.size(), 2u);
  EXPECT_TRUE(ir::same(fits[1], equal(product % 4, 0)));
  const Conditions aligned = k.aligned(from, 4);
  ASSERT_EQ(aligned.size(), 1u);
  EXPECT_TRUE(ir::same(aligned[0], fits[1]));
}

TEST(Builder, AnotherLayoutOfRegistersKeepsWithinThem) {
  Builder k("seen", 32);
  const View six = k.registers("six", ScalarType::f32, make_layout({2, 3}));
  const View transposed = k.retile(six, make_layout({3, 2}, {2, 1}));
  EXPECT_EQ(transposed.axes.front().values(1), 2);
  EXPECT_REFUSED(k.retile(six, make_layout({3, 2}, {2, 3})), LayoutError,
                 "6 registers, but the layout has cosize 8");
}

}  // namespace
}  // namespace vkmoye::gen
