// SPDX-License-Identifier: MIT
// layout: expressions and pictures.

#include <chrono>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

TEST(Cli, LayoutEvaluatesTheAlgebra) {
  EXPECT_THAT(output_of({"layout", "composition((4,8):(8,1), 4:2)"}), HasSubstr("(2,2):(16,1)"));
  expect_refused({"layout", "composition((4,8):(8,1), 4:"}, "column");
}

TEST(Cli, LayoutDrawsInEveryFormat) {
  const auto drawn = [](const std::string& expression, const std::string& format) {
    return output_of({"layout", expression, "--draw", format});
  };
  EXPECT_EQ(drawn("(2,3):(3,1)", "text"), "(2,3):(3,1)\n   0 1 2\n0  0 1 2\n1  3 4 5\n");
  EXPECT_THAT(drawn("(2,3):(3,1)", "svg"), AllOf(StartsWith("<svg "), HasSubstr(">5</text>")));
  EXPECT_THAT(drawn("make_tiled_copy((2,3):(3,1), (2,3))", "typst"),
              AllOf(HasSubstr("#table("), HasSubstr("[T1V0]")));
  EXPECT_THAT(drawn("composition(make_swizzle(2,0,2), (4,4))", "latex"),
              AllOf(HasSubstr("\\begin{tabular}"), HasSubstr("Swizzle$<$2,0,2$>$")));
}

TEST(Cli, LayoutShowsAndDrawsBlocksOfWeights) {
  EXPECT_EQ(output_of({"layout", "--weights", "q5_0"}),
            "c        code - 16, bits 0..3: 48 + (16,2):(8,4)\n"
            "c'       code - 16, bit 4: 16 + 32:1\n"
            "scale    f16, bits 0..15: 0 + 1:0\n");
  EXPECT_THAT(output_of({"layout", "--weights", "q4_K", "--draw", "text"}),
              AllOf(HasSubstr("q4_K: 256 weights in 144 bytes"), HasSubstr("s'4..7"),
                    HasSubstr("c224..255")));
  expect_refused({"layout", "--weights", "q4_L"}, "did you mean 'q4_0'?");
  expect_refused({"layout", "4:1", "--weights", "q4_K"}, "needs one of EXPR, --fragment and");
}

TEST(Cli, LayoutRefusesWhatItCannotDraw) {
  const auto refused = [](const std::string& expression, const std::string& format,
                          const std::string& text) {
    const Outcome outcome = bench({"layout", expression, "--draw", format});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  refused("(2,3)", "svgg", "did you mean 'svg'?");
  refused("(2,3)", "png", "known: text svg typst latex");
  refused("make_swizzle(2,0,3)", "svg", "expected a layout to draw, got a swizzle");
  refused("(4096,4096)", "text", "more than 1048576 cells");
}

TEST(Cli, LayoutDrawsManyElementsInUnderASecond) {
#if defined(__SANITIZE_ADDRESS__)
  constexpr double kSeconds = 5;
#else
  constexpr double kSeconds = 1;
#endif
  for (const char* format : {"text", "svg", "typst", "latex"}) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = bench({"layout", "(256,256):(257,1)", "--draw", format});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_THAT(output_of(outcome), HasSubstr("65790"));
    EXPECT_LT(seconds.count(), kSeconds) << format;
  }
}

}  // namespace
}  // namespace vkmoye::test
