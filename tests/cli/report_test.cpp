// SPDX-License-Identifier: MIT
// The reports of `run`, and their comparison by `compare`.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/bench.hpp"
#include "support/expect.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(ReportCli, TablesFitEightyColumnsAndHaveCommandsWhereAsked) {
  const std::vector<std::string> words = {"run",          "transpose/read_contiguous",
                                          "softmax/rows", "--size",
                                          "33x65",        "--min-time",
                                          "0.01",         "--baseline",
                                          "copy"};
  const Outcome outcome = bench(words);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LE(longest_line(outcome.out), 80u) << outcome.out;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("    copy  "), Not(HasSubstr("--min-time")), Not(HasSubstr("\x1b"))));
  if (has_lavapipe()) {
    EXPECT_THAT(outcome.out, HasSubstr("say nothing about a GPU"));
  }
  EXPECT_EQ(outcome.err, "");  // no progress without a terminal
  const Outcome wide = bench(words, {"COLUMNS=132"});
  EXPECT_THAT(wide.out, AllOf(HasSubstr("p95"), HasSubstr("samples")));
  EXPECT_LE(longest_line(wide.out), 132u) << wide.out;

  const TemporaryFolder folder;
  std::vector<std::string> to_file = words;
  to_file.insert(to_file.end(), {"--output", folder.file("report.txt")});
  EXPECT_EQ(bench(to_file).status, 0);
  EXPECT_THAT(read_file(folder.file("report.txt")), HasSubstr("--min-time 0.01"));
  std::vector<std::string> commands = words;
  commands.push_back("--commands");
  EXPECT_THAT(bench(commands).out, HasSubstr("--min-time 0.01"));
}

TEST(ReportCli, SizesSweepOverRanges) {
  const auto sizes_of = [](const std::string& size) {
    const Outcome outcome =
        bench({"run", "copy/simple", "--device", "host", "--format", "json", "--size", size});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<std::string> sizes;
    const json report = json::parse(outcome.out);
    for (const json& row : report["results"]) sizes.push_back(row["size"].dump());
    return sizes;
  };
  EXPECT_THAT(sizes_of("2:17:*2"), ElementsAre("[2,2]", "[4,4]", "[8,8]", "[16,16]"));
  EXPECT_THAT(sizes_of("2:8:+3,5"), ElementsAre("[2,2]", "[5,5]", "[8,8]", "[5,5]"));
  EXPECT_THAT(sizes_of("2:4:1"), ElementsAre("[2,2]", "[3,3]", "[4,4]"));
  EXPECT_THAT(sizes_of("1:2:1x3:9:*3"), ElementsAre("[1,3]", "[1,9]", "[2,3]", "[2,9]"));
  for (const auto& [size, why] : {std::pair{"1:2", "is not FIRST:LAST:STEP"},
                                  {"1:2:", "is not FIRST:LAST:STEP"},
                                  {"1:9:*1", "never ends"},
                                  {"0:9:*2", "never ends"},
                                  {"1:9:0", "never ends"},
                                  {"9:1:1", "ends before it begins"},
                                  {"1:4294967295:1", "more than 10000 sizes"},
                                  {"1:200:1x1:200:1", "more than 10000 sizes"},
                                  {"1:2:-1", "outside 0..4294967295"}}) {
    expect_refused({"run", "copy/simple", "--device", "host", "--size", size}, why);
  }
}

TEST(ReportCli, ColdSamplesFollowAFlushAndNoiseIsBounded) {
  const json row = json::parse(output_of(
      {"run", "transpose/padded", "--size", "64", "--cold", "--min-time", "0.01", "--baseline",
       "copy,vkcmdcopy", "--stop-noise", "50", "--budget", "1", "--format", "json"}))["results"]
                       .at(0);
  EXPECT_EQ(row["verified"], true);
  EXPECT_GT(row["ratio"]["copy"], 0.0);
  EXPECT_THAT(std::string(row["no_ratio"]["vkcmdcopy"]), HasSubstr("warm caches"));
  EXPECT_GE(row["time_us"]["noise_percent"], 0.0);
  EXPECT_THAT(std::string(row["command"]), HasSubstr("--stop-noise 50 --budget 1 --cold"));
  const Outcome host = bench({"run", "copy/simple", "--device", "host", "--cold"});
  expect_refused(host, "kernels cannot be timed on the host");
}

// A memory-bound product (few operations per byte) is shown as a percentage of a copy; others are not.
TEST(ReportCli, ProductsThatMemoryBoundsAreAPercentageOfACopy) {
  const json rows = json::parse(output_of({"run", "gemm/auto", "--size", "1x256x256,128x128x128",
                                           "--min-time", "0.01", "--format", "json"}))["results"];
  EXPECT_GT(rows[0]["percent_of_ceiling"], 0.0);
  EXPECT_EQ(rows[0]["ceiling"], "copy");
  EXPECT_TRUE(rows[1]["percent_of_ceiling"].is_null());
}

