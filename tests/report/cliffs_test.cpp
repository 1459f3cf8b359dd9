// SPDX-License-Identifier: MIT
#include "report/summaries.hpp"
#include "support/expect.hpp"

namespace vkmoye::bench {
namespace {

Result measured(const std::string& kernel, double time_us, double percent) {
  Result result;
  result.kernel = kernel;
  result.type = "f32";
  result.size = {1024, 8};
  result.timing = Timing{{time_us}, Clock::device};
  result.percent_of_ceiling = percent;
  result.ceiling = "copy";
  result.command = "again " + kernel;
  return result;
}

TEST(Cliffs, CountWhatIsFarFromItsBound) {
  std::vector<Result> results = {measured("a", 100, 90), measured("b", 100, 40),
                                 measured("c", 1000, 5), measured("d", 11, 20)};  // bound: 2 us
  results.push_back(measured("e", 100, 50));
  results.back().percent_of_ceiling.reset();
  results.push_back(measured("f", 100, 50));
  results.back().skipped = "too large";
  results.push_back(measured("g", 100, 50));
  results.back().verified = false;
  const Cliffs cliffs = cliffs_of(results);
  EXPECT_EQ(cliffs.counted, 3u);
  EXPECT_EQ(cliffs.below_half, 2u);
  EXPECT_EQ(cliffs.below_quarter, 1u);
  EXPECT_EQ(cliffs.short_ones, 1u);
  EXPECT_EQ(cliffs.without_bound, 1u);
  EXPECT_EQ(cliffs.skipped, 1u);
  EXPECT_EQ(cliffs.wrong, 1u);
  ASSERT_EQ(cliffs.worst.size(), 3u);
  EXPECT_EQ(cliffs.worst[0].subject, "c f32 1024x8");
  EXPECT_EQ(cliffs.worst[2].subject, "a f32 1024x8");
  const std::string text = cliffs_text(cliffs);
  EXPECT_THAT(text, HasSubstr("Shapes with a bound of at least 10 us: 3\n"
                              "below 0.5 of the bound: 2 (66.7 %)\nbelow 0.25: 1 (33.3 %)\n"));
  EXPECT_THAT(text, HasSubstr("0.050 of copy  1.00 ms  c f32 1024x8\n  again c\n"));
}

TEST(Cliffs, ListTwentyAtMost) {
  const Cliffs cliffs = cliffs_of(std::vector<Result>(30, measured("a", 100, 30)));
  EXPECT_EQ(cliffs.counted, 30u);
  EXPECT_EQ(cliffs.worst.size(), 20u);
  EXPECT_THAT(cliffs_text(cliffs_of({})), HasSubstr("below 0.25: 0 (0.0 %)"));
}

}  // namespace
}  // namespace vkmoye::bench
