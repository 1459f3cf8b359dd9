// SPDX-License-Identifier: MIT
// What a copy moves, run on the host twin: every way to treat edges, in rounds and with loads first,
// vectors and single elements, other types and other places on the other side.

#include "vkmoye/gen/dsl/copy.hpp"

#include <numeric>
#include <random>

#include "support/expect.hpp"
#include "support/kernel_on_twin.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kCols = 16, kRows = 8;  // of a tile

// Tiles of src (cols, rows) into those of dst (width, height), by the same threads.
struct Case {
  std::int64_t vector = 1;
  bool transposed = false;  // dst runs along the rows of src
  CopyOptions options = {};
  std::int64_t cols = kCols, rows = kRows, width = kCols, height = kRows;
};

ir::Kernel kernel_copying(const Case& c) {
  Builder k("test", 16);
  const Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
  std::vector<Builder::AxisSpec> axes = {{"x", "width"}, {"y", "height"}};
  if (c.transposed) std::swap(axes[0], axes[1]);
  const Tensor dst = k.output("dst", ScalarType::f32, axes);
  // As many workgroups as dst needs, whatever src has.
  k.grid(0, "width", kCols);
  k.grid(1, "height", kRows);
  k.assume_written(dst, "src is not empty, and where edges are skipped as large as dst");
  const Expr x = minimum(k.block_x(), 65535), y = minimum(k.block_y(), 65535);
  const View from = tile(src, {kCols, kRows}, {x, y});
  const View to = c.transposed ? transpose(tile(dst, {kRows, kCols}, {y, x}))
                               : tile(dst, {kCols, kRows}, {x, y});
  const TiledCopy copy =
      make_tiled_copy(make_layout({kCols / c.vector, c.vector}), make_layout({c.vector, 1}));
  const View mine = partition(from, copy, k.thread()), theirs = partition(to, copy, k.thread());
  const auto move = [&] { k.copy(mine, theirs, c.options); };
  if (c.options.edges == Edges::inside) {
    k.branch(all_of({k.inside(from), k.inside(to), k.aligned(from, 4), k.aligned(to, 4)}), move,
             [&] { k.copy(mine, theirs); });
  } else {
    // Of an empty src no element is the last.
    k.branch({not_equal(ir::variable("cols"), 0), not_equal(ir::variable("rows"), 0)}, move);
  }
  return k.finish();
}

// Runs it on the twin; what dst should hold follows from the definition of Edges.
void expect_right(const Case& c) {
  SCOPED_TRACE(testing::Message() << "vector " << c.vector << " transposed " << c.transposed
                                  << " edges " << static_cast<int>(c.options.edges)
                                  << " loads first " << c.options.loads_first << " src " << c.cols
                                  << 'x' << c.rows << " dst " << c.width << 'x' << c.height);
  std::vector<float> src(static_cast<std::size_t>(c.cols * c.rows));
  std::vector<float> dst(static_cast<std::size_t>(c.width * c.height), -1), expected = dst;
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<float>(i + 1);
  for (std::int64_t y = 0; y < c.height; ++y) {
    for (std::int64_t x = 0; x < c.width; ++x) {
      const bool outside = x >= c.cols || y >= c.rows;
      const std::int64_t col = std::min(x, c.cols - 1), row = std::min(y, c.rows - 1);
      float& value =
          expected[static_cast<std::size_t>(c.transposed ? y + c.height * x : x + c.width * y)];
      value = outside && c.options.edges == Edges::zero
                  ? 0
                  : src[static_cast<std::size_t>(col + c.cols * row)];
    }
  }
  const Arguments sizes = {
      {"cols", c.cols}, {"rows", c.rows}, {"width", c.width}, {"height", c.height}};
  test::run_on_twin(kernel_copying(c), sizes, src, dst);
  EXPECT_EQ(dst, expected);
}

