// What `layout` refuses as wrong usage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench.hpp"

namespace vkmoye::test {
namespace {

using testing::HasSubstr;

TEST(Cli, LayoutDrawsNoPictureOfAnswers) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"layout", "eval", "--jsonl", "--draw", "svg"},
        {"layout", "operations", "--draw", "text"},
        {"layout", "eval", "--jsonl", "--draw", "latex"}}) {
    const Outcome outcome = bench(words);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("--draw belongs to an expression"));
  }
}

}  // namespace
}  // namespace vkmoye::test
