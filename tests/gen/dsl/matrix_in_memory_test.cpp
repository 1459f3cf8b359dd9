// SPDX-License-Identifier: MIT
// What is asked of the layouts of a view: widths, owners, rings, bounds, matrices.

#include "vkmoye/gen/dsl/matrix_in_memory.hpp"

#include <map>

#include "support/expect.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

TEST(Questions, AViewIsAMatrixWithOneLeadingStrideOrSaysWhichModePreventsIt) {
  Builder k("test", 32);
  const auto shared = [&](const char* name, const char* layout) {
    return k.shared(name, ScalarType::f16, parse_layout(layout));
  };
  const ir::Array array{
      "any", ScalarType::f16, ir::Array::Space::shared, Access::read_write, {{"at", 65536, 1}}, ""};
  const auto answer = [&](const View& view) { return as_matrix({view, &array}); };

  const View tiles = shared("tiles", "(64,32):(1,72)");
  const View part = tile(tiles, {16, 16}, {k.thread() / 8, 1});
  ASSERT_TRUE(answer(part).matrix) << answer(part).reason;
  EXPECT_TRUE(ir::is_constant(answer(part).matrix->rows, 1));
  EXPECT_TRUE(ir::is_constant(answer(part).matrix->columns, 72));
  EXPECT_TRUE(answer(part).matrix->needs.empty());
  EXPECT_TRUE(ir::is_constant(answer(transpose(part)).matrix->rows, 72));

  EXPECT_THAT(answer(tile(shared("odd", "(64,32):(1,66)"), {16, 16}, {0, 0})).reason,
              HasSubstr("leading stride 66 is not a multiple of 8"));
  EXPECT_THAT(answer(tile(tiles, {4, 16}, {k.thread() / 2, 0})).reason, "");  // rows of 8 bytes
  EXPECT_THAT(answer(select(shared("words", "(64,(2,16),1):(2,(1,130),0)"), 2, 0)).reason,
              HasSubstr("mode 1, (2,16):(1,130), has no single stride"));
  EXPECT_THAT(answer(shared("gaps", "(64,32):(2,128)")).reason, HasSubstr("no mode is contiguous"));
  EXPECT_THAT(answer(shared("line", "64:1")).reason, HasSubstr("not 2"));
  const View swizzled =
      k.shared("swizzled", ScalarType::f16, composition(Swizzle(3, 3, 3), make_layout({64, 32})));
  EXPECT_THAT(answer(swizzled).reason, HasSubstr("because of the swizzle"));
}

TEST(Questions, AMatrixInABufferAsksForItsLeadingStride) {
  Builder k("test", 32);
  const Tensor a = k.input("a", ScalarType::f16, {{"k", "k"}, {"m", "m", "lda"}});
  const View part = tile(a, {16, 16}, {k.block_x(), k.block_y()});
  const MatrixOrReason answer = as_matrix({part, &a.array});
  ASSERT_TRUE(answer.matrix) << answer.reason;
  EXPECT_TRUE(ir::same(answer.matrix->columns, ir::variable("lda")));
  ASSERT_EQ(answer.matrix->needs.size(), 1u);
  EXPECT_TRUE(ir::same(answer.matrix->needs[0], equal(ir::variable("lda") % 8, 0)));
  const View shifted =
      tile(tile(a, {64, 16}, {k.block_x(), k.block_y()}), {4, 16}, {k.thread() % 16, 0});
  EXPECT_EQ(as_matrix({shifted, &a.array}).reason, "");  // 4 elements side by side: 8 bytes
}

TEST(Questions, AMatrixOfABatchAsksForTheStepToTheNext) {
  Builder k("test", 32);
  const Tensor c = k.output("c", ScalarType::f32,
                            {{"n", "n"}, {"m", "m", "ldc"}, {"batch", "batch", "stride_c"}});
  const View part =
      tile(slice(tile(c, {32, 32, 1}, {k.block_x(), k.block_y(), k.block_z()}), {_, _, 0}),
           {16, 16}, {1, 1});
  const MatrixOrReason answer = as_matrix({part, &c.array});
  ASSERT_TRUE(answer.matrix) << answer.reason;
  ASSERT_EQ(answer.matrix->needs.size(), 2u);
  EXPECT_TRUE(ir::same(answer.matrix->needs[0], equal(ir::variable("ldc") % 4, 0)));
  EXPECT_TRUE(ir::same(answer.matrix->needs[1], equal(ir::variable("stride_c") % 4, 0)));
}

