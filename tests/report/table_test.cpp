// SPDX-License-Identifier: MIT
// Text tables: their columns, and colour only on terminals.

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "io/terminal.hpp"
#include "report/summaries.hpp"
#include "support/expect.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

DeviceCaps device_of(DeviceKind kind) {
  DeviceCaps device;
  device.name = "A Device of a rather long Name (with a driver version, 256 bits)";
  device.driver = "and a driver that is called at some length as well";
  device.kind = kind;
  return device;
}

Result move_result() {
  Result result;
  result.kernel = "transpose/read_contiguous";
  result.type = "f32";
  result.size = {16384, 16384};
  result.timing = Timing{{812.0, 815.0, 811.0, 813.0}, Clock::device};
  result.gbps = 2641.4;
  result.percent_of_ceiling = 97;
  result.verified = true;
  result.verification = "full";
  result.ratio = {{"copy", 0.97}, {"vkcmdcopy", 2.5}};
  result.no_ratio = {{"cublas",
                      "none of libcublas.so.12 was found: neither by the loader nor in "
                      "/usr/local/cuda/lib64/a/path/that/goes/on/and/on/and/on/and/on/longer"}};
  result.command =
      "vkmoye-bench run transpose/read_contiguous --size 16384x16384 --type f32 --baseline "
      "copy,vkcmdcopy --device 'A Device'";
  return result;
}

Result product_result() {
  Result result;
  result.kernel = "gemm/coopmat";
  result.type = "f16,f32";
  result.size = {16384, 16384, 16384};
  result.timing = Timing{{15000.0}, Clock::device};
  result.gbps = 71.5;
  result.tflops = 586.4;
  result.verified = false;
  result.verification = "sample";
  result.wrong = "C(0,0) is 1, not 2, beyond 0.001";
  result.command = "again";
  return result;
}

std::string table_of(const std::vector<Result>& results, TableStyle style, DeviceKind kind) {
  style.kernel = style.type = style.size = 0;
  style.has_flops = false;
  for (const Result& result : results) {
    std::string size;
    for (const std::int64_t extent : result.size) size += "x" + std::to_string(extent);
    style.kernel = std::max(style.kernel, result.kernel.size());
    style.type = std::max(style.type, result.type.size());
    style.size = std::max(style.size, size.size() - 1);
    style.has_flops = style.has_flops || result.tflops.has_value();
  }
  std::ostringstream out;
  const auto report = make_report("table", out, device_of(kind), style, Summary::ladders);
  for (const Result& result : results) report->add(result);
  report->finish();
  return out.str();
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& line : split(text, '\n')) longest = std::max(longest, line.size());
  return longest;
}

TEST(Table, NoLineIsLongerThanTheTerminal) {
  for (const std::size_t columns : {80, 100, 120, 200}) {
    TableStyle style;
    style.terminal.columns = columns;
    style.commands = true;
    EXPECT_LE(longest_line(table_of({move_result()}, style, DeviceKind::cpu)), columns);
    EXPECT_LE(longest_line(table_of({product_result()}, style, DeviceKind::cpu)), columns);
    EXPECT_LE(longest_line(table_of({move_result(), product_result()}, style, DeviceKind::cpu)),
              columns);
  }
}

// Kernels that a user registers may have names of any length.
TEST(Table, NoNameIsTooLongForIt) {
  Result move = move_result(), product = product_result();
  move.kernel = "mine/" + std::string(70, 'm');
  product.kernel = "mine/" + std::string(200, 'p');
  move.ratio["mine/" + std::string(90, 'b')] = 1.5;
  for (const std::size_t columns : {80, 120}) {
    TableStyle style;
    style.terminal.columns = columns;
    style.commands = false;
    for (const std::vector<Result>& results :
         {std::vector<Result>{move}, {product}, {move, product}}) {
      const std::string text = table_of(results, style, DeviceKind::discrete);
      EXPECT_LE(longest_line(text), columns) << text;
      EXPECT_THAT(text, HasSubstr("median"));
    }
    const std::string text = table_of({move}, style, DeviceKind::discrete);
    if (columns == 80) {
      EXPECT_THAT(text, AllOf(HasSubstr(move.kernel + " f32\n16384x16384\n    "),
                              HasSubstr("GB/s  % copy  check\n"), HasSubstr("97  ok\n")));
    }
  }
}

