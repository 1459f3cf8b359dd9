// SPDX-License-Identifier: MIT
// Examples of the operations that can be checked by hand; *_property_test.cpp test the properties.
#include "vkmoye/layout/algebra.hpp"

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye {
namespace {

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
// The stride does not divide the extent, but all elements stay inside the mode.
static_assert(composition("(10,2):(1,16)"_layout, "2:7"_layout) == "2:7"_layout);

static_assert(complement("4:2"_layout, 24) == "(2,3):(1,8)"_layout);
static_assert(complement("(2,2):(1,6)"_layout, 24) == "(3,2):(2,12)"_layout);
static_assert(complement("(8,8):(0,0)"_layout, 4) == "4:1"_layout);
static_assert(complement("(4,6):(1,4)"_layout, 24) == "1:0"_layout);

static_assert(logical_divide("16:3"_layout, "4:2"_layout) == "(4,(2,2)):(6,(3,24))"_layout);
static_assert(logical_divide("(4,2,3):(2,1,8)"_layout, "4:2"_layout) ==
              "((2,2),(2,3)):((4,1),(2,8))"_layout);
static_assert(zipped_divide("(9,(4,8)):(59,(13,1))"_layout, {"3:3"_layout, "(2,4):(1,8)"_layout}) ==
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
static_assert(wrap("4:3"_layout) == "(4):(3)"_layout && wrap("(4):(3)"_layout).depth() == 1);
static_assert(append("4:1"_layout, 2) == "(4,1):(1,0)"_layout);
static_assert(prepend("(4):(1)"_layout, 2) == "(1,4):(0,1)"_layout);
static_assert(replace("(2,3):(3,1)"_layout, 0, "(4,5):(1,4)"_layout) ==
              "((4,5),3):((1,4),1)"_layout);
static_assert(unflatten(flatten("((2,3),4):((1,2),6)"_layout), "((1,1),1)"_tuple) ==
              "((2,3),4):((1,2),6)"_layout);

static_assert(is_injective("(32,32):(1,33)"_layout));
static_assert(is_injective("(3,2):(2,3)"_layout), "0 2 4 3 5 7: interleaved, yet distinct");
static_assert(!is_injective("(2,3):(1,0)"_layout));

static_assert(right_inverse("(2,4):(0,1)"_layout) == "4:2"_layout);
static_assert(is_compact("(4,3):(3,1)"_layout) && !is_compact("4:2"_layout));
static_assert(left_inverse("(4,4):(1,5)"_layout) == "(5,4):(1,4)"_layout);
static_assert(left_inverse("(6,6):(12,2)"_layout) == "(2,6,6):(36,6,1)"_layout);
static_assert(nullspace("(2,4):(1,0)"_layout) == "4:2"_layout);
static_assert(raked_product("(2,2):(1,2)"_layout, "(3,4):(4,1)"_layout) ==
              "((3,2),(4,2)):((16,1),(4,2))"_layout);
static_assert(blocked_product("(2,2):(1,2)"_layout, "(3,4):(4,1)"_layout) ==
              "((2,3),(2,4)):((1,16),(2,4))"_layout);
static_assert(tile_to_shape("(2,2):(2,1)"_layout, {4, 6}) == "(4,(2,3)):(2,(1,8))"_layout);
// One mode without a tuple around it, gaps inside the block: the copies fill them first.
static_assert(blocked_product("4:3"_layout, "9:1"_layout) == "((4,(3,3))):((3,(1,12)))"_layout);
static_assert(raked_product("4:4"_layout, "32:1"_layout) == "(((4,8),4)):(((1,16),4))"_layout);
static_assert(tile_to_shape("2:2"_layout, 8) == "((2,2,2)):((2,1,4))"_layout);
// Gaps that the lower modes do not divide cannot hold a copy: the second one follows the first.
static_assert(logical_product("(2,2,2):(1,3,9)"_layout, "2:1"_layout) ==
              "((2,2,2),2):((1,3,9),18)"_layout);
static_assert(make_ordered_layout({2, 3, 4}, {2, 0, 1}) == "(2,3,4):(12,1,3)"_layout);
static_assert(make_layout_like("(8,4):(100,7)"_layout) == "(8,4):(4,1)"_layout);
static_assert(make_fragment_like("(2,8,4):(64,1,8)"_layout) == "(2,8,4):(1,2,16)"_layout);
static_assert(domain_distribute({6, 4}, 8) == "(2,4):(1,6)"_layout);
static_assert(upcast("(8,6):(1,8)"_layout, 2) == "(4,6):(1,4)"_layout &&
              downcast("(4,6):(1,4)"_layout, 2) == "(8,6):(1,8)"_layout);
static_assert(recast("(8,6):(1,8)"_layout, 16, 32) == "(4,6):(1,4)"_layout);
static_assert(max_common_vector("(4,(2,4)):(1,(8,16))"_layout, "(4,(2,4)):(1,(4,8))"_layout) == 4);
static_assert(max_common_vector("():()"_layout, "8:1"_layout) == 1, "without leaves: 1:0");
static_assert(max_alignment("(8,6):(1,12)"_layout) == 4);
static_assert(Swizzle(4, 1, 7)(2791) == 2803 && Swizzle(2, 0, -5)(2) == 66);
static_assert(compatible({4, 3}, {{2, 2}, 3}) && evenly_divides({8, 6}, {4, 3}));
static_assert(max_common_layout("(4,(2,4)):(1,(8,16))"_layout, "(4,(2,4)):(1,(4,8))"_layout) ==
              "4:1"_layout);
static_assert(flat_product("(2,2):(1,2)"_layout, "(3,4):(4,1)"_layout) ==
              "(2,2,3,4):(1,2,16,4)"_layout);
static_assert(!compatible("(4,3)"_tuple, "((2,2),4)"_tuple));
static_assert(weakly_congruent("(4,3)"_tuple, "((2,2),4)"_tuple) && congruent({1, 2}, {3, 4}));
static_assert(elem_less({0, 4}, {1, 5}) && !elem_less({0, 9}, {1, 5}));

// Swizzles are involutions, and slices keep them.
constexpr Swizzle kSwizzle(2, 0, 3);
static_assert(kSwizzle(9) == 8 && kSwizzle(8) == 9 && kSwizzle(17) == 19);
constexpr ComposedLayout kSwizzled = composition(kSwizzle, "(8,8):(1,8)"_layout);
static_assert(slice({_, 3}, kSwizzled)(1) == kSwizzled({1, 3}));
static_assert(slice({_, 3}, kSwizzled).offset == 24);
static_assert(zipped_divide(kSwizzled, {4, 4})({5, 3}) == kSwizzled({1 + 4, 1 + 4}));
static_assert(kSwizzled.cosize() == 64);
static_assert(composition(Swizzle(2, 0, 3), Swizzle(2, 0, 3)) == Swizzle());
static_assert(composition(Swizzle(1, 0, 3), Swizzle(1, 1, 3)) == Swizzle(2, 0, 3));

TEST(Injective, NamesTwoCoordinatesThatShareAnOffset) {
  const auto collision = find_collision("(32,32):(1,31)"_layout);
  ASSERT_TRUE(collision.has_value());
  EXPECT_EQ(to_string(collision->first), "(0,1)");
  EXPECT_EQ(to_string(collision->second), "(31,0)");
  EXPECT_EQ(collision->offset, 31);
}

TEST(Composition, RefusesWhatIsNoLayoutAndSaysWhere) {
  EXPECT_REFUSED(
      composition("(6,2):(8,2)"_layout, "4:4"_layout), LayoutError,
      "4:4 has stride 4 in mode 0 of the left (coalesced): 4 does not divide the extent 6");
  EXPECT_REFUSED(composition("(8,8):(1,9)"_layout, "12:1"_layout), LayoutError,
                 "holds 8 elements at stride 1, which does not divide the 12 elements of 12:1");
  EXPECT_REFUSED(composition("(10,3):(3,1)"_layout, "(2,2):(4,8)"_layout), LayoutError,
                 "A(B(3)) is 7 while the modes add up to 36");
  EXPECT_REFUSED(composition("(4,4):(1,5)"_layout, {2, 2, 2}), LayoutError, "3 tilers for 2 modes");
  EXPECT_REFUSED(zipped_divide("(8,8):(1,9)"_layout, 12), LayoutError,
                 "zipped_divide of (8,8):(1,9) and 12: composition of ");
}

TEST(Complement, RefusesModesThatRunThroughEachOther) {
  EXPECT_REFUSED(complement("(32,32):(1,31)"_layout, 2048), LayoutError,
                 "stride 31 is below 32 * 1");
}

TEST(Operations, RefuseWhatHasNoRightAnswer) {
  EXPECT_REFUSED(left_inverse("(3,2):(2,3)"_layout), LayoutError,
                 "stride 3 lies inside the span 6");
  EXPECT_REFUSED(upcast("(4,4):(1,2)"_layout, 8), LayoutError, "overlap");
  EXPECT_REFUSED(upcast("(5,4):(1,5)"_layout, 4), LayoutError, "stride 5 and factor 4");
  EXPECT_REFUSED(tile_to_shape("(2,2):(2,1)"_layout, {4, 5}), LayoutError,
                 "extent 5 of mode 1 is not a multiple of");
  EXPECT_REFUSED(domain_distribute({6, 4}, 5), LayoutError, "the remaining factor 5");
  EXPECT_REFUSED(Swizzle(3, 0, 2), LayoutError, "|shift| >= bits");
  EXPECT_THROW(composition(Swizzle(1, 0, 3), Swizzle(1, 2, 3)), LayoutError);
  EXPECT_THROW(composition(Swizzle(1, 0, 3), Swizzle(1, 0, 4)), LayoutError);
  EXPECT_THROW(elem_less({1, 2}, 3), LayoutError);
  EXPECT_THROW(transpose("4:1"_layout), LayoutError);
  EXPECT_THROW(unflatten("(2,3):(1,2)"_layout, "((1,1),1)"_tuple), LayoutError);
}

}  // namespace
}  // namespace vkmoye
