// SPDX-License-Identifier: MIT
#include "vkmoye/layout/layout.hpp"

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye {
namespace {

constexpr Layout kNested = "((2,4),8):((1,16),2)"_layout;

static_assert(kNested == make_layout({{2, 4}, 8}, {{1, 16}, 2}));
static_assert(size(kNested) == 64 && cosize(kNested) == 64 && rank(kNested) == 2);
static_assert(depth(kNested) == 2 && depth("4:1"_layout) == 0 && depth("(4):(1)"_layout) == 1);
static_assert(kNested[0] == "(2,4):(1,16)"_layout && kNested[1] == "8:2"_layout);
static_assert(shape(kNested) == "((2,4),8)"_tuple && stride(kNested) == "((1,16),2)"_tuple);
static_assert("(4):(1)"_layout != "4:1"_layout);
static_assert(Layout() == "1:0"_layout);
static_assert(size("():()"_layout) == 1 && "():()"_layout(0) == 0);

static_assert(make_layout({32, 8}) == "(32,8):(1,32)"_layout);
static_assert(make_layout({{2, 4}, 8}) == "((2,4),8):((1,2),8)"_layout);
static_assert(make_layout({{2, 4}, 8}, Major::kRow) == "((2,4),8):((32,8),1)"_layout);
static_assert(make_layout("4:1"_layout, "(2,3):(4,8)"_layout) == "(4,(2,3)):(1,(4,8))"_layout);
static_assert(make_layout("4:1"_layout) == "(4):(1)"_layout);

// Three coordinates of the same element.
static_assert(kNested(27) == 23 && kNested(3, 3) == 23 && kNested(IntTuple{{1, 1}, 3}) == 23);
static_assert(kNested(8 * 3 + 3) == kNested(3, 3));
// Past the end, the index continues along the last leaf.
static_assert("(2,4):(1,2)"_layout(8) == 8 && "(2,4):(4,1)"_layout(9) == 8);

static_assert(crd2idx({1, 2}, {3, {2, 2}}, {2, {16, 8}}) == 10);
static_assert(crd2idx({1, 2}, {3, 4}) == 7);
static_assert(idx2crd(9, {3, 4}, {1, 3}) == IntTuple{0, 3});
static_assert(idx2crd(12, {3, 4}) == IntTuple{0, 0}, "the last mode is reduced too");
static_assert(idx2crd(17, {{5, 6}, {1}}) == "((2,3),(0))"_tuple);
static_assert(idx2crd(15, {2, {4, 2}}, {8, {2, 1}}) == "(1,(3,1))"_tuple);

TEST(Layout, PrintsAndReadsItsTextForm) {
  for (const char* text : {"(32,8):(1,32)", "((2,4),8):((1,16),2)", "4:2", "(4):(1)", "():()",
                           "(((2)),3):(((0)),9223372036854775)"}) {
    EXPECT_EQ(to_string(parse_layout(text)), text);
  }
  EXPECT_EQ(to_string(parse_layout(" ( 4 , 8 ) ")), "(4,8):(1,4)");
  EXPECT_EQ(to_string("(1,(_,2))"_tuple), "(1,(_,2))");
}

void expect_refusal(const char* text, const char* message) {
  EXPECT_REFUSED(parse_layout(text), LayoutError, message) << text;
}

TEST(Layout, RefusesTextAtTheColumn) {
  expect_refusal("(4,8):(1", "column 9: expected ',' or ')'");
  expect_refusal("(4,8):(1,2,3)", "column 7: this stride is not nested like its shape");
  expect_refusal("(4,8):(1,2)x", "column 12: expected the end");
  expect_refusal("", "column 1: expected a number");
  expect_refusal("(4,,8)", "column 4: expected a number");
  expect_refusal("99999999999999999999", "column 1: this number does not fit 64 bits");
  expect_refusal("(2,0):(1,2)", "extent below 1");
  expect_refusal("(2,-3):(1,2)", "extent below 1");
  expect_refusal("(2,_):(1,2)", "extent below 1");
  expect_refusal("(2,3):(1,-2)", "stride -2 is below 0");
  expect_refusal("(4294967296,4294967296):(1,0)", "does not fit 64 bits");
  expect_refusal("(4294967296,2):(4294967296,1)", "does not fit 64 bits");
  expect_refusal("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)",
                 "more than 32 leaves");
  expect_refusal(std::string(10000, '(').c_str(), "more than 64 leaves and tuples");
}

TEST(Layout, RefusesCoordinatesThatDoNotFit) {
  const Layout layout = "(3,4):(1,3)"_layout;
  EXPECT_THROW(layout(IntTuple{1, 2, 0}), LayoutError);
  EXPECT_THROW(layout(IntTuple{{1, 0}, 2}), LayoutError);
  EXPECT_THROW(layout(-1), LayoutError);
  EXPECT_THROW(layout(IntTuple{1, _}), LayoutError);
  EXPECT_THROW(crd2idx({1, 2}, 6, 1), LayoutError);
  EXPECT_THROW(idx2crd({1, 2}, 6), LayoutError);
  EXPECT_THROW(idx2crd(9, {3, 4}, {1, 3, 5}), LayoutError);
  EXPECT_THROW(idx2crd(1, {3, 4}, {1, 0}), LayoutError);
  EXPECT_THROW(make_layout({2, 3}, {1}), LayoutError);
  EXPECT_THROW(layout.mode(2), LayoutError);
}

}  // namespace
}  // namespace vkmoye
