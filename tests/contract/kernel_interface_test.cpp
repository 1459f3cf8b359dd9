// SPDX-License-Identifier: MIT
#include "vkmoye/contract/kernel_interface.hpp"

#include <gmock/gmock.h>

namespace vkmoye {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

}  // namespace
}  // namespace vkmoye
