// SPDX-License-Identifier: MIT
// The commands that need no device: list, emit, explain.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

TEST(Cli, ExplainConvictsWithoutADevice) {
  const Outcome simple = bench({"explain", "transpose/simple"}, {"VK_DRIVER_FILES=/nowhere"});
  EXPECT_EQ(simple.status, 0) << simple.err;
  EXPECT_THAT(
      simple.out,
      AllOf(HasSubstr("\nload src: coalesced\n"),
            HasSubstr("\nload tile: 32-way bank conflict: 32 wavefronts where 1 would do\n"),
            HasSubstr("\nproblem: load tile, 32-way"),
            HasSubstr("not wider: consecutive values are 8 apart along row, of stride cols"),
            HasSubstr("guard src_col < cols, guard src_row < rows"), HasSubstr("subgroups of 32"),
            HasSubstr("\nraces in shared memory: none; every")));
  EXPECT_THAT(bench({"explain", "transpose/padded"}).out,
              AllOf(HasSubstr("\nok: 4 of 4 accesses"), Not(HasSubstr("problem: "))));
  EXPECT_THAT(bench({"explain", "transpose/simple", "--pad", "1"}).out, HasSubstr("\nok: "));
  EXPECT_THAT(bench({"explain", "copy/simple", "--lanes", "64"}).out,
              HasSubstr("8 sectors for 256 bytes"));

  const Outcome ragged =
      bench({"explain", "copy/tiled_vec", "--size", "33x65", "--format", "json"});
  const json report = json::parse(ragged.out);
  EXPECT_EQ(report["model"]["sizes"], json({{"cols", 65}, {"rows", 33}}));
  EXPECT_EQ(report["problem"], true);  // element by element, the lanes are 4 apart
  ASSERT_EQ(report["accesses"].size(), 4u);
  EXPECT_EQ(report["accesses"][0]["requests"], 0);  // the vectors
  EXPECT_EQ(report["accesses"][0]["sectors"], nullptr);
  EXPECT_EQ(report["accesses"][2]["path"], "cols is no multiple of 4");
  EXPECT_EQ(report["accesses"][2]["width"], 1);
  EXPECT_GT(report["accesses"][2]["sectors"]["found"], 0);

  const Outcome markdown = bench({"explain", "copy/tiled_split", "--format", "markdown"});
  EXPECT_THAT(markdown.out, AllOf(StartsWith("**copy/tiled_split** type=f32"),
                                  HasSubstr("| NOT coalesced: 16 sectors where 8 would do |"),
                                  HasSubstr("\n- problem: store dst")));
}

TEST(Cli, EmitWritesWhatIsAskedForToStdoutAlone) {
  const json interface = json::parse(bench({"emit", "copy/simple", "--interface", "-"}).out);
  EXPECT_EQ(interface["kernel"], "copy/simple");
  EXPECT_EQ(bench({"emit", "copy/simple", "--spirv", "-"}).out.substr(0, 4),
            std::string("\x03\x02\x23\x07", 4));
  expect_refused({"emit", "copy/simple", "--spirv", "-", "--interface", "-"},
                 "--spirv and --interface name the same stdout");
  EXPECT_FALSE(std::filesystem::exists("-"));
}

// Columns are separated, and lines fit a terminal.
TEST(Cli, ListAndHelpFitEightyColumns) {
  std::vector<std::vector<std::string>> commands = {{"--help"},
                                                    {"list"},
                                                    {"list", "gemm/simt"},
                                                    {"run", "gemm/*", "--help"},
                                                    {"apply", "transpose/auto", "--help"}};
  for (const char* command : {"devices", "list", "run", "apply", "pack", "emit", "explain",
                              "layout", "tune", "peak", "suite"}) {
    commands.push_back({command, "--help"});
  }
  for (const auto& words : commands) {
    const Outcome outcome = bench(words);
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("Usage: ")) continue;  // holds the path of the program
      EXPECT_LE(line.size(), 80u) << line;
      if (!line.starts_with("  --")) continue;
      // A name, the word for its value, and the text two columns later or on the next line.
      static const std::regex kEntry("  --[a-z0-9_,-]+( [A-Z]+)?( \\(required\\))?(  +[^ ].*)?");
      EXPECT_TRUE(std::regex_match(line, kEntry)) << line;
    }
  }
}

