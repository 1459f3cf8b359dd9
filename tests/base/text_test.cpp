// SPDX-License-Identifier: MIT
#include "vkmoye/base/text.hpp"

#include <gtest/gtest.h>

namespace vkmoye {
namespace {

TEST(Text, JoinsWithSeparatorBetweenPartsOnly) {
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, SplitsAtEachSeparator) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split("a,b,c", ','), (Parts{"a", "b", "c"}));
  EXPECT_EQ(split(",a,", ','), (Parts{"", "a", ""}));
  EXPECT_EQ(split("", ','), Parts{""});
}

TEST(Text, OnlyAsciiLettersHaveALowerCase) {
  EXPECT_EQ(lower_case("NVIDIA H200 [\xc4_`]"), "nvidia h200 [\xc4_`]");
}

TEST(Text, OneLineHasNoControlCharacters) {
  EXPECT_EQ(in_one_line("a\tb\r\nc\x7f\xff"), "a b  c\x7f\xff");
}

TEST(Text, IndentsNonEmptyLines) { EXPECT_EQ(indent("a\n\nb", 2), "  a\n\n  b\n"); }

TEST(Text, NumbersLinesFromOne) { EXPECT_EQ(number_lines("x\ny\n"), "   1  x\n   2  y\n"); }

TEST(Text, SuggestsOnlyNearNames) {
  const std::vector<std::string> names = {"copy/simple", "transpose/padded"};
  EXPECT_EQ(did_you_mean("transpose/paded", names), "transpose/padded");
  EXPECT_EQ(did_you_mean("gemm", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
  EXPECT_EQ(did_you_mean("pda", {"ld", "pad"}), "pad");  // a swap of neighbours is one edit
  EXPECT_EQ(did_you_mean("pda", {"adp"}), "");
  EXPECT_EQ(did_you_mean("q4k", {"q4_0", "q4_K"}), "q4_K");  // case does not count
  EXPECT_EQ(did_you_mean("Q4_K", {"q4_0", "q4_K"}), "q4_K");
}

TEST(Text, SeveralReasonsAreAList) {
  EXPECT_EQ(with_reasons("copy", {"a"}), "copy: a");
  EXPECT_EQ(with_reasons("copy", {"a", "b"}), "copy:\n  - a\n  - b");
  EXPECT_EQ(with_reasons("copy", {"x:\n  - a", "b"}), "copy:\n  - x:\n      - a\n  - b");
}

}  // namespace
}  // namespace vkmoye
