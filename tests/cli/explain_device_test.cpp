// SPDX-License-Identifier: MIT
// The end of explain: the work of a problem, and what the driver's compiler says about the kernel.

#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"
#include "support/shims.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

TEST(ExplainDevice, WithoutADeviceTheWorkIsKnownAndNoTime) {
  const std::vector<std::string> nowhere = {"VK_DRIVER_FILES=/nowhere"};
  EXPECT_THAT(output_of({"explain", "softmax/rows", "--size", "64x128"}, nowhere),
              AllOf(HasSubstr("\nwork: at least 65.54 kB"),
                    HasSubstr("\nshortest time: unknown without a device"),
                    HasSubstr("\ndriver: with --device, explain also prints what the driver's "
                              "compiler reports")));
  EXPECT_THAT(bench({"explain", "copy/simple"}, nowhere).out,
              HasSubstr("\nwork: at least 134.2 MB, no arithmetic is counted\n"));
  EXPECT_THAT(bench({"explain", "copy/simple", "--device", "host"}, nowhere).out,
              HasSubstr("\ndriver: none: the host has no driver\n"));
  const json report = json::parse(
      bench({"explain", "copy/simple", "--size", "8", "--format", "json"}, nowhere).out);
  EXPECT_EQ(report["work"], json({{"bytes", 512.0}, {"flops", 0.0}, {"flops_per_byte", 0.0}}));
  EXPECT_EQ(report["shortest_time"]["time_us"], nullptr);
  EXPECT_NE(report["shortest_time"]["why_none"], nullptr);
  EXPECT_EQ(report["driver"]["programs"], json::array());
  EXPECT_NE(report["driver"]["why_none"], nullptr);
}

TEST(ExplainDevice, ASavedDescriptionHasNoDriver) {
  if (!has_lavapipe()) GTEST_SKIP() << "lavapipe is not installed";
  const TemporaryFolder folder;
  const std::string file = folder.file("here.json"), cache = "VKMOYE_CACHE_DIR=" + folder.path();
  write_file(file, bench({"devices", "--format", "json"}).out);
  EXPECT_THAT(output_of({"explain", "copy/simple", "--device", file}, {cache}),
              AllOf(HasSubstr("\ndriver: none: a saved description has no driver\n"),
                    HasSubstr("no ceilings of ")));
}

TEST(ExplainDevice, LavapipeSaysWhatItHas) {
  if (!has_lavapipe()) GTEST_SKIP() << "lavapipe is not installed";
  EXPECT_THAT(output_of({"explain", "copy/simple", "--device", "llvmpipe"}),
              AllOf(HasSubstr("\ndriver: "), Not(HasSubstr("it failed"))));
  expect_refused({"explain", "copy/simple", "--device", "llvmpie"}, "did you mean 'llvmpipe'?");
}

TEST(ExplainDevice, RadvCountsRegistersSpillsAndSubgroups) {
  const Shim gpu = radv_shim();
  if (!gpu.missing.empty()) GTEST_SKIP() << gpu.missing;
  const std::vector<std::string> words = {"explain", "transpose/padded", "--device", "0"};
  EXPECT_THAT(output_of(words, gpu.environment),
              AllOf(HasSubstr("; spills: none; occupancy: "), HasSubstr("\n  VGPRs  "),
                    HasSubstr("\n  LDS size  ")));
  std::vector<std::string> as_json = words;
  as_json.insert(as_json.end(), {"--format", "json"});
  const json driver = json::parse(bench(as_json, gpu.environment).out)["driver"];
  ASSERT_EQ(driver["programs"].size(), 1u) << driver;
  EXPECT_EQ(driver["why_none"], nullptr);
  const json& program = driver["programs"][0];
  EXPECT_EQ(program["spills"], "none");
  EXPECT_GT(program["statistics"].size(), 5u);
  for (const json& one : program["statistics"]) {
    EXPECT_TRUE(one["name"].is_string());
    EXPECT_FALSE(one["value"].is_null());
  }
  std::vector<std::string> as_markdown = words;
  as_markdown.insert(as_markdown.end(), {"--format", "markdown"});
  EXPECT_THAT(bench(as_markdown, gpu.environment).out, HasSubstr("\n| VGPRs | "));
}

TEST(ExplainDevice, NvkCountsRegisters) {
  const Shim gpu = nvk_shim();
  if (!gpu.missing.empty()) GTEST_SKIP() << gpu.missing;
  EXPECT_THAT(output_of({"explain", "copy/simple", "--device", "0"}, gpu.environment),
              AllOf(HasSubstr("\n  Number of GPRs  "), HasSubstr("; spills: none")));
}

}  // namespace
}  // namespace vkmoye::test
