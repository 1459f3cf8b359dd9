// SPDX-License-Identifier: MIT
// What shells offer: the script for bash is run by bash, the others are checked where their shells are installed.

#include <algorithm>

#include "cli/bench.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  lines.pop_back();
  return lines;
}

// What the script for bash offers for the last of `words`.
std::vector<std::string> offered(std::vector<std::string> words) {
  words.insert(words.begin(),
               {"bash", "-c",
                "source <(\"$0\" completion bash); COMP_WORDS=(\"$0\" \"$@\"); COMP_CWORD=$#; "
                "_vkmoye_bench; for word in \"${COMPREPLY[@]}\"; do printf '%s\\n' \"$word\"; done",
                bench_program()});
  return lines_of(output_of(run(words)));
}

TEST(Completion, OffersCommands) {
  EXPECT_THAT(offered({"co"}), ElementsAre("compare", "completion"));
  const std::vector<std::string> all = offered({""});
  for (const char* word : {"run", "suite", "man", "--help", "--version"}) {
    EXPECT_THAT(all, Contains(word));
  }
  EXPECT_THAT(offered({"nonsense", ""}), IsEmpty());
}

TEST(Completion, OffersKernelsOfTheRegistry) {
  EXPECT_THAT(offered({"run", "softmax/r"}), ElementsAre("softmax/rows"));
  std::vector<std::string> listed;
  for (const std::string& line : lines_of(output_of({"list"}))) {
    if (!line.starts_with(" ")) listed.push_back(line);
  }
  EXPECT_EQ(offered({"explain", ""}), listed);
  EXPECT_THAT(offered({"run", "copy/simple", "copy/padd"}), Contains("copy/padded"));
  EXPECT_THAT(offered({"tune", ""}), ElementsAre("gemm"));
}

TEST(Completion, OffersTheOptionsOfTheCommand) {
  EXPECT_THAT(offered({"run", "--res"}), ElementsAre("--resident"));
  EXPECT_THAT(offered({"suite", "--"}), AllOf(Contains("--quick"), Not(Contains("--resident"))));
  EXPECT_THAT(offered({"emit", "copy/simple", "--spi"}), ElementsAre("--spirv"));
  // After the only argument, there are options alone.
  EXPECT_THAT(offered({"tune", "gemm", ""}), AllOf(Contains("--budget"), Each(StartsWith("--"))));
}

// Those of a kernel once it is typed, also as a pattern in quotes.
TEST(Completion, OffersTheOptionsOfTheKernel) {
  EXPECT_THAT(offered({"run", "--ti"}), IsEmpty());
  EXPECT_THAT(offered({"run", "copy/simple", "--ti"}), ElementsAre("--tile"));
  EXPECT_THAT(offered({"run", "'copy/*'", "--ti"}), ElementsAre("--tile"));
  EXPECT_THAT(offered({"run", "softmax/rows", "--causal"}), IsEmpty());
  EXPECT_THAT(offered({"run", "attention/auto", "--caus"}), ElementsAre("--causal"));
  EXPECT_THAT(offered({"tune", "gemm", "--epi"}), ElementsAre("--epilogue"));
}

TEST(Completion, OffersTheValuesOfChoices) {
  EXPECT_THAT(offered({"run", "--format", ""}),
              ElementsAre("table", "json", "csv", "markdown", "junit"));
  EXPECT_THAT(offered({"explain", "--format", "m"}), ElementsAre("markdown"));
  EXPECT_THAT(offered({"run", "--verify", "s"}), ElementsAre("sample"));
  EXPECT_THAT(offered({"pack", "gemm/auto", "--from", "gptq_"}), ElementsAre("gptq_v2"));
  EXPECT_THAT(offered({"layout", "--weights", "q4_"}), ElementsAre("q4_0", "q4_1", "q4_K"));
  EXPECT_THAT(offered({"run", "rope/rows", "--pairs", ""}), ElementsAre("neighbours", "halves"));
  EXPECT_THAT(offered({"run", "attention/auto", "--mask", "b"}), ElementsAre("bf16"));
  EXPECT_THAT(offered({"explain", "gemm/auto", "--device", "navi3"}), ElementsAre("navi31"));
  EXPECT_THAT(offered({"run", "--seed", ""}), IsEmpty());
  // bash splits at "="; other shells pass one word.
  EXPECT_THAT(offered({"run", "--format", "=", "cs"}), ElementsAre("csv"));
  EXPECT_THAT(offered({"run", "--format", "="}), Contains("csv"));
  EXPECT_EQ(output_of({"completion", "words", "--", "run", "--format=cs"}), "--format=csv\n");
  // The last part of a list.
  EXPECT_THAT(offered({"run", "gemm/auto", "--epilogue", "bias,re"}),
              ElementsAre("bias,relu", "bias,residual", "bias,residual_c"));
  EXPECT_THAT(offered({"suite", "--baseline", "copy,vk"}), ElementsAre("copy,vkcmdcopy"));
}

TEST(Completion, OffersFiles) {
  const TemporaryFolder folder;
  const std::string file = folder.file("weights.npy");
  write_file(file, "");
  const std::string typed = file.substr(0, file.size() - 3);
  EXPECT_THAT(offered({"apply", "copy/simple", "--in", typed}), ElementsAre(file));
  EXPECT_THAT(offered({"apply", "gemm/auto", "--in", "a.npy", typed}), ElementsAre(file));
  EXPECT_THAT(offered({"compare", typed}), ElementsAre(file));
  EXPECT_THAT(offered({"compare", "base.json", typed}), ElementsAre(file));
  EXPECT_THAT(offered({"run", "copy/simple", "--output", typed}), ElementsAre(file));
  EXPECT_THAT(offered({"run", "copy/simple", "--size", typed}), IsEmpty());
}

TEST(Completion, HelpIsShortAndInOneLine) {
  for (const std::string& line :
       lines_of(output_of({"completion", "words", "--", "run", "gemm/auto", "--"}))) {
    EXPECT_EQ(std::count(line.begin(), line.end(), '\t'), 1) << line;
    EXPECT_LT(line.size(), 100u) << line;
  }
}

// Whether `shell` finds no mistake in the syntax of its script.
void expect_valid(const std::string& shell) {
  const Outcome installed = run({"sh", "-c", "command -v " + shell});
  if (installed.status != 0) GTEST_SKIP() << shell << " is not installed";
  const TemporaryFolder folder;
  const std::string file = folder.file("script");
  write_file(file, output_of({"completion", shell}));
  const Outcome outcome = run({shell, "-n", file});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

TEST(Completion, TheScriptForBashIsValid) { expect_valid("bash"); }
TEST(Completion, TheScriptForZshIsValid) { expect_valid("zsh"); }
TEST(Completion, TheScriptForFishIsValid) { expect_valid("fish"); }

TEST(Completion, AnUnknownShellIsAnsweredWithTheNearest) {
  expect_refused({"completion", "bahs"}, "unknown shell 'bahs' (did you mean 'bash'?)");
  expect_refused({"completion"}, "SHELL is required");
}

}  // namespace
}  // namespace vkmoye::test
