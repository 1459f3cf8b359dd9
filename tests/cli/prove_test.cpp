// SPDX-License-Identifier: MIT
// What must hold in every launch of a kernel: explain --prove, list --format json, emit --interface.

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

TEST(Prove, ExplainListsObligationsInEveryFormat) {
  const std::vector<std::string> command = {"explain", "transpose/padded", "--prove"};
  const Outcome table = bench(command, {"VK_DRIVER_FILES=/nowhere"});
  EXPECT_THAT(output_of(table),
              AllOf(HasSubstr("load src: coalesced"), HasSubstr("\nanswer "),
                    HasSubstr("\nproved "), HasSubstr(" rules "), HasSubstr(" machine "),
                    HasSubstr("  each element of dst is written\n"), Not(HasSubstr("assumption: ")),
                    Not(HasSubstr("not proved: "))));
  std::istringstream lines(table.out.substr(table.out.find("\nanswer ")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;

  const auto in = [&](const char* format) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--format", format});
    return bench(words).out;
  };
  EXPECT_THAT(in("markdown"),
              HasSubstr("\n| each element of dst is written | proved | isl | "));
  const json report = json::parse(in("json"));
  const json& last = report["claims"].back();
  EXPECT_EQ(last["claim"], "each element of dst is written");
  EXPECT_EQ(last["array"], "dst");
  EXPECT_EQ(last["answer"], "proved");
  EXPECT_EQ(last["by"], "isl");
  EXPECT_EQ(last["why"], nullptr);
  EXPECT_EQ(report["assumptions"], json::array());
  EXPECT_GT(report["accesses"].size(), 0u);
  EXPECT_THAT(bench({"explain", "transpose/padded"}).out, Not(HasSubstr("\nanswer ")));
}

TEST(Prove, AssumptionsAreShownWithTheirReasons) {
  constexpr const char* kAssumption =
      "each element of dst is written by one invocation alone: sectors of ragged rows begin at "
      "remainders of a product of sizes";
  const std::vector<std::string> command = {"explain", "transpose/auto", "--type", "i8", "--prove"};
  EXPECT_THAT(bench(command).out,
              HasSubstr("\nassumption: each element of dst is written by one invocation alone: "));
  const json report = json::parse(
      bench({"explain", "transpose/auto", "--type", "i8", "--prove", "--format", "json"}).out);
  EXPECT_EQ(report["assumptions"], json({kAssumption}));
  const json interface =
      json::parse(bench({"emit", "transpose/auto", "--type", "i8", "--interface", "-"}).out);
  EXPECT_EQ(interface["assumptions"], json({kAssumption}));
  EXPECT_FALSE(
      json::parse(bench({"emit", "copy/simple", "--interface", "-"}).out).contains("assumptions"));
}

TEST(Prove, ListHasTheClaimsOfEachKernel) {
  const Outcome list = bench({"list", "transpose/*", "--format", "json"});
  EXPECT_EQ(list.status, 0) << list.err;
  const json kernels = json::parse(list.out)["kernels"];
  ASSERT_GT(kernels.size(), 3u);
  for (const json& kernel : kernels) {
    EXPECT_EQ(kernel["skipped"], nullptr) << kernel;
    EXPECT_EQ(kernel["operation"], "transpose");
    EXPECT_THAT(kernel["proved"], Contains("names and types are right")) << kernel;
    if (kernel["name"] == "transpose/padded") {
      EXPECT_THAT(kernel["proved"], Contains("each element of dst is written"));
      EXPECT_THAT(kernel["assumed"], IsEmpty());
      EXPECT_THAT(kernel["options"].dump(), HasSubstr("\"pad\""));
    }
  }
  const json all = json::parse(bench({"list", "--format", "json"}).out)["kernels"];
  EXPECT_GT(all.size(), 12u);
  for (const json& kernel : all) EXPECT_FALSE(kernel.contains("proved")) << kernel;
  EXPECT_EQ(bench({"list", "--format", "xml"}).status, 2);
  EXPECT_THAT(bench({"list", "--device", "host"}).err, HasSubstr("only with --format json"));
}

}  // namespace
}  // namespace vkmoye::test
