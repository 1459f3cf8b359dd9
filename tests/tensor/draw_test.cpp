// SPDX-License-Identifier: MIT
#include "vkmoye/layout/draw.hpp"

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye {
namespace {

TEST(Draw, OffsetsAsText) {
  EXPECT_EQ(draw_text(offset_table("(4,4):(1,5)"_layout)),
            "(4,4):(1,5)\n"
            "    0  1  2  3\n"
            "0   0  5 10 15\n"
            "1   1  6 11 16\n"
            "2   2  7 12 17\n"
            "3   3  8 13 18\n");
  EXPECT_EQ(draw_text(offset_table("3:2"_layout)), "3:2\n   0 1 2\n0  0 2 4\n");
}

TEST(Draw, ThreadsAndValuesOfATiledCopy) {
  const TiledCopy copy = make_tiled_copy("(2,3):(3,1)"_layout, "(2,3):(1,2)"_layout);
  const Table table = thread_value_table(copy.layout_tv, copy.tiler);
  EXPECT_EQ(table.at(0, 0).text, "T0V0");
  EXPECT_EQ(table.at(3, 8).text, "T5V5");
  EXPECT_EQ(table.at(2, 4).colour, 4);
  EXPECT_THAT(draw_svg(table), HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(draw_svg(table), HasSubstr(">T5V5</text>"));
  EXPECT_THAT(draw_typst(table), HasSubstr("table.cell(fill: rgb("));
  EXPECT_THAT(draw_latex(table), HasSubstr("\\cellcolor[RGB]"));
  EXPECT_THROW(thread_value_table(copy.layout_tv, {4, 8}), LayoutError);
}

TEST(Draw, BanksOfARow) {
  const TileAccess row{"32:32"_layout};
  const auto table = [&](const char* storage) {
    return bank_table(ComposedLayout{{}, 0, parse_layout(storage)}, row, 4);
  };
  EXPECT_EQ(table("(32,32):(1,32)").rows, 32);
  EXPECT_EQ(table("(32,32):(1,33)").rows, 1);
  EXPECT_EQ(table("(32,32):(1,33)").at(0, 31).text, "31");
  EXPECT_EQ(table("(32,32):(1,33)").title,
            "(32,32):(1,33): 1-way, 1 phase of 32 lanes, columns are banks");
  const ComposedLayout swizzled{Swizzle(5, 0, 5), 0, "(32,32):(1,32)"_layout};
  EXPECT_EQ(bank_table(swizzled, row, 4).rows, 1);
  EXPECT_THAT(draw_svg(bank_table(swizzled, row, 4)), HasSubstr("Swizzle&lt;5,0,5&gt;"));
}

TEST(Draw, WideCellsNamesAndKeys) {
  Table table{"bits", 2, 3, std::vector<Cell>(6), {"0..1", "a"}, {"2", "1", "0"}, 1};
  table.at(0, 0) = {"wide cell", 0, 2};
  table.at(0, 2) = {"b"};
  table.at(1, 0) = {"what a is", 0, 3};
  EXPECT_EQ(draw_text(table),
            "bits\n"
            "         2    1    0\n"
            "0..1  wide cell    b\n"
            "\n"
            "   a       what a is\n");
  EXPECT_THAT(draw_svg(table), AllOf(HasSubstr("width=\"76\""), HasSubstr(">0..1</text>"),
                                     HasSubstr("y=\"88\" width=\"114\"")));
  EXPECT_THAT(draw_typst(table), HasSubstr("table.cell(colspan: 2, fill: rgb("));
  EXPECT_THAT(draw_latex(table), HasSubstr("0..1 & \\multicolumn{2}{c}{\\cellcolor"));
}

TEST(Draw, RefusesWhatNobodyCanLookAt) {
  EXPECT_THROW(offset_table("(4096,4096)"_layout), LayoutError);
  EXPECT_THROW(thread_value_table("(1099511627776,4):(0,1)"_layout, {2, 2}), LayoutError);
}

TEST(Draw, ShortensACellThatManyThreadsShare) {
  const Table table = thread_value_table("(1000,1):(0,0)"_layout, {1, 1});
  EXPECT_THAT(table.at(0, 0).text, AllOf(StartsWith("T0V0 T1V0 "), EndsWith("..")));
  EXPECT_LT(table.at(0, 0).text.size(), 40u);
}

}  // namespace
}  // namespace vkmoye
