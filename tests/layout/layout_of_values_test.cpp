// SPDX-License-Identifier: MIT
#include "vkmoye/layout/layout_of_values.hpp"

#include <vector>

#include "layout/property.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye {
namespace {

std::string found(const std::vector<std::int64_t>& values) {
  const auto layout = layout_of_values(static_cast<std::int64_t>(values.size()),
                                       [&](std::int64_t i) { return values[std::size_t(i)]; });
  return layout ? to_string(*layout) : "none";
}

TEST(LayoutOfValues, IsTheLayoutThatTakesThem) {
  EXPECT_EQ(found({0, 32, 64, 96, 4, 36, 68, 100}), "(4,2):(32,4)");
  EXPECT_EQ(found({0, 1, 8, 9, 2, 3, 10, 11}), "(2,2,2):(1,8,2)");
  EXPECT_EQ(found({0, 0, 0, 5, 5, 5}), "(3,2):(0,5)");
  EXPECT_EQ(found({0}), "1:1");
}

TEST(LayoutOfValues, IsNothingWhereThereIsNone) {
  EXPECT_EQ(found({0, 1, 2, 4}), "none");  // a mode of 3 does not divide 4
  EXPECT_EQ(found({0, 1, 3, 2}), "none");  // the second mode does not repeat the first
  EXPECT_EQ(found({1, 2, 3, 4}), "none");  // a layout begins at 0
  EXPECT_EQ(found({0, -1, -2, -3}), "none");
}

PROPERTY(LayoutOfValues, finds_every_layout, [] {
  const Layout layout = *random_layout::any();
  const auto again = layout_of_values(layout.size(), [&](std::int64_t i) { return layout(i); });
  RC_ASSERT(again.has_value());
  same_function(*again, layout);
})

}  // namespace
}  // namespace vkmoye