// Each option has one meaning: that of the named kernel.
TEST(Cli, HelpOfAKernelSaysWhatItsOptionsMean) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"list", "gemm/simt"}, {"run", "gemm/simt", "--help"}, {"run", "--help", "gemm/simt"}}) {
    EXPECT_THAT(output_of(words),
                AllOf(HasSubstr("--fragments  2 "), HasSubstr("((1,32),(8,64))\n"),
                      HasSubstr("fragments of A and of B in registers: 1, or 2 that\n"),
                      HasSubstr("multiplied; no or yes\n"), Not(HasSubstr("64x32x8")),
                      HasSubstr("parentheses\n(whole numbers are at most 4294967295):\n"),
                      HasSubstr("--batch     number of products in the batch (1)\n"),
                      Not(HasSubstr("--packed")), Not(HasSubstr("; or "))));
  }
  EXPECT_THAT(bench({"list", "gemm/packed"}).out, HasSubstr("--packed  "));
  EXPECT_THAT(bench({"list", "gemm/*"}).out, HasSubstr("--packed (list gemm/packed)"));
  EXPECT_THAT(bench({"apply", "gemm/simt", "--help"}).out, Not(HasSubstr("--batch")));
  EXPECT_EQ(bench({"run", "gemm/smit", "--help"}).status, 2);
  const std::string every = bench({"run", "--help"}).out;
  EXPECT_THAT(every, AllOf(HasSubstr("run KERNEL --help"), HasSubstr("--min-time"),
                           Not(HasSubstr("--tile VALUE")), Not(HasSubstr("--alpha VALUE")),
                           Not(HasSubstr("; or "))));
  EXPECT_THAT(
      bench({"tune", "--help"}).out,
      AllOf(HasSubstr("--alpha VALUE"), Not(HasSubstr("--split-k")), Not(HasSubstr("--packed"))));
  EXPECT_THAT(bench({"matmul", "--help"}).out,
              AllOf(Not(HasSubstr("copy/auto")), HasSubstr("--bias FILE"),
                    HasSubstr("--scale_m,--scale-m FILE")));
  EXPECT_THAT(bench({"emit", "--help"}).out,
              AllOf(HasSubstr(" KERNEL\n"), HasSubstr("print this help")));
}

TEST(Cli, ExplainLeavesOutSizesThatAreBaked) {
  EXPECT_THAT(bench({"explain", "relayout"}).out, HasSubstr(" workgroup (0,0); sectors of "));
}

// lavapipe has subgroups of 8, so that its explanation differs from that for other devices.
TEST(Cli, ExplainAndEmitDescribeForTheDeviceThatIsNamed) {
  EXPECT_THAT(bench({"explain", "copy/simple"}).out, HasSubstr("subgroups of 32"));
  const Outcome explained = bench({"explain", "copy/simple", "--device", "llvmpipe"});
  if (explained.status != 0) GTEST_SKIP() << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("subgroups of 8"));
  EXPECT_THAT(bench({"explain", "copy/simple", "--device", "llvmpipe", "--lanes", "4"}).out,
              HasSubstr("subgroups of 4"));
  EXPECT_EQ(bench({"emit", "copy/simple", "--device", "llvmpipe"}).status, 0);
  expect_refused(
      {"emit", "copy/simple", "--type", "f64", "--tile", "128x128", "--device", "llvmpipe"},
      "needs 131072 bytes of shared memory, the device has", 3);
  EXPECT_EQ(bench({"emit", "copy/simple", "--device", "no such device"}).status, 2);
}

TEST(Cli, ListNamesEveryKernelWithItsSource) {
  EXPECT_THAT(output_of({"list", "transpose/*"}),
              AllOf(HasSubstr("transpose/simple"), HasSubstr("transpose/padded"),
                    HasSubstr("MoYe.jl"), Not(HasSubstr("copy/"))));
}

