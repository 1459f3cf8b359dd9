// SPDX-License-Identifier: MIT
// Wrong usage, help, exit statuses, missing devices.

#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

TEST(Cli, EveryCommandHelpsWithTwoExamples) {
  EXPECT_EQ(bench({"--help"}).status, 0);
  for (const char* command : {"devices", "list", "run", "apply", "pack", "emit", "explain",
                              "layout", "tune", "peak", "suite", "completion", "man"}) {
    const Outcome help = bench({command, "--help"});
    EXPECT_EQ(help.status, 0) << command;
    const auto examples = help.out.find("Examples:");
    ASSERT_NE(examples, std::string::npos) << command;
    EXPECT_THAT(help.out.substr(examples), HasSubstr(std::string("vkmoye-bench ") + command));
  }
}

TEST(Cli, WrongUsageIsRefusedWithTheNearestName) {
  const auto refused = [](std::vector<std::string> words, const std::string& text) {
    expect_refused(words, AllOf(StartsWith("vkmoye-bench: "), HasSubstr(text)));
  };
  refused({"rum"}, "did you mean 'run'?");
  refused({}, "subcommand");
  refused({"--nonsense"}, "unknown option '--nonsense'");
  refused({"-x"}, "unknown option '-x'");
  refused({"layout", "--jsno"}, "(did you mean '--jsonl'?); see '");
  refused({"emit", "copy/simple", "--spirv", "/dev/null", "--interface", "/dev/null"}, "same file");
  refused({"--versoin"}, "did you mean '--version'?");
  refused({"run", "copy/simple", "--type", "F32"}, "did you mean 'f32'?");
  refused({"run", "copy/simpel"}, "did you mean 'copy/simple'?");
  refused({"run", "--size"}, "--size needs a value\n");
  refused({"run", "copy/simple", "--min-time"}, "--min-time needs a value\n");
  refused({"apply", "copy/simple", "--out", "x", "--in"}, "--in needs a value\n");
  refused({"run", "fft/*"}, "no kernel 'fft/*'; 'vkmoye-bench list' shows all kernels\n");
  refused({"run", "copy/nope"}, "no kernel 'copy/nope'; copy/ has simple padded ");
  refused({"list", "nor"},
          "no kernel 'nor' (did you mean 'norm'?); norm/ has rms residual layer; ");
  refused({"run", "rope/rows", "--size", "3x2x7"}, "no size has a result: rope/rows: rows of 7 ");
  refused({"run", "softmax"}, "no kernel 'softmax'; softmax/ has rows; ");
  refused({"run", "copy/simple", "--sise", "3x3"}, "did you mean '--size'?");
  refused({"run", "copy/simple", "--tile", "8x8", "--bogus", "1"}, "unknown option '--bogus'");
  refused({"run", "copy/simple", "--tiel", "8x8"}, "did you mean '--tile'?");
  refused({"run", "transpose/padded", "--pda", "1"},
          "'--pda' (did you mean '--pad'?); see 'vkmoye-bench run transpose/padded --help'\n");
  refused(
      {"apply", "copy/simple", "--in", "a.npy"},
      "apply: --out is required\n  usage: vkmoye-bench apply KERNEL --in FILE... --out FILE...; "
      "see ");
  refused({"emit", "gemm/packed", "--type", "f32"},
          "gemm/packed: the kernel does not support f32; it supports f16 bf16\n");
  refused({"run", "copy/simple", "--type", "f31"}, "unknown type 'f31'");
  refused({"run", "copy/simple", "--size", "-3x4"}, "-3 is outside 0..");
  refused({"run", "copy/simple", "--size", "3x4x5"}, "has 3 extents");
  refused({"run", "copy/simple", "--size", "3y4"}, "ROWSxCOLUMNS");
  refused({"run", "copy/simple", "--size", "99999999999999999999x1"}, "is outside");
  refused({"run", "copy/simple", "--format", "xml"}, "xml");
  refused({"run", "copy/simple", "--device", "no such device"}, "no such device");
  refused({"run", "copy/simple", "--device", "77"},
          "no device has the index 77; the devices are\n  0  ");
  refused({"run", "copy/simple", "--tile", "33x32"}, "does not divide");
  refused({"run", "transpose/padded", "--shared", "(32,32):(1,31)"},
          "coordinates (0,1) and (31,0) share address 31");
  refused({"run", "copy/simple", "--shared", "(32,32:(1,32)"}, "column");
  refused({"run", "copy/simple", "--format", "josn"}, "did you mean 'json'?");
  refused({"run", "copy/simple", "--verify", "Full"}, "did you mean 'full'?");
  refused({"run", "copy/simple", "--baseline", "copy,vkcmdcpy"}, "did you mean 'vkcmdcopy'?");
  refused({"run", "copy/simple", "--baseline", "simpel"},
          ", or the name of a kernel from 'vkmoye-bench list'\n");
  refused({"run", "gemm/thin", "--baseline", "simt"},
          ", or the name of a kernel (did you mean 'attention/simt'?)\n");
  refused({"run", "copy/simple", "--baseline", "copy/simple"},
          "--baseline copy/simple: is the kernel itself; known: copy ");
  refused({"run", "copy/simple", "--baseline", "transpose/padded"},
          "--baseline transpose/padded: does not compute the same as copy/simple; known: copy "
          "vkcmdcopy cudamemcpy copy/padded ");
  refused({"suite", "--baseline", "cubals,copy"}, "unknown baseline 'cubals'");
  for (const char* seconds : {"-1", "nan", "-nan", "inf", "61", "1s", "", "0.5 "}) {
    refused({"run", "copy/simple", "--min-time", seconds}, "--min-time ");
  }
  for (const char* seed : {"-1", "18446744073709551616", "1.5", "0x10", "", "+1"}) {
    refused({"run", "copy/simple", "--seed", seed}, "--seed ");
  }
  for (const char* option : {"--output", "--device", "--format"}) {
    refused({"run", "copy/simple", option, ""}, std::string(option) + " has an empty value");
    refused({"suite", option, ""}, std::string(option) + " has an empty value");
  }
  for (const char* option : {"--spirv", "--interface"}) {
    refused({"emit", "copy/simple", option, ""}, std::string(option) + " has an empty value");
  }
  for (const char* option : {"--in", "--out", "--type", "--device"}) {
    refused({"apply", "copy/simple", option, ""}, std::string(option) + " has an empty value");
  }
  refused({"apply", "copy/simple", "--in", "a", "--out", "b", "--type", "zzz"},
          "unknown type 'zzz'");
  refused({"explain", "copy/simple", "--size", "3x4x5"}, "has 3 extents");
  refused({"explain", "copy/simple", "--size", "4,5"}, "only one can be used");
  refused({"explain", "copy/simple", "--format", "csv"}, "unknown format 'csv'");
  refused({"explain", "copy/simple", "--lanes", "0"}, "--lanes");
  refused({"explain", "copy/simple", "--tile", "33x32"}, "does not divide");
  refused({"run", "copy/simple", "--seed", "1", "--seed", "2"}, "--seed is given 2 times");
  refused({"emit", "copy/simple", "--type", "f32", "--type", "f16"}, "--type: is given 2 times");
  refused({"emit", "copy/simple", "--size", "4x4"}, "takes these sizes at run time");
  refused({"emit", "copy/*"}, "matches 6 kernels");
}