TEST(Questions, WidthsAreThoseOfTheLayouts) {
  Builder k("test", 256);
  const Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
  const View padded = k.shared("padded", ScalarType::f32, "(128,32):(1,129)"_layout);
  const TiledCopy copy = make_tiled_copy(make_layout({32, 8}), make_layout({4, 1}));
  const auto width = [&](const View& view, const ir::Array& array) {
    return width_of({partition(view, copy, k.thread()), &array});
  };
  const ir::Array shared{
      "any", ScalarType::f32, ir::Array::Space::shared, Access::read_write, {{"at", 65536, 1}}, ""};
  EXPECT_EQ(width(tile(src, {128, 32}, {k.block_x(), k.block_y()}), src.array).elements, 4);
  EXPECT_EQ(width(transpose(tile(src, {32, 128}, {k.block_x(), k.block_y()})), src.array).limit,
            AccessWidth::Limit::run);
  EXPECT_EQ(width(padded, shared).elements, 1);
  EXPECT_EQ(width(padded, shared).limit, AccessWidth::Limit::start);
  EXPECT_EQ(width(padded, shared).number, 1);  // the origin, 4 * (thread % 32) + 129 * ..
  const View swizzled =
      k.shared("swizzled", ScalarType::f32, composition(Swizzle(3, 1, 6), make_layout({128, 32})));
  EXPECT_EQ(width(swizzled, shared).elements, 2);
  EXPECT_EQ(width(swizzled, shared).limit, AccessWidth::Limit::swizzle);
}

TEST(Questions, WhyNotWiderIsSaidInTheNumbersOfTheLayout) {
  Builder k("test", 256);
  const Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
  const View whole = tile(src, {128, 32}, {k.block_x(), k.block_y()});
  const auto shared = [](const char* layout) {
    return ir::Array{
        "any", ScalarType::f32, ir::Array::Space::shared, Access::read_write, {{"at", 65536, 1}},
        layout};
  };
  const auto stored = [&](const char* name, const ComposedLayout& layout) {
    return k.shared(name, ScalarType::f32, layout);
  };
  const auto why = [](const View& view, const ir::Array& array, std::uint32_t width) {
    return why_not_wider({view, &array}, width);
  };
  const Layout rows = make_layout({32, 8});
  const TiledCopy vectors = make_tiled_copy(rows, make_layout({4, 1}));
  EXPECT_EQ(why(partition(whole, vectors, k.thread()), src.array, 4), "16 bytes are the most");
  EXPECT_EQ(why(partition(whole, vectors, k.thread()), src.array, 1), "");  // it could be
  EXPECT_EQ(why(parallelize(tile(whole, {32, 32}, {0, 0}), rows, k.thread()), src.array, 1),
            "consecutive values are 8 apart along row, of stride cols");
  const View tile32 = stored("tile32", {{}, 0, make_layout({32, 32})});
  EXPECT_EQ(why(parallelize(transpose(tile32), rows, k.thread()), shared("(32,32):(1,32)"), 1),
            "consecutive values are 8 elements apart in (32,32):(1,32)");
  EXPECT_EQ(
      why(partition(stored("padded", {{}, 0, "(128,32):(1,129)"_layout}), vectors, k.thread()),
          shared("(128,32):(1,129)"), 1),
      "threads begin at multiples of 1, not of 2");
  EXPECT_EQ(why(partition(stored("pairs", composition(Swizzle(3, 1, 6), make_layout({128, 32}))),
                          vectors, k.thread()),
                shared("(128,32):(1,128)"), 2),
            "the swizzle leaves 2 neighbours together");
}

TEST(Questions, BoundsAreAskedOfTheFirstAndOfTheLastElement) {
  Builder k("test", 32);
  const Tensor src = k.input("src", ScalarType::f32, {{"col", 96}, {"row", "rows"}});
  const Expr row = Expr(8) * k.block_y();
  const View part = tile(src, {32, 8}, {ir::variable("c", ir::kIndex, 3), k.block_y()});
  const Expr rows = ir::variable("rows");
  ASSERT_EQ(k.inside(part).size(), 1u);  // 3 tiles of 32 columns are inside by themselves
  EXPECT_TRUE(ir::same(k.inside(part)[0], less(row + 7, rows)));
  ASSERT_EQ(k.begins_inside(part).size(), 1u);
  EXPECT_TRUE(ir::same(k.begins_inside(part)[0], less(row, rows)));
  EXPECT_EQ(all_of({k.inside(part), k.begins_inside(part), k.inside(part)}).size(), 2u);
}

}  // namespace
}  // namespace vkmoye::gen