// A kernel whose shapes of tiles differ has several copies of one array; the case tells them apart.
TEST(Cli, ExplainTellsTheCasesOfACopyApart) {
  const std::string out = bench({"explain", "gemm/thin"}).out;
  EXPECT_THAT(
      out, AllOf(HasSubstr("  where   a whole tile; alpha != 0.0, k > 0, k and ldb and lda are"),
                 HasSubstr("  where   a tile at an edge, 0 outside; alpha"), Not(HasSubstr("0u")),
                 Not(HasSubstr("k != 0")),
                 HasSubstr("\nstore c: as few sectors as possible, 4 bytes used of 1 sector\n"),
                 HasSubstr("\nraces in shared memory: none\n")));
  std::istringstream lines(bench({"explain", "gemm/coopmat", "--type", "f16,f32"}).out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
}

TEST(Cli, EmitPrintsGlslAndWritesSpirvAndInterfaceWithoutADevice) {
  const TemporaryFolder folder;
  EXPECT_THAT(output_of({"emit", "transpose/padded", "--type", "f16", "--spirv",
                         folder.file("t.spv"), "--interface", folder.file("t.json")},
                        {"VK_DRIVER_FILES=/nonexistent"}),
              AllOf(StartsWith("// generated: transpose/padded"),
                    HasSubstr("shared float16_t tile[1055];  // (32,32):(1,33)")));
  EXPECT_EQ(read_file(folder.file("t.spv")).substr(0, 4), std::string("\x03\x02\x23\x07", 4));
  const json interface = json::parse(read_file(folder.file("t.json")));
  EXPECT_EQ(interface["bindings"][1]["extents"], json::parse(R"(["rows", "cols"])"));
  EXPECT_EQ(interface["push_constants"][0]["name"], "cols");
  EXPECT_EQ(interface["bindings"][0]["reach"], "descriptor");
  EXPECT_EQ(interface["needs"]["shared_bytes"], 2110);
}

// The command in the header of a shader, for a shell: lines that continue it begin with "//   ".
std::string command_in(const std::string& shader) {
  const std::string begin = "vkmoye-bench ", line = "\n//  ";
  std::string text = shader.substr(0, shader.find("\n#version"));
  text = text.substr(std::min(text.find(begin), text.size()));
  for (std::size_t at = text.find(line); at != std::string::npos; at = text.find(line))
    text.erase(at, line.size());
  return text.empty() ? text : bench_program() + text.substr(begin.size() - 1);
}

TEST(Cli, TheCommandInAShaderPrintsTheShaderAgain) {
  const std::vector<std::string> commands[] = {
      {"emit", "transpose/padded", "--type", "f16", "--tile", "48x80", "--threads", "16x8"},
      {"emit", "copy/simple", "--shared", "Swizzle<5,0,5> o (32,32):(1,32)"},
      {"emit", "relayout", "--size", "128x64x3", "--permute", "2,0,1", "--type", "u8"},
      {"emit", "reduce/sum", "--axis", "0", "--rounds", "2"},
      {"emit", "reduce/sum", "--axis", "0", "--size", "100000x64"},  // two kernels
      {"emit", "norm/rms", "--epsilon", "1e-6", "--size", "2x100000", "--type", "f16"},
      {"emit", "gemm/simt", "--type", "f32*f16,f32", "--a", "m", "--beta", "0.5", "--batch", "3",
       "--epilogue", "bias,scale:2"},
      {"emit", "gemm/coopmat", "--type", "f16,f32", "--size", "128x128x8192", "--device", "h100"},
      {"emit", "gemm/thin", "--size", "1x8192x8192"},
      {"emit", "gemm/quantised", "--type", "f16*q4_K,f32", "--size", "1x2048x2048"},
      {"emit", "softmax/rows", "--size", "100x96", "--sizes-from-buffer", "rows", "--type", "f16"},
      {"emit", "transpose/padded", "--specialise", "all", "--type", "f16"},
      {"emit", "attention/simt", "--causal", "--soft-cap", "50"},
      {"emit", "attention/simt", "--lengths", "--axes", "bhsd,bshd,bshd,bhsd"},
  };
  for (const std::vector<std::string>& command : commands) {
    const std::string shader = bench(command).out;
    const std::string again = command_in(shader);
    EXPECT_NE(again, "");
    EXPECT_EQ(run({"/bin/sh", "-c", again}).out, shader) << again;
  }
}

}  // namespace
}  // namespace vkmoye::test