// A compute-bound product is shown as a percentage of as many multiply-adds from registers, by the same units as
// those of the kernel.
TEST(ReportCli, ProductsThatArithmeticBoundsAreAPercentageOfThePeak) {
  for (const auto& [kernel, type] : {std::pair{"gemm/simt", "f32"},
                                     {"gemm/simt", "f64"},
                                     {"gemm/simt", "i32"},
                                     {"gemm/auto", "f32"},
                                     {"gemm/coopmat", "f16,f32"}}) {
    const Outcome outcome = bench({"run", kernel, "--type", type, "--size", "128", "--min-time",
                                   "0.01", "--baseline", "peak", "--format", "json"});
    if (outcome.status == 3) continue;  // the device has no such type, or no matrix units
    ASSERT_EQ(outcome.status, 0) << kernel << type << outcome.err;
    const json row = json::parse(outcome.out)["results"].at(0);
    ASSERT_TRUE(row["ratio"].contains("peak")) << row["no_ratio"];
    EXPECT_GT(row["ratio"]["peak"], 0.0);
    EXPECT_EQ(row["ceiling"], "peak");
    EXPECT_DOUBLE_EQ(row["percent_of_ceiling"], 100 * row["ratio"]["peak"].get<double>());
    EXPECT_THAT(std::string(row["notes"]["peak"]), HasSubstr("from registers"));
  }
  const Outcome table =
      bench({"run", "gemm/simt", "--size", "128", "--min-time", "0.01", "--baseline", "peak"});
  EXPECT_THAT(table.out, HasSubstr("% peak"));
  const Outcome copy = bench({"run", "copy/auto", "--size", "64", "--baseline", "peak"});
  expect_refused(copy, "--baseline peak: does not compute the same as copy/auto");
}

// A measured result is reported even if its baselines cannot run.
TEST(ReportCli, ABaselineThatCannotRunLeavesTheRow) {
  const Outcome packed =
      bench({"run", "gemm/packed", "--type", "f16,f32", "--packed", "b", "--size", "64",
             "--min-time", "0.01", "--baseline", "gemm/simt", "--format", "json"});
  if (packed.status != 3) {  // the device has matrix units
    ASSERT_EQ(packed.status, 0) << packed.err;
    const json row = json::parse(packed.out)["results"].at(0);
    EXPECT_THAT(std::string(row["no_ratio"]["gemm/simt"]), HasSubstr("takes plain operands"));
  }
  EXPECT_EQ(json::parse(output_of({"run", "gemm/simt", "--size", "0x8x8", "--min-time", "0.01",
                                   "--baseline", "peak", "--format", "json"}))["results"]
                .at(0)["no_ratio"]["peak"],
            "there is no work to do");
}

TEST(ReportCli, JunitIsWhole) {
  EXPECT_THAT(output_of({"run", "transpose/*", "--device", "host", "--size", "33x65", "--type",
                         "i64", "--format", "junit"}),
              AllOf(HasSubstr("<?xml version=\"1.0\""), HasSubstr(" failures=\"0\" "),
                    HasSubstr("classname=\"transpose/padded\" name=\"i64 33x65\""),
                    HasSubstr("<skipped message="), HasSubstr("</testsuite>\n")));
}

TEST(ReportCli, APageHasEveryResultBesideTheOtherReport) {
  const TemporaryFolder folder;
  const std::string file = folder.file("page.html");
  EXPECT_THAT(output_of({"run", "gemm/simt", "gemm/thin", "--size", "33x17x64,8x8x8", "--epilogue",
                         "relu", "--min-time", "0.01", "--baseline", "peak", "--report", file}),
              HasSubstr("33x17x64"));
  const std::string page = read_file(file);
  EXPECT_THAT(page, AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("4 results: 4 right"),
                          HasSubstr("<h2>Roofline</h2>"), HasSubstr("<h3>33x17x64 --epilogue relu"),
                          HasSubstr("gemm/thin</span>"), HasSubstr("</svg>"),
                          EndsWith("</body></html>\n"), Not(HasSubstr("src="))));

  // A file system that is full, a folder in place of a file, and the file of the other report.
  EXPECT_EQ(bench({"run", "copy/simple", "--size", "8", "--report", folder.path()}).status, 2);
  expect_refused({"run", "copy/simple", "--size", "8", "--output", file, "--report", file},
                 "the other report goes there");
}

