// SPDX-License-Identifier: MIT
#include "vkmoye/base/reasons.hpp"

#include "support/expect.hpp"

namespace vkmoye {
namespace {

TEST(Reasons, KeepsEachOnceInTheOrderFound) {
  Reasons reasons;
  EXPECT_TRUE(reasons.empty());
  reasons.add("second");
  reasons.add_all({"first", "second", "third", "first"});
  EXPECT_FALSE(reasons.empty());
  EXPECT_THAT(reasons.list(), ElementsAre("second", "first", "third"));
  EXPECT_THAT(std::move(reasons).take(), ElementsAre("second", "first", "third"));
}

TEST(Reasons, TextHasOneLineForOneReason) {
  Reasons reasons;
  reasons.add("too large");
  EXPECT_EQ(reasons.text("gemm"), "gemm: too large");
  reasons.add("too wide");
  EXPECT_EQ(reasons.text("gemm"), "gemm:\n  - too large\n  - too wide");
}

TEST(Reasons, AddAllAppendsAndKeepsDuplicates) {
  std::vector<std::string> reasons = {"a"};
  add_all(reasons, {"b", "a"});
  EXPECT_THAT(reasons, ElementsAre("a", "b", "a"));
}

}  // namespace
}  // namespace vkmoye
