// SPDX-License-Identifier: MIT
// What commands show on a terminal while they run, and what a signal leaves of the longest of them.

#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/bench.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

// What `command` shows on a terminal.
std::string shown_on_terminal(const std::string& command) {
  const TemporaryFolder folder;
  const std::string file = folder.file("terminal");
  const Outcome outcome = run({"script", "-qec", "exec " + bench_program() + ' ' + command, file});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  return read_file(file);
}

bool has_script() { return run({"sh", "-c", "command -v script"}).status == 0; }

TEST(OnATerminal, CommandsShowWhatRuns) {
  if (!has_script()) GTEST_SKIP() << "there is no program 'script', which makes a terminal";
  const std::string shown =
      shown_on_terminal("run copy/simple --size 64x64,32x32 --min-time 0 --format json");
  EXPECT_THAT(shown, HasSubstr("\r\x1b[K[1/2] copy/simple f32 64x64: describing"));
  EXPECT_THAT(shown, HasSubstr("[2/2] compiling copy/simple f32 32x32 ("));
  EXPECT_THAT(shown, HasSubstr("[2/2] copy/simple f32 32x32: checking"));
}

TEST(OnATerminal, CommandsShowHowLongTheyTakeYet) {
  if (!has_script()) GTEST_SKIP() << "there is no program 'script', which makes a terminal";
  const std::string shown = shown_on_terminal(
      "run copy/simple --size 8x8,8x8,8x8,8x8,8x8,8x8,8x8,8x8 --min-time 0.3 --format json");
  EXPECT_THAT(shown, testing::ContainsRegex("\\[7/8\\] copy/simple f32 8x8: [a-z ]+, about [0-9]+ "
                                            "s left"));
  EXPECT_THAT(shown, Not(HasSubstr("[1/8] copy/simple f32 8x8: timing, about")));
}

TEST(OnATerminal, TuneShowsItsConfigsAndWhatIsLeftOfItsBudget) {
  if (!has_script()) GTEST_SKIP() << "there is no program 'script', which makes a terminal";
  if (!has_lavapipe()) GTEST_SKIP() << "no device that is a CPU";
  const TemporaryFolder folder;
  const std::string shown =
      shown_on_terminal("tune gemm --size 32x32x32 --budget 3 --device llvmpipe --table " +
                        folder.file("table.json"));
  EXPECT_THAT(shown, testing::ContainsRegex("\\[1/[0-9]+\\] compiling f32 32x32x32 gemm/[a-z_]+"));
  EXPECT_THAT(shown, testing::ContainsRegex("about [0-9]+ s left"));
}

TEST(OnATerminal, PackShowsWhatItDoes) {
  if (!has_script()) GTEST_SKIP() << "there is no program 'script', which makes a terminal";
  const TemporaryFolder folder;
  const std::string in = folder.file("w.npy"), out = folder.file("packed.npy");
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 32), }";
  header.resize(117, ' ');
  write_file(in, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' +
                     std::string(2 * 32 * 4, '\0'));
  const std::string shown =
      shown_on_terminal("pack gemm/auto --type 'f32*q4_0' --in " + in + " --out " + out);
  EXPECT_THAT(shown, HasSubstr("reading " + in.substr(0, 60)));
  EXPECT_THAT(shown, HasSubstr("quantising "));
  EXPECT_THAT(shown, HasSubstr("writing "));
}

// Sends a signal to the program once `file` contains `text`.
auto interrupt_after(const std::string& file, const std::string& text) {
  return [=](pid_t program) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (read_file(file).find(text) == std::string::npos &&
           std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    kill(program, SIGINT);
  };
}

TEST(Interrupted, ATableSaysThatResultsAreMissing) {
  const TemporaryFolder folder;
  const std::string file = folder.file("report");
  for (const char* format : {"table", "markdown"}) {
    const Outcome outcome = run({bench_program(), "run", "copy/simple", "--size", "8:1008:1",
                                 "--min-time", "0.1", "--format", format, "--output", file},
                                {}, interrupt_after(file, "copy/simple"));
    EXPECT_EQ(outcome.status, 128 + SIGINT) << outcome.err;
    EXPECT_THAT(read_file(file), EndsWith("\n\ninterrupted: results are missing\n"));
    write_file(file, "");
  }
}

// The report, and the page of --report.
TEST(Interrupted, SuiteLeavesAWholeReportOfWhatIsDone) {
  const TemporaryFolder folder;
  const std::string file = folder.file("report.json"), page = folder.file("page.html");
  const Outcome outcome = run(
      {bench_program(), "suite", "--quick", "--format", "json", "--output", file, "--report", page},
      {}, interrupt_after(file, "\"command\""));
  EXPECT_EQ(outcome.status, 128 + SIGINT) << outcome.err;
  const json report = json::parse(read_file(file));
  EXPECT_EQ(report["interrupted"], true);
  EXPECT_GE(report["results"].size(), 1u);
  EXPECT_THAT(read_file(page), AllOf(HasSubstr("interrupted"), EndsWith("</html>\n")));
}

}  // namespace
}  // namespace vkmoye::test