TEST(Copy, TreatsEdgesAsAsked) {
  std::mt19937 random(7);
  const auto up_to = [&](std::int64_t max) {
    return std::uniform_int_distribution<std::int64_t>(1, max)(random);
  };
  for (const Edges edges : {Edges::inside, Edges::skip, Edges::zero, Edges::clamp}) {
    for (const bool loads_first : {false, true}) {
      for (const std::int64_t vector : {1, 2, 4}) {
        for (const bool transposed : {false, true}) {
          for (int seed = 0; seed < 6; ++seed) {
            Case c{vector, transposed, {.edges = edges, .loads_first = loads_first}};
            if (!loads_first && edges != Edges::clamp) {
              c.options.vector.count = static_cast<std::uint32_t>(vector);
            }
            if (seed > 0) c.width = up_to(2 * kCols), c.height = up_to(2 * kRows);
            // Only zero and clamp say what an element gets that src does not have.
            const bool has_more = edges == Edges::zero || edges == Edges::clamp;
            c.cols = seed > 2 && has_more ? up_to(2 * kCols) : c.width;
            c.rows = seed > 2 && has_more ? up_to(2 * kRows) : c.height;
            expect_right(c);
          }
        }
      }
    }
  }
}

// The elements that the loads or the stores of a kernel touch at once, in the order of the text.
std::vector<std::uint32_t> widths(const ir::Kernel& kernel, bool loads) {
  std::vector<std::uint32_t> out;
  ir::for_each(kernel.body, [&](const ir::Stmt& statement) {
    for (const ir::StatementAccess& access : ir::effects_of(statement, kernel).accesses) {
      if (loads ? access.reads : access.writes) out.push_back(access.element->width);
    }
  });
  return out;
}

TEST(Copy, TakesTheWidestAccessOfEachSideAndTurnsElementsBetween) {
  // Two rows of 8 f16: 16 bytes along each row of src; in shared memory rows come first.
  Builder k("test", 32);
  const Tensor src = k.input("src", ScalarType::f16, {{"col", 64}, {"row", 16}});
  const View smem = k.shared("tile", ScalarType::f16, parse_layout("(64,(2,8)):(2,(1,128))"));
  const TiledCopy copy = make_tiled_copy(make_layout({8, 4}), make_layout({8, 2}));
  const View from = tile(src, {64, 16}, {k.block_x(), k.block_y()});
  k.branch(
      k.inside(from),
      [&] {
        k.copy(partition(from, copy, k.thread()), partition(smem, copy, k.thread()),
               {.edges = Edges::inside, .loads_first = true});
      },
      [] {});
  const ir::Kernel kernel = k.finish();
  EXPECT_EQ(widths(kernel, true), std::vector<std::uint32_t>(4, 8));
  EXPECT_EQ(widths(kernel, false), std::vector<std::uint32_t>(4, 8));
}

TEST(Copy, GoesOneByOneWhereNothingIsProven) {
  // Rows of 63: the second begins off every multiple.
  Builder k("test", 16);
  const Tensor src = k.input("src", ScalarType::f32, {{"col", 63}, {"row", 8}});
  const Tensor dst = k.output("dst", ScalarType::f32, {{"col", 63}, {"row", 8}});
  const TiledCopy copy = make_tiled_copy(make_layout({16, 1}), make_layout({4, 1}));
  const auto mine = [&](const Tensor& tensor) {
    return partition(tile(tensor, {64, 1}, {k.block_x(), k.block_y()}), copy, k.thread());
  };
  k.copy(mine(src), mine(dst), {.edges = Edges::clamp, .loads_first = true});
  EXPECT_EQ(widths(k.finish(), true), std::vector<std::uint32_t>(4, 1));
}

// A last tile of 40 columns: they are whole vectors of 8; those of 36, of 4.
TEST(Copy, TakesVectorsAtEdgesThatAreMultiplesOfThem) {
  for (const std::uint32_t cols : {104u, 100u, 99u}) {
    Builder k("test", 32);
    const Tensor src = k.input("src", ScalarType::f16, {{"col", cols}, {"row", 3}});
    const Tensor dst = k.output("dst", ScalarType::f16, {{"col", cols}, {"row", 3}});
    const TiledCopy copy = make_tiled_copy(make_layout({8, 4}), make_layout({8, 1}));
    const auto mine = [&](const Tensor& tensor) {
      return partition(tile(tensor, {64, 4}, {k.block_x(), k.block_y()}), copy, k.thread());
    };
    k.copy(mine(src), mine(dst), {.edges = Edges::clamp, .loads_first = true});
    const ir::Kernel kernel = k.finish();
    EXPECT_EQ(widths(kernel, true).front(), std::gcd(8u, cols));
    EXPECT_EQ(widths(kernel, false).front(), std::gcd(8u, cols));
    std::vector<std::uint16_t> in(cols * 3), out(cols * 3);
    std::iota(in.begin(), in.end(), std::uint16_t{1});
    test::run_on_twin(kernel, {}, in, out);
    EXPECT_EQ(out, in);
  }
}

