// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/summaries.hpp"
#include "support/expect.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::json;

Result result_of(const std::string& kernel, std::vector<std::int64_t> size, double microseconds,
                 bool right = true) {
  Result result;
  result.kernel = kernel;
  result.type = "f32";
  result.size = std::move(size);
  result.timing = Timing{{microseconds}, Clock::device};
  result.verified = right;
  result.verification = "full";
  result.command = "again";
  return result;
}

Result skipped_result(const std::string& kernel, std::vector<std::int64_t> size) {
  Result result;
  result.kernel = kernel;
  result.type = "f32";
  result.size = std::move(size);
  result.skipped = "needs more than there is";
  return result;
}

std::vector<Result> transposes() {
  std::vector<Result> results = {result_of("transpose/naive", {256, 256}, 40),
                                 result_of("transpose/read_contiguous", {256, 256}, 44),
                                 result_of("transpose/padded", {256, 256}, 11),
                                 result_of("transpose/naive", {255, 8192}, 401),
                                 result_of("transpose/read_contiguous", {255, 8192}, 400),
                                 result_of("transpose/padded", {255, 8192}, 160)};
  results[1].ratio["copy"] = 0.125;
  results[4].ratio["copy"] = 0.25;
  return results;
}

TEST(PerformanceSummary, SpeedsUpOverTheFirstRungSizeBySize) {
  EXPECT_EQ(summary_text(ladders_of(transposes())),
            "\n"
            "Performance Summary: transpose, f32: median times, speed-ups over\n"
            "transpose/read_contiguous\n"
            "256x256\n"
            "  transpose/naive              40.0 us    1.10x  ####\n"
            "  transpose/read_contiguous    44.0 us    1.00x  ####\n"
            "  transpose/padded             11.0 us    4.00x  ################\n"
            "  (baseline copy)               5.5 us    8.00x  ###############################\n"
            "255x8192\n"
            "  transpose/naive             401.0 us    1.00x  ########\n"
            "  transpose/read_contiguous   400.0 us    1.00x  ########\n"
            "  transpose/padded            160.0 us    2.50x  ###################\n"
            "  (baseline copy)             100.0 us    4.00x  ###############################\n"
            "Verification: PASSED, 6 results, each verified separately\n");
  EXPECT_THAT(summary_markdown(ladders_of(transposes())),
              AllOf(HasSubstr("| kernel | 256x256 | 255x8192 |\n| --- | ---: | ---: |\n"),
                    HasSubstr("| transpose/padded | 11.0 us (4.00x) | 160.0 us (2.50x) |\n"),
                    HasSubstr("\nVerification: PASSED")));
}

TEST(PerformanceSummary, AWrongResultFailsByItsNameAndHasNoSpeed) {
  std::vector<Result> results = transposes();
  results[2].verified = false;
  const auto ladders = ladders_of(results);
  ASSERT_THAT(ladders, SizeIs(1));
  EXPECT_EQ(ladders[0].verification(), "FAILED: transpose/padded 256x256");
  EXPECT_FALSE(ladders[0].rungs[2].cells[0].speedup.has_value());
  EXPECT_TRUE(ladders[0].rungs[2].cells[1].speedup.has_value());
  EXPECT_THAT(summary_text(ladders), HasSubstr("11.0 us    WRONG"));
  results = transposes();
  results[1].verified = false;  // no speed-up over a wrong rung
  EXPECT_THAT(summary_text(ladders_of(results)), Not(HasSubstr("8.00x")));
}

TEST(PerformanceSummary, SkippedAndUncheckedAreNoPass) {
  std::vector<Result> results = transposes();
  results[5] = skipped_result("transpose/padded", {255, 8192});
  results[2].verified.reset();
  const auto ladders = ladders_of(results);
  EXPECT_EQ(ladders[0].verification(),
            "PASSED, 4 results, each verified separately; 1 unchecked; 1 skipped");
  EXPECT_THAT(summary_text(ladders), HasSubstr("skipped"));
  EXPECT_EQ(ladders_of({skipped_result("copy/simple", {1, 1})})[0].verification(),
            "nothing was verified; 1 skipped");
}

TEST(PerformanceSummary, FamiliesAndTypesAreApart) {
  std::vector<Result> results = transposes();
  Result copy = result_of("copy/simple", {256, 256}, 5);
  copy.ratio = {{"copy", 1.0}, {"vkcmdcopy", 0.5}};
  results.push_back(copy);
  copy.type = "i8";
  results.push_back(copy);
  const auto ladders = ladders_of(results);
  ASSERT_THAT(ladders, SizeIs(3));
  EXPECT_EQ(ladders[1].family, "copy");
  EXPECT_EQ(ladders[1].first, "copy/simple");
  ASSERT_THAT(ladders[1].rungs, SizeIs(2)) << "copies are not compared with a copy";
  EXPECT_EQ(ladders[1].rungs[1].name, "vkcmdcopy");
  EXPECT_EQ(ladders[2].type, "i8");
}

TEST(PerformanceSummary, JsonStaysOneDocument) {
  DeviceCaps device;
  device.name = "test";
  std::ostringstream out;
  const auto report = make_report("json", out, device, {}, Summary::ladders);
  for (const Result& result : transposes()) report->add(result);
  report->finish();
  const json document = json::parse(out.str());
  EXPECT_EQ(document["results"].size(), 6u);
  const json& ladder = document["summary"][0];
  EXPECT_EQ(ladder["speedup_over"], "transpose/read_contiguous");
  EXPECT_EQ(ladder["sizes"], json({{256, 256}, {255, 8192}}));
  EXPECT_EQ(ladder["rungs"][2]["speedup"], json({4.0, 2.5}));
  EXPECT_EQ(ladder["rungs"][3]["baseline"], true);

  std::ostringstream plain;
  make_report("json", plain, device)->finish();
  EXPECT_FALSE(json::parse(plain.str()).contains("summary"));
}

}  // namespace
}  // namespace vkmoye::bench
