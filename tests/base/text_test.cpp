#include "vkmoye/base/text.hpp"

#include <gtest/gtest.h>

namespace vkmoye {
namespace {

TEST(Text, JoinsWithSeparatorBetweenPartsOnly) {
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, IndentsNonEmptyLines) { EXPECT_EQ(indent("a\n\nb", 2), "  a\n\n  b\n"); }

TEST(Text, NumbersLinesFromOne) { EXPECT_EQ(number_lines("x\ny\n"), "   1  x\n   2  y\n"); }

TEST(Text, SuggestsOnlyNearNames) {
  const std::vector<std::string> names = {"copy/simple", "transpose/padded"};
  EXPECT_EQ(did_you_mean("transpose/paded", names), "transpose/padded");
  EXPECT_EQ(did_you_mean("gemm", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
}

}  // namespace
}  // namespace vkmoye
