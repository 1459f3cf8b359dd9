// The operations by examples that can be checked by hand; the properties are in property_test.cpp.
#include "vkmoye/layout/algebra.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vkmoye/base/error.hpp"

namespace vkmoye {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

static_assert(coalesce("(2,(1,6)):(1,(6,2))"_layout) == "12:1"_layout);
static_assert(coalesce("(4,3,4):(12,1,3)"_layout) == "(4,12):(12,1)"_layout);
static_assert(coalesce("(1,1):(5,6)"_layout) == "1:0"_layout);
static_assert(coalesce("(2,(1,6)):(1,(6,2))"_layout, {1, 1}) == "(2,6):(1,2)"_layout);
static_assert(filter("(3,(2,3),(6,1)):(0,(0,1),(3,18))"_layout) == "18:1"_layout);

static_assert(composition("20:2"_layout, "(5,4):(4,1)"_layout) == "(5,4):(8,2)"_layout);
static_assert(composition("(10,2):(16,4)"_layout, "(5,4):(1,5)"_layout) ==
              "(5,(2,2)):(16,(80,4))"_layout);
static_assert(composition("(6,2):(8,2)"_layout, "(4,3):(3,1)"_layout) ==
              "((2,2),3):((24,2),8)"_layout);
static_assert(composition("(12,(4,8)):(59,(13,1))"_layout, {"3:4"_layout, "8:2"_layout}) ==
              "(3,(2,4)):(236,(26,1))"_layout);
static_assert(composition("(12,(4,8)):(59,(13,1))"_layout, {3, 8}) ==
              "(3,(4,2)):(59,(13,1))"_layout);
static_assert(composition("(8,4):(1,9)"_layout, {_, 2}) == "(8,2):(1,9)"_layout);
// The stride divides not the extent, yet all elements stay inside the mode.
static_assert(composition("(10,2):(1,16)"_layout, "2:7"_layout) == "2:7"_layout);

static_assert(complement("4:2"_layout, 24) == "(2,3):(1,8)"_layout);
static_assert(complement("(2,2):(1,6)"_layout, 24) == "(3,2):(2,12)"_layout);
static_assert(complement("(8,8):(0,0)"_layout, 4) == "4:1"_layout);
static_assert(complement("(4,6):(1,4)"_layout, 24) == "1:0"_layout);

static_assert(logical_divide("16:3"_layout, "4:2"_layout) == "(4,(2,2)):(6,(3,24))"_layout);
static_assert(logical_divide("(4,2,3):(2,1,8)"_layout, "4:2"_layout) ==
              "((2,2),(2,3)):((4,1),(2,8))"_layout);
static_assert(zipped_divide("(9,(4,8)):(59,(13,1))"_layout,
                            {"3:3"_layout, "(2,4):(1,8)"_layout}) ==
              "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"_layout);
static_assert(zipped_divide("(3,8,3):(1,3,24)"_layout, {"1:3"_layout}) ==
              "((1),(3,8,3)):((3),(1,3,24))"_layout);
static_assert(tiled_divide("(8,6):(1,8)"_layout, {4, 3}) == "((4,3),2,2):((1,8),4,24)"_layout);
static_assert(flat_divide("(8,6):(1,8)"_layout, {4, 3}) == "(4,3,2,2):(1,8,4,24)"_layout);
static_assert(zipped_divide("((8,8),9):((1,8),64)"_layout, {{2, 2}, 3}) ==
              "(((2,2),3),((4,4),3)):(((1,8),64),((2,16),192))"_layout);
static_assert(ceil_div({100, 70}, {32, 32}) == IntTuple{4, 3});

static_assert(slice({_, {1, _}}, "(3,(4,5)):(1,(3,12))"_layout) == "(3,5):(1,12)"_layout);
static_assert(slice_and_offset({_, 7, _}, "((1,4),8,(8,1)):((8,64),8,(1,0))"_layout) ==
              OffsetLayout{"((1,4),(8,1)):((8,64),(1,0))"_layout, 56});
static_assert(slice({1, 2}, "(3,4):(1,3)"_layout) == "():()"_layout);
static_assert(dice({1, _}, "(4,(1,8,6)):(1,(4,4,32))"_layout) == "(4):(1)"_layout);

static_assert(transpose("(32,8):(1,33)"_layout) == "(8,32):(33,1)"_layout);
static_assert(select("(2,3,4):(12,4,1)"_layout, {2, 0}) == "(4,2):(1,12)"_layout);
static_assert(take("(2,3,4):(12,4,1)"_layout, 1, 3) == "(3,4):(4,1)"_layout);
static_assert(group("(2,3,4):(12,4,1)"_layout, 0, 2) == "((2,3),4):((12,4),1)"_layout);
static_assert(append("4:1"_layout, 2) == "(4,1):(1,0)"_layout);
static_assert(prepend("(4):(1)"_layout, 2) == "(1,4):(0,1)"_layout);
static_assert(replace("(2,3):(3,1)"_layout, 0, "(4,5):(1,4)"_layout) ==
              "((4,5),3):((1,4),1)"_layout);
static_assert(unflatten(flatten("((2,3),4):((1,2),6)"_layout), "((1,1),1)"_tuple) ==
              "((2,3),4):((1,2),6)"_layout);

static_assert(is_injective("(32,32):(1,33)"_layout));
static_assert(is_injective("(3,2):(2,3)"_layout), "0 2 4 3 5 7: interleaved, yet distinct");
static_assert(!is_injective("(2,3):(1,0)"_layout));

TEST(Injective, NamesTwoCoordinatesThatShareAnOffset) {
  const auto collision = find_collision("(32,32):(1,31)"_layout);
  ASSERT_TRUE(collision.has_value());
  EXPECT_EQ(to_string(collision->first), "(0,1)");
  EXPECT_EQ(to_string(collision->second), "(31,0)");
  EXPECT_EQ(collision->offset, 31);
}

TEST(Composition, RefusesWhatIsNoLayoutAndSaysWhere) {
  EXPECT_THAT([] { composition("(6,2):(8,2)"_layout, "4:4"_layout); },
              ThrowsMessage<LayoutError>(HasSubstr("mode 0 (extent 6)")));
  EXPECT_THAT([] { composition("(8,8):(1,9)"_layout, "12:1"_layout); },
              ThrowsMessage<LayoutError>(HasSubstr("the 12 elements left are no multiple")));
  EXPECT_THAT([] { composition("(10,3):(3,1)"_layout, "(2,2):(4,8)"_layout); },
              ThrowsMessage<LayoutError>(HasSubstr("A(B(3)) is 7 while the modes add up to 36")));
  EXPECT_THAT([] { composition("(4,4):(1,5)"_layout, {2, 2, 2}); },
              ThrowsMessage<LayoutError>(HasSubstr("3 tilers for 2 modes")));
  EXPECT_THAT([] { zipped_divide("(8,8):(1,9)"_layout, 12); },
              ThrowsMessage<LayoutError>(HasSubstr("zipped_divide of (8,8):(1,9) and 12:1")));
}

TEST(Complement, RefusesModesThatRunThroughEachOther) {
  EXPECT_THAT([] { complement("(32,32):(1,31)"_layout, 2048); },
              ThrowsMessage<LayoutError>(HasSubstr("stride 31 is below 32 * 1")));
}

}  // namespace
}  // namespace vkmoye