TEST(Cli, VersionIsTheProjects) {
  EXPECT_THAT(output_of({"--version"}), testing::MatchesRegex("vkmoye-bench [0-9.]+\n"));
}

TEST(Cli, LostOutputIsAnError) {
  const std::vector<std::string> commands[] = {
      {"--help"},
      {"--version"},
      {"list"},
      {"layout", "4:1"},
      {"devices"},
      {"emit", "copy/simple"},
      {"explain", "copy/simple"},
      {"run", "--help"},
      {"run", "copy/simple", "--size", "33x65", "--min-time", "0"}};
  for (const std::vector<std::string>& words : commands) {
    for (const char* redirection : {"> /dev/full", ">&-"}) {
      const Outcome outcome = bench_redirected(redirection, words);
      EXPECT_EQ(outcome.status, 2) << words[0] << redirection << outcome.err;
      EXPECT_EQ(outcome.err, "vkmoye-bench: cannot write to standard output\n") << words[0];
    }
  }
  const Outcome lines = bench_redirected("> /dev/full", {"layout", "eval", "--jsonl"});
  EXPECT_EQ(lines.status, 0) << "no line in, none out: " << lines.err;
}

TEST(Cli, AnUnknownDeviceIsAnsweredWithTheNearest) {
  const Outcome run =
      bench({"run", "copy/simple", "--size", "1x1", "--min-time", "0", "--format", "json"});
  ASSERT_EQ(run.status, 0) << run.err;
  std::string name = json::parse(run.out)["device"]["name"];
  name = name.substr(0, name.find(' '));
  name.back() = '#';
  EXPECT_THAT(bench({"run", "copy/simple", "--device", name}).err, HasSubstr("did you mean '"));
}

TEST(Cli, WithoutAnyDeviceNothingRuns) {
  const std::vector<std::string> none = {"VK_DRIVER_FILES=/nonexistent",
                                         "VK_ICD_FILENAMES=/nonexistent"};
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"devices"}, {"run", "copy/simple"}, {"suite", "--quick"}}) {
    expect_refused(bench(words, none), "no Vulkan device", 3);
  }
}

}  // namespace
}  // namespace vkmoye::test
