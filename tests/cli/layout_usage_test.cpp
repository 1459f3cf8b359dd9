// SPDX-License-Identifier: MIT
// Wrong usage of `layout`.

#include "cli/bench.hpp"
#include "support/expect.hpp"

namespace vkmoye::test {
namespace {

TEST(Cli, LayoutDrawsNoPictureOfAnswers) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"layout", "eval", "--jsonl", "--draw", "svg"},
        {"layout", "operations", "--draw", "text"},
        {"layout", "eval", "--jsonl", "--draw", "latex"}}) {
    const Outcome outcome = bench(words);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("--draw needs an expression"));
  }
}

TEST(Cli, LayoutEvalReadsRequestsWithOrWithoutJsonl) {
  EXPECT_EQ(bench_redirected("< /dev/null", {"layout", "eval"}).status, 0);
  EXPECT_EQ(bench_redirected("< /dev/null", {"layout", "eval", "--jsonl"}).status, 0);
  expect_refused({"layout", "4:1", "--jsonl"}, "--jsonl needs the word eval");
}

// The order of the twin: lane l holds the elements l, l + 32, .. along the rows.
TEST(Cli, LayoutShowsAndDrawsFragments) {
  const auto layout = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"layout", "--fragment"});
    return bench(words);
  };
  EXPECT_EQ(output_of(layout({"a:f16:16x16x16", "--device", "host"})), "((2,8),16):((128,1),8)\n");
  EXPECT_EQ(bench({"layout", "size(((2,8),16):((128,1),8))"}).out, "256\n");
  const Outcome text = layout({"a:f16:16x16x16", "--device", "host", "--draw", "text"});
  EXPECT_THAT(text.out, HasSubstr("A(m,k) f16: T lane, V number"));
  EXPECT_THAT(text.out, HasSubstr("T16V0"));
  const Outcome svg = layout({"b:f16:16x16x16", "--device", "host", "--draw", "svg"});
  EXPECT_THAT(output_of(svg), HasSubstr("<svg"));

  expect_refused(layout({"a:f16:16x16", "--device", "host"}), "expected OPERAND:TYPE:MxNxK");
  EXPECT_EQ(layout({"c:f32:16x16x16", "--device", "host"}).out, "((2,8),16):((128,1),8)\n");
  expect_refused(layout({"d:f16:16x16x16", "--device", "host"}), "expected OPERAND:TYPE:MxNxK");
  expect_refused(layout({"a:f17:16x16x16", "--device", "host"}), "unknown type 'f17'");
  expect_refused(layout({"a:i8:16x16x32", "--device", "host"}),
                 "has no operand A 16x32 s8 in 32 lanes", 3);
  expect_refused({"layout"}, "needs one of EXPR, --fragment and --weights");
  expect_refused(bench({"layout", "4:1", "--fragment", "a:f16:16x16x16"}),
                 "needs one of EXPR, --fragment and --weights");
  expect_refused({"layout", "4:1", "--device", "host"}, "nothing else depends on a device");
}

}  // namespace
}  // namespace vkmoye::test
