// SPDX-License-Identifier: MIT
// What shaders say above copies and branches.

#include "vkmoye/gen/dsl/titles.hpp"

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"

namespace vkmoye::gen {
namespace {

TEST(Titles, APlaceIsTheFirstElementOfTheTile) {
  Builder k("test", 32);
  const Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
  const Expr part = ir::variable("part");
  const auto place = [&](const Expr& x, const Expr& y) {
    return place_text(tile(src, {32, 1}, {x, y}));
  };
  EXPECT_EQ(place(k.block_x(), 7), " at (32 block_x, 7)");
  EXPECT_EQ(place(16 * part + k.block_y(), part + 1), " at (32 (16 part + block_y), part + 1)");
  EXPECT_EQ(place(minimum(part + 1, k.block_x() - 1), maximum(part, 3)),
            " at (32 min(part + 1, block_x - 1), max(part, 3))");
  EXPECT_EQ(place(part / 3, 0), "");
  EXPECT_EQ(place_text(take(tile(src, {32, 1}, {part, 0}), 4 * part, 4)), "");
  const View mine =
      parallelize(transpose(tile(src, {32, 1}, {0, part})), make_layout({1, 32}), k.thread());
  EXPECT_EQ(place_text(mine), " at (0, part)");
  EXPECT_EQ(place_text(k.shared("tile", ScalarType::f32, make_layout({32, 32}))), "");
}

TEST(Titles, ABranchOfOneOperationKeepsTheTitleOfThatOperation) {
  Builder k("test", 32);
  const Tensor dst = k.output("dst", ScalarType::f32, {{"col", "cols"}});
  const View own = k.registers("own", ScalarType::f32, make_layout({1}));
  const View to = parallelize(tile(dst, {32}, {k.block_x()}), make_layout({32}), k.thread());
  k.assign(own, 1);
  k.branch(
      k.inside(tile(dst, {32}, {k.block_x()})), "whole",
      [&] { k.copy(own, to, {.edges = Edges::inside}); }, "partial",
      [&] {
        k.assign(own, 2);
        k.copy(own, to);
      });
  const std::string text = glsl::print(k.finish());
  EXPECT_THAT(text,
              HasSubstr("    // whole:\n    // copy own\n    //   to parallelize(tile(dst, (32)), "
                        "(32):(1)) at (32 block_x)\n"));
  EXPECT_THAT(text, HasSubstr("  } else {\n    // partial\n    own = 2.0;\n"));
  EXPECT_THAT(text, Not(HasSubstr("{\n    {")));
}

TEST(Titles, SelectOfTheOnlyModeSaysWhatToUseInstead) {
  Builder k("test", 32);
  const View row = k.shared("row", ScalarType::f32, make_layout({32}));
  EXPECT_REFUSED(select(row, 0, k.thread()), LayoutError,
                 "select(row, 0): the shape (32) has only this mode; use tile(row, {1}, ..)");
}

}  // namespace
}  // namespace vkmoye::gen