TEST(ReportCli, NoiseThatStaysIsSaid) {
  const auto run = [](const std::string& percent, const std::string& format) {
    return bench({"run", "copy/simple", "--size", "64", "--min-time", "0.01", "--stop-noise",
                  percent, "--budget", "0.05", "--format", format});
  };
  EXPECT_THAT(output_of(run("1e-9", "table")), HasSubstr("--stop-noise 1e-09 was not reached"));
  EXPECT_EQ(json::parse(run("1e-9", "json").out)["results"][0]["time_us"]["noise_missed"], 1e-9);
  EXPECT_TRUE(
      json::parse(run("100", "json").out)["results"][0]["time_us"]["noise_missed"].is_null());
}

TEST(ReportCli, NoiseOfABaselineThatStaysIsSaid) {
  const auto run = [](const std::string& percent, const std::string& format) {
    return bench({"run", "copy/simple", "--size", "64", "--min-time", "0.01", "--stop-noise",
                  percent, "--budget", "0.05", "--baseline", "copy,copy/padded", "--format",
                  format});
  };
  for (const char* format : {"table", "csv", "markdown"}) {
    EXPECT_THAT(output_of(run("1e-9", format)),
                AllOf(HasSubstr("noise of copy: "), HasSubstr("noise of copy/padded: ")));
  }
  const json noisy = json::parse(run("1e-9", "json").out)["results"][0];
  EXPECT_THAT(std::string(noisy["noise_of"]["copy"]), HasSubstr("--stop-noise 1e-09 was not"));
  EXPECT_TRUE(json::parse(run("100", "json").out)["results"][0]["noise_of"].empty());
}

// With --bake, both are baked.
TEST(ReportCli, AKernelThatIsABaselineIsBakedLikewise) {
  std::vector<std::string> words = {
      "run",        "transpose/auto",        "--size",   "64x32", "--min-time", "0.01",
      "--baseline", "copy,transpose/padded", "--format", "json"};
  EXPECT_FALSE(json::parse(bench(words).out)["results"][0]["notes"].contains("transpose/padded"));
  words.push_back("--bake");
  const json row = json::parse(output_of(words))["results"][0];
  EXPECT_GT(row["ratio"]["transpose/padded"], 0.0) << row;
  EXPECT_EQ(row["notes"]["transpose/padded"], "these sizes are constants in it, too: cols, rows");
  EXPECT_FALSE(row["notes"].contains("copy"));
}

// A report with one result whose samples are around `microseconds`.
std::string report_of(double microseconds, const std::string& kernel = "transpose/padded") {
  json samples = json::array();
  for (int i = 0; i < 30; ++i) samples.push_back(microseconds + 0.01 * i);
  const json row = {{"kernel", kernel},   {"type", "f32"},
                    {"size", {256, 256}}, {"config", {{"pad", "1"}}},
                    {"options", ""},      {"time_us", {{"all", samples}}},
                    {"verified", true},   {"skipped", nullptr}};
  return json{{"schema", 1}, {"device", {{"name", "gpu"}}}, {"results", {row}}}.dump();
}

TEST(ReportCli, CompareSaysWhatIsSlowerByItsExitStatus) {
  const TemporaryFolder folder;
  const auto compared = [&](double base, double changed,
                            const std::vector<std::string>& more = {}) {
    write_file(folder.file("base.json"), report_of(base));
    write_file(folder.file("new.json"), report_of(changed));
    std::vector<std::string> words = {"compare", folder.file("base.json"), folder.file("new.json")};
    words.insert(words.end(), more.begin(), more.end());
    return bench(words);
  };
  const Outcome slow = compared(100, 110);
  EXPECT_EQ(slow.status, 4);
  EXPECT_THAT(slow.out, AllOf(HasSubstr("+10.0%"), HasSubstr("<.001  SLOW\n"),
                              HasSubstr("0 SAME, 0 FAST, 1 SLOW, 0 UNCLEAR")));
  EXPECT_LE(longest_line(slow.out), 80u);
  EXPECT_EQ(compared(110, 100).status, 0);
  EXPECT_THAT(compared(110, 100).out, HasSubstr("FAST\n"));
  EXPECT_EQ(compared(100, 110, {"--effect", "20"}).status, 0);
  const Outcome as_json = compared(100, 110, {"--format", "json"});
  EXPECT_EQ(as_json.status, 4);
  EXPECT_EQ(json::parse(as_json.out)["rows"][0]["change"], "SLOW");

  const std::string empty = R"({"schema":1,"device":{"name":"gpu"},"results":[]})";
  write_file(folder.file("empty.json"), empty);
  EXPECT_EQ(bench({"compare", folder.file("empty.json"), folder.file("new.json")}).status, 3);
  EXPECT_EQ(bench({"compare", folder.file("base.json")}).status, 2);
  EXPECT_EQ(bench({"compare", folder.file("base.json"), folder.file("none.json")}).status, 2);
}