TEST(Table, ShowsWhatMattersFirst) {
  const std::string narrow = table_of({move_result()}, {}, DeviceKind::discrete);
  EXPECT_THAT(narrow, AllOf(HasSubstr("GB/s  % copy  check\n"), HasSubstr("  2641      97  ok\n"),
                            Not(HasSubstr("p95")), Not(HasSubstr("TFLOP/s"))));
  EXPECT_THAT(table_of({product_result()}, {}, DeviceKind::discrete),
              AllOf(HasSubstr("TFLOP/s"), HasSubstr("586  WRONG\n    C(0,0) is 1, not 2")));
  TableStyle wide;
  wide.terminal.columns = 120;
  EXPECT_THAT(table_of({move_result()}, wide, DeviceKind::discrete),
              AllOf(HasSubstr("+-%"), HasSubstr("min"), HasSubstr("p95"), HasSubstr("samples")));
}

TEST(Table, BarsAreAsLongAsTheRatio) {
  const std::string text = table_of({move_result()}, {}, DeviceKind::discrete);
  const std::string hashes(19, '#');
  EXPECT_THAT(text, HasSubstr("    copy       0.97 x  " + hashes + "\n"));
  EXPECT_THAT(text, HasSubstr("    vkcmdcopy  2.50 x  " + std::string(50, '#') + "\n"));
  EXPECT_EQ(bar(0.001, 8, 16), "#");
  EXPECT_EQ(bar(0, 8, 16), "");
  EXPECT_EQ(bar(4, 8, 16), std::string(8, '#'));
  EXPECT_EQ(bar(100, 8, 4), "###>");
}

TEST(Table, CommandsAreThereWhereAskedForAndCanBeCopied) {
  EXPECT_THAT(table_of({move_result()}, {}, DeviceKind::discrete), Not(HasSubstr("--size")));
  TableStyle style;
  style.commands = true;
  const std::string text = table_of({move_result()}, style, DeviceKind::discrete);
  const auto from = text.find("    vkmoye-bench run");
  ASSERT_NE(from, std::string::npos);
  std::string command = text.substr(from + 4, text.find("Device'", from) + 7 - from - 4);
  for (auto at = command.find("\\\n"); at != std::string::npos; at = command.find("\\\n")) {
    command.replace(at, 2, "");
  }
  command.erase(std::unique(command.begin(), command.end(),
                            [](char a, char b) { return a == ' ' && b == ' '; }),
                command.end());
  EXPECT_EQ(command, move_result().command);
}

TEST(Table, OfACpuSaysThatItTellsNothingOfGpus) {
  const std::string said = "times say nothing about a GPU";
  EXPECT_THAT(table_of({move_result()}, {}, DeviceKind::cpu), HasSubstr(said));
  EXPECT_THAT(table_of({move_result()}, {}, DeviceKind::discrete), Not(HasSubstr(said)));
  std::ostringstream markdown;
  make_report("markdown", markdown, device_of(DeviceKind::cpu));
  EXPECT_THAT(markdown.str(), HasSubstr(said));
}

TEST(Table, IsInColourWhereThereIsColour) {
  EXPECT_THAT(table_of({move_result(), product_result()}, {}, DeviceKind::cpu),
              Not(HasSubstr("\x1b")));
  TableStyle style;
  style.terminal.colour = true;
  EXPECT_THAT(table_of({move_result(), product_result()}, style, DeviceKind::cpu),
              AllOf(HasSubstr("\x1b[32mok\x1b[0m\n"), HasSubstr("\x1b[1;31mWRONG\x1b[0m\n")));
}

