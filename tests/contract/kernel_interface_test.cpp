// SPDX-License-Identifier: MIT
#include "vkmoye/contract/kernel_interface.hpp"

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye {
namespace {

TEST(KernelInterface, OnlyTheThreeNamesAreFirstGroups) {
  for (const char* name : kFirstGroup) EXPECT_TRUE(is_first_group(name)) << name;
  for (const char* name : {"first_group", "first_group_size", "first_group_xy", "first_groups",
                           "my_first_group_x", ""}) {
    EXPECT_FALSE(is_first_group(name)) << name;
    EXPECT_FALSE(is_set_by_runtime({name, ScalarType::u32})) << name;
  }
  EXPECT_TRUE(is_set_by_runtime({kFirstGroup[2], ScalarType::u32}));
  EXPECT_TRUE(is_set_by_runtime({address_name("a"), ScalarType::u64}));
}

TEST(KernelInterface, AnExtentKnowsItsArgumentsAndItsWhole) {
  EXPECT_THAT(Extent(7).arguments(), IsEmpty());
  EXPECT_THAT(Extent("n").arguments(), ElementsAre("n"));
  EXPECT_THAT(Extent("n", "m").arguments(), ElementsAre("n", "m"));
  const Extent parts = Extent::parts(Extent("n", "m"), 16);
  EXPECT_THAT(parts.arguments(), ElementsAre("n", "m"));
  EXPECT_EQ(parts.whole(), Extent("n", "m"));
  EXPECT_EQ(Extent(7).whole(), Extent(7));
}

TEST(KernelInterface, AnExtentMayBeTheProductOfTwoArguments) {
  KernelInterface kernel;
  kernel.bindings = {{"src", ScalarType::u8, Access::read, {Extent("cols", "rows")}}};
  kernel.grid[0] = {Extent("cols", "rows"), 100};
  EXPECT_EQ(to_string(kernel.bindings[0].extents[0]), "cols*rows");
  const Arguments arguments = {{"cols", 30}, {"rows", 7}};
  EXPECT_EQ(element_count(kernel.bindings[0], arguments), 210u);
  EXPECT_EQ(group_count(kernel, arguments)[0], 3u);
  kernel.grid[0].max_groups = 2;
  EXPECT_EQ(group_count(kernel, arguments)[0], 2u);
  kernel.grid[0].max_groups = 8;
  EXPECT_EQ(group_count(kernel, arguments)[0], 3u);
  EXPECT_REFUSED(group_count(kernel, {{"cols", 65536}, {"rows", 65536}}), ArgumentError,
                 "65536 x 65536 exceeds the 2^32-1");
  EXPECT_REFUSED(group_count(kernel, {{"cols", 30}}), ArgumentError, "'rows' is missing");
}

TEST(KernelInterface, CountsWhatStridesSpan) {
  Binding binding{"a", ScalarType::f32, Access::read, {"k", "m", "batch"}, {1, "lda", "stride"}};
  const auto count = [&](std::int64_t lda, std::int64_t stride) {
    return element_count(binding,
                         {{"k", 5}, {"m", 4}, {"batch", 3}, {"lda", lda}, {"stride", stride}});
  };
  EXPECT_EQ(count(5, 20), 60u);
  EXPECT_EQ(count(8, 0), 4u + 3 * 8 + 1);
  EXPECT_REFUSED(count(std::int64_t{1} << 31, 0), ArgumentError,
                 "a: 1 + 4 x 1 + 3 x 2147483648 + 2 x 0 elements exceed the 2^32");
  EXPECT_REFUSED(count(-1, 0), ArgumentError, "lda = -1 is outside 0..4294967295");
}

}  // namespace
}  // namespace vkmoye