// A result that is the same or slower does not hide another that is missing in NEW.
TEST(ReportCli, CompareFailsWhereARowIsLost) {
  const TemporaryFolder folder;
  const json same = json::parse(report_of(100, "copy/simple"))["results"][0];
  const json slower = json::parse(report_of(150, "copy/simple"))["results"][0];
  const json lost = json::parse(report_of(100))["results"][0];
  json wrong = lost, skipped = lost;
  wrong["verified"] = false;
  skipped["skipped"] = "too large";
  const auto compared = [&](const std::vector<json>& changed) {
    json report = json::parse(report_of(100));
    report["results"] = {same, lost};
    write_file(folder.file("base.json"), report.dump());
    report["results"] = changed;
    write_file(folder.file("new.json"), report.dump());
    return bench({"compare", folder.file("base.json"), folder.file("new.json")});
  };
  EXPECT_EQ(compared({same, lost}).status, 0);
  for (const std::vector<json>& changed : std::vector<std::vector<json>>{
           {same, wrong}, {same, skipped}, {same}, {slower, wrong}, {}}) {
    const Outcome outcome = compared(changed);
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    EXPECT_THAT(outcome.out, HasSubstr("failed: transpose/padded f32 256x256 in "));
    EXPECT_LE(longest_line(outcome.out), 80u);
  }
  EXPECT_THAT(compared({same, wrong}).out,
              HasSubstr("1 SAME, 0 FAST, 0 SLOW, 0 UNCLEAR, 1 failed"));
  EXPECT_EQ(bench({"compare", folder.file("base.json"), folder.file("base.json")}).status, 0);
}

TEST(ReportCli, CompareFitsATerminalWhateverTheNames) {
  const TemporaryFolder folder;
  const std::string name = "somebody/" + std::string(50, 'n');
  write_file(folder.file("base.json"), report_of(100, name));
  write_file(folder.file("new.json"), report_of(110, name));
  const Outcome outcome = bench({"compare", folder.file("base.json"), folder.file("new.json")});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(name + " f32 256x256\n"), HasSubstr("<.001  SLOW\n")));
  EXPECT_LE(longest_line(outcome.out), 80u);
}

// A name longer than a line is wrapped on a terminal, but not in a file.
TEST(ReportCli, CompareFitsATerminalWithNamesLongerThanALine) {
  const TemporaryFolder folder;
  const std::string name = "somebody/" + std::string(120, 'n') + "/" + std::string(60, 'm');
  write_file(folder.file("base.json"), report_of(100, name));
  write_file(folder.file("new.json"), report_of(110, name));
  std::vector<std::string> words = {"compare", folder.file("base.json"), folder.file("new.json")};
  const Outcome outcome = bench(words);
  EXPECT_EQ(outcome.status, 4);
  EXPECT_LE(longest_line(outcome.out), 80u) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("m f32 256x256\n    "));
  std::string joined = outcome.out;
  std::erase(joined, '\n');
  EXPECT_THAT(joined, HasSubstr(name + " f32 256x256"));
  words.insert(words.end(), {"--output", folder.file("compared.txt")});
  EXPECT_EQ(bench(words).status, 4);
  EXPECT_THAT(read_file(folder.file("compared.txt")), HasSubstr(name + " f32 256x256\n    "));
}

TEST(ReportCli, CompareOverwritesNoneOfItsInputs) {
  const TemporaryFolder folder;
  write_file(folder.file("base.json"), report_of(100));
  write_file(folder.file("new.json"), report_of(110));
  for (const char* name : {"base.json", "new.json"}) {
    expect_refused({"compare", folder.file("base.json"), folder.file("new.json"), "--output",
                    folder.file(std::string("./") + name)},
                   "one of the reports to compare; it would be overwritten");
    EXPECT_EQ(read_file(folder.file(name)),
              report_of(name == std::string("base.json") ? 100 : 110));
  }
}

TEST(ReportCli, CompareReadsWhatRunWrites) {
  const TemporaryFolder folder;
  const Outcome outcome = bench({"run", "copy/simple", "--size", "64", "--min-time", "0.01",
                                 "--format", "json", "--output", folder.file("a.json")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  write_file(folder.file("b.json"), read_file(folder.file("a.json")));  // a busy machine has others
  EXPECT_THAT(
      output_of({"compare", folder.file("a.json"), folder.file("b.json"), "--effect", "1000"}),
      HasSubstr("1 SAME, 0 FAST, 0 SLOW, 0 UNCLEAR"));
}

}  // namespace
}  // namespace vkmoye::test