TEST(Terminal, IsAsWideAsSaidAndEightyAtLeast) {
  const auto columns_where = [](const char* columns) {
    setenv("COLUMNS", columns, 1);
    const std::size_t found = terminal_of(std::nullopt).columns;
    unsetenv("COLUMNS");
    return found;
  };
  EXPECT_EQ(columns_where("132"), 132u);
  for (const char* none : {"40", "", "0", "-5", "wide", "1e9"}) EXPECT_EQ(columns_where(none), 80u);
  EXPECT_FALSE(terminal_of(std::nullopt).colour);
}

TEST(Wrap, AWordLongerThanALineGoesOnInTheNext) {
  EXPECT_EQ(hanging("ab: ", "one 0123456789abcdef two", 12),
            "ab: one\n    01234567\n    89abcdef\n    two\n");
  EXPECT_EQ(continued("  ", "run one two three", 12), "  run one \\\n    two \\\n    three\n");
}

TEST(Noise, IsTheIntervalOfTheMedian) {
  Timing timing;
  for (int i = 1; i <= 100; ++i) timing.samples_us.push_back(100 + i);
  // Ranks 50 +- 9.8 of 100: the values 150.5 +- 9.7.
  EXPECT_NEAR(noise_percent(timing), 100 * 9.7 / 150.5, 0.1);
  EXPECT_EQ(noise_percent({{5.0, 5.0, 5.0}, Clock::device}), 0);
  EXPECT_EQ(noise_percent({{5.0}, Clock::device}), 0);
}

// New columns are appended, since scripts may select columns by position.
TEST(Csv, ColumnsKeepTheirPlaces) {
  std::ostringstream out;
  Result result = product_result();
  result.ceiling = "peak";
  make_report("csv", out, device_of(DeviceKind::cpu))->add(result);
  EXPECT_THAT(
      out.str(),
      AllOf(StartsWith("device,driver,kernel,type,size,config,median_us,min_us,p95_us,samples,"
                       "clock,gbps,percent_of_ceiling,tflops,ratio,verified,mismatches,options,"
                       "remark,command,ceiling\n"),
            EndsWith(",again,peak\n")));
}

TEST(Remark, SaysTheReasonOfAGateOnce) {
  Result result = move_result();
  result.no_ratio = {{"cublas", "there is none"}};
  result.below_gate = {"transpose: cublas was not timed: there is none"};
  for (const char* format : {"csv", "markdown", "table"}) {
    std::ostringstream out;
    make_report(format, out, device_of(DeviceKind::cpu))->add(result);
    const std::string text = out.str();
    const auto first = text.find("there is none");
    ASSERT_NE(first, std::string::npos) << format;
    EXPECT_EQ(text.find("there is none", first + 1), std::string::npos) << text;
  }
}

TEST(Junit, HasACaseForEachRow) {
  Result slow = move_result(), skipped = move_result();
  slow.below_gate = {"0.97 < 1 & so \"slow\""};
  skipped.skipped = "needs more than there is";
  skipped.timing.reset();
  std::ostringstream out;
  {
    const auto report = make_report("junit", out, device_of(DeviceKind::cpu));
    for (const Result& result : {move_result(), product_result(), slow, skipped})
      report->add(result);
  }
  EXPECT_THAT(out.str(),
              AllOf(HasSubstr("tests=\"4\" failures=\"2\" skipped=\"1\" errors=\"0\""),
                    HasSubstr("classname=\"gemm/coopmat\" name=\"f16,f32 16384x16384x16384\""),
                    HasSubstr("<failure type=\"wrong result\" message=\"C(0,0) is 1, not 2"),
                    HasSubstr("message=\"0.97 &lt; 1 &amp; so &quot;slow&quot;\""),
                    HasSubstr("<skipped message=\"needs more than there is\"/>"),
                    HasSubstr("</testsuite>\n")));
}

}  // namespace
}  // namespace vkmoye::bench
