// SPDX-License-Identifier: MIT
// The manual page: it is whole, and roff finds nothing wrong with it.

#include "cli/bench.hpp"

namespace vkmoye::test {
namespace {

// As groff shows it; "": groff is not installed.
std::string shown_page(const std::string& page) {
  if (run({"sh", "-c", "command -v groff"}).status != 0) return "";
  const TemporaryFolder folder;
  const std::string file = folder.file("page.1");
  write_file(file, page);
  const Outcome outcome = run({"groff", "-man", "-Tascii", "-P-cbou", "-rLL=100n", "-ww", file});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");  // with all warnings
  return outcome.out;
}

TEST(ManualPage, HasItsSections) {
  const std::string page = output_of({"man"});
  std::size_t at = 0;
  for (const char* section :
       {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES"}) {
    const std::size_t found = page.find(std::string(".SH ") + section + '\n', at);
    ASSERT_NE(found, std::string::npos) << section;
    at = found;
  }
}

TEST(ManualPage, IsShownWithoutWarnings) {
  const std::string page = shown_page(output_of({"man"}));
  if (page.empty()) GTEST_SKIP() << "groff is not installed";
  EXPECT_THAT(page, HasSubstr("vkmoye-bench - GPU kernels described by layouts, on Vulkan"));
  EXPECT_THAT(page, HasSubstr("   apply KERNEL --in FILE... --out FILE...\n"));
  EXPECT_THAT(page, HasSubstr("--stop-noise PERCENT\n"));
  EXPECT_THAT(page, HasSubstr("what eval does: answers each line {\"op\",\"args\"} of stdin"));
  // A backslash and quotes of an example stay as they are.
  EXPECT_THAT(
      page, HasSubstr("vkmoye-bench apply gemm/auto --type 'f16*q4_0,f32' --in a.npy w.npy \\\n"));
}

// Each command with each of its options that its help lists.
TEST(ManualPage, HasEveryOptionOfEveryCommand) {
  const std::string page = output_of({"man"});
  for (const char* command : {"devices", "list", "run", "apply", "matmul", "pack", "emit",
                              "explain", "layout", "tune", "peak", "suite", "compare"}) {
    const std::size_t begin = page.find(std::string("\n.SS ") + command);
    ASSERT_NE(begin, std::string::npos) << command;
    const std::string part = page.substr(begin, page.find("\n.S", begin + 1) - begin);
    const std::string help = output_of({command, "--help"});
    std::size_t count = 0;
    for (std::size_t at = 0; (at = help.find("\n  --", at)) != std::string::npos; ++at) {
      const std::string option = help.substr(at + 5, help.find_first_of(" ,\n", at + 5) - at - 5);
      std::string escaped;
      for (const char c : option) escaped += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_THAT(part, HasSubstr(".B \\-\\-" + escaped)) << command;
      ++count;
    }
    EXPECT_GT(count, 0u) << command;
  }
}

TEST(ManualPage, HasTheVariablesOfThePageOnTheProgram) {
  const std::string page = output_of({"man"});
  for (const char* variable :
       {"VKMOYE_CACHE_DIR", "VKMOYE_VERIFIED_DIR", "VKMOYE_GEMM_TABLE", "VKMOYE_CUBLAS",
        "VKMOYE_OPENBLAS", "VK_DRIVER_FILES", "VK_INSTANCE_LAYERS"}) {
    EXPECT_THAT(page, HasSubstr(std::string(".B ") + variable + '\n'));
  }
}

}  // namespace
}  // namespace vkmoye::test