// The caller has checked that rows are whole vectors: a vector outside is loaded from inside, and not stored.
TEST(Copy, LoadsVectorsFirstWhereTheCallerKnowsThatTheyFit) {
  for (const std::int64_t cols : {4, 60, 64, 100}) {
    Builder k("test", 32);
    const Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
    const Tensor dst = k.output("dst", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
    const TiledCopy copy = make_tiled_copy(make_layout({8, 4}), make_layout({4, 1}));
    const View from = tile(src, {64, 4}, {k.block_x(), k.block_y()});
    const View mine = partition(from, copy, k.thread());
    const View values = k.registers("values", ScalarType::f32, Layout(mine.shape()));
    k.assign(values, 0);
    k.branch(k.fits(mine, {4}), [&] {
      k.copy(mine, values, {.vectors_fit = true, .loads_first = true, .from_bytes = 16});
    });
    k.copy(values, partition(tile(dst, {64, 4}, {k.block_x(), k.block_y()}), copy, k.thread()));
    const ir::Kernel kernel = k.finish();
    std::vector<float> in(static_cast<std::size_t>(cols * 3)), out(in.size(), -1);
    std::iota(in.begin(), in.end(), 1.0f);
    test::run_on_twin(kernel, {{"cols", cols}, {"rows", 3}}, in, out);
    EXPECT_EQ(out, in);
    EXPECT_EQ(widths(kernel, true).front(), 4u);
  }
}

// Heads of 64 elements, in tiles of 64: only the rows can hang over.
TEST(Copy, ChecksNoEdgeThatATileCannotHangOver) {
  Builder k("test", 32);
  const Tensor src = k.input("src", ScalarType::f32, {{"d", 64}, {"row", "rows"}});
  const Tensor dst = k.output("dst", ScalarType::f32, {{"d", 64}, {"row", "rows"}});
  const TiledCopy copy = make_tiled_copy(make_layout({8, 4}), make_layout({2, 1}));
  const auto mine = [&](const Tensor& tensor) {
    return partition(tile(tensor, {64, 8}, {0, k.block_x()}), copy, k.thread());
  };
  k.grid(0, "rows", 8);
  k.copy(mine(src), mine(dst));
  const std::string text = glsl::print(k.finish());
  EXPECT_THAT(text, HasSubstr("_row < rows"));
  EXPECT_THAT(text, Not(HasSubstr("_d < 64u"))) << text;
}

TEST(Copy, NamesAndChecksOnceWhatBothSidesHave) {
  Builder k("test", 32);
  const Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
  const Tensor dst = k.output("dst", ScalarType::f32, {{"row", "rows"}, {"col", "cols"}});
  const View from = tile(src, {8, 8}, {k.block_x(), k.block_y()});
  const View to = transpose(tile(dst, {8, 8}, {k.block_y(), k.block_x()}));
  const auto mine = [&](const View& view) {
    return parallelize(view, make_layout({8, 4}), k.thread());
  };
  k.copy(mine(from), mine(to));
  const std::string text = glsl::print(k.finish());
  EXPECT_THAT(text, HasSubstr("if (src_col < cols) {")) << text;
  EXPECT_THAT(text, HasSubstr("if (src_row < rows) {")) << text;
  EXPECT_THAT(text, HasSubstr("dst[src_row + rows * src_col] = src[src_col + cols * src_row];"))
      << text;
}

// 8 elements of 32 threads each: f32 in, f16 out, by vectors of 4 or loads first.
TEST(Copy, ConvertsOnTheWay) {
  for (const bool loads_first : {false, true}) {
    Builder k("test", 32);
    const Tensor src = k.input("src", ScalarType::f32, {{"at", 256}});
    const Tensor dst = k.output("dst", ScalarType::f16, {{"at", 256}});
    const TiledCopy copy = make_tiled_copy(make_layout({32}), make_layout({8}));
    k.copy(partition(tile(src, {256}, {0}), copy, k.thread()),
           partition(tile(dst, {256}, {0}), copy, k.thread()),
           {.edges = Edges::inside,
            .vector = {loads_first ? 1u : 4u},
            .vectors_fit = true,
            .loads_first = loads_first});
    const ir::Kernel kernel = k.finish();
    EXPECT_EQ(widths(kernel, true).front(), 4u);
    EXPECT_EQ(widths(kernel, false).front(), loads_first ? 8u : 4u);
    std::vector<float> in(256, 1.5f);
    std::vector<std::uint16_t> out(256);
    test::run_on_twin(kernel, {}, in, out);
    EXPECT_EQ(out, std::vector<std::uint16_t>(256, 0x3e00));
  }
}

// A single value has as many modes as the author needs.
TEST(Copy, TakesSingleValuesOfAnyShape) {
  Builder k("test", 1);
  const Tensor dst = k.output("dst", ScalarType::f32, {{"col", 1}, {"row", 1}});
  const View one = k.registers("one", ScalarType::f32, Layout());
  k.assign(one, 7);
  k.copy(one, tile(dst, {1, 1}, {0, 0}));
  std::vector<float> out(1);
  test::run_on_twin(k.finish(), {}, out);
  EXPECT_EQ(out[0], 7);
}

// Vectors outside are vectors of zeros.
TEST(Copy, LoadsVectorsOfZerosOutside) {
  for (const std::uint32_t cols : {96u, 100u}) {
    Builder k("test", 32);
    const Tensor src = k.input("src", ScalarType::f32, {{"col", cols}});
    const Tensor dst = k.output("dst", ScalarType::f32, {{"col", 128}});
    const TiledCopy copy = make_tiled_copy(make_layout({32}), make_layout({4}));
    k.copy(partition(tile(src, {128}, {0}), copy, k.thread()),
           partition(tile(dst, {128}, {0}), copy, k.thread()),
           {.edges = Edges::zero, .loads_first = true});
    const ir::Kernel kernel = k.finish();
    EXPECT_EQ(widths(kernel, true).front(), 4u);
    std::vector<float> in(cols, 3), out(128, 9);
    test::run_on_twin(kernel, {}, in, out);
    EXPECT_EQ(std::count(out.begin(), out.end(), 3.0f), cols);
    EXPECT_EQ(std::count(out.begin(), out.end(), 0.0f), 128 - cols);
  }
}

// A thread's row of 8 values, in shared memory (2,4): leaves are cut alike before they are walked.
TEST(Copy, WalksThroughShapesThatAreNestedOtherwise) {
  Builder k("test", 8);
  const Tensor src = k.input("src", ScalarType::f32, {{"col", 8}, {"row", 8}});
  const Tensor dst = k.output("dst", ScalarType::f32, {{"col", 8}, {"row", 8}});
  const View smem = k.shared("tile", ScalarType::f32, "(8,(2,4)):(1,(32,8))"_layout);
  const TiledCopy rows = make_tiled_copy(make_layout({8, 1}), make_layout({1, 8}));
  const View nested = partition(smem, rows, k.thread());
  const View flat = partition(tile(src, {8, 8}, {0, 0}), rows, k.thread());
  EXPECT_FALSE(nested.shape() == flat.shape());
  k.copy(flat, nested);
  k.copy(nested, partition(tile(dst, {8, 8}, {0, 0}), rows, k.thread()));
  const ir::Kernel kernel = k.finish();
  std::vector<float> a(64), b(64);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  test::run_on_twin(kernel, {}, a, b);
  EXPECT_EQ(a, b);
}

struct TwoTiles {
  Builder k{"test", 256};
  Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
  Tensor dst = k.output("dst", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
  View from = tile(src, {32, 32}, {k.block_x(), k.block_y()});
  View to = tile(dst, {32, 32}, {k.block_x(), k.block_y()});
  View mine = parallelize(from, make_layout({32, 8}), k.thread());
  View theirs = parallelize(to, make_layout({32, 8}), k.thread());

  auto copying(const View& a, const View& b, CopyOptions options) {
    return [this, &a, &b, options] { k.copy(a, b, options); };
  }
};

TEST(Copy, RefusesWhatItCannotMeanWithBothNamesAndTheNumbers) {
  TwoTiles s;
  const auto refused = [](const std::string& why) {
    return ThrowsMessage<LayoutError>(AllOf(HasSubstr("copy of "), HasSubstr(why)));
  };
  const CopyOptions first{.edges = Edges::inside, .loads_first = true};
  EXPECT_THAT(s.copying(s.mine, s.to, first), refused("differ"));
  EXPECT_THAT(s.copying(s.from, s.to, first),
              refused("1024 values for each thread, but at most 256"));
  EXPECT_THAT(s.copying(s.mine, s.theirs, {.vector = {4}}), refused("vectors of 4"));
  EXPECT_THAT(s.copying(s.from, s.to, {.edges = Edges::clamp, .vector = {4}}),
              refused("vectors cannot be clamped"));
}

// Elements outside are read at the last one: the loop has no round if there is none.
TEST(Copy, ReadsTilesThatALoopCountsWithZerosOutside) {
  Builder k("tiles", 64);
  const Tensor src = k.input("src", ScalarType::f32, {{"i", "n"}});
  const Tensor dst = k.output("dst", ScalarType::f32, {{"i", "n"}});
  const auto mine = [&](const Tensor& tensor, const Expr& number) {
    return parallelize(tile(tensor, {256}, {number}), Layout(64), k.thread());
  };
  const View values = k.registers("values", ScalarType::f32, Layout(4));
  k.loop("number", ceil_div(src.extent(0), 256), [&](const Expr& number) {
    k.copy(mine(src, number), values, {.edges = Edges::zero, .loads_first = true});
    k.copy(values, mine(dst, number));
  });
  EXPECT_NO_THROW(k.finish());
}

TEST(Copy, IsRefusedWhereNobodyAskedForTheEdges) {
  for (const bool loads_first : {false, true}) {
    TwoTiles s;
    s.k.copy(s.mine, s.theirs, {.edges = Edges::inside, .loads_first = loads_first});
    EXPECT_REFUSED(s.k.finish(), KernelError, "not proved to be below");
  }
}

// The transpose of MoYe.jl's tutorial with a swizzle in place of its padding.
TEST(Copy, PutsElementsWhereTheSwizzleOfASharedArraySays) {
  for (const bool loads_first : {false, true}) {
    Builder k("test", 256);
    const Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
    const Tensor dst = k.output("dst", ScalarType::f32, {{"row", "rows"}, {"col", "cols"}});
    const View smem =
        k.shared("tile", ScalarType::f32, composition(Swizzle(5, 0, 5), make_layout({32, 32})));
    const View from = tile(src, {32, 32}, {k.block_x(), k.block_y()});
    const View to = tile(dst, {32, 32}, {k.block_y(), k.block_x()});
    const Layout threads = make_layout({32, 8});
    const CopyOptions options{.edges = Edges::clamp, .loads_first = loads_first};
    k.copy(parallelize(from, threads, k.thread()), parallelize(smem, threads, k.thread()), options);
    k.barrier();
    k.copy(parallelize(transpose(smem), threads, k.thread()), parallelize(to, threads, k.thread()),
           options);
    const ir::Kernel kernel = k.finish();
    EXPECT_EQ(kernel.shared_bytes(), 4096u);
    const std::int64_t rows = 33, cols = 40;
    std::vector<float> a(static_cast<std::size_t>(rows * cols)), b(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
    test::run_on_twin(kernel, {{"cols", cols}, {"rows", rows}}, a, b);
    for (std::size_t i = 0; i < b.size(); ++i) {
      EXPECT_EQ(b[i], a[i % rows * cols + i / rows]);
    }
  }
}

}  // namespace
}  // namespace vkmoye::gen
