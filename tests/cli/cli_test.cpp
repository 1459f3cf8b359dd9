// The program as a user meets it: outputs, error texts and exit statuses of cli.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/bench.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The same behind a redirection of the shell, such as "> /dev/full".
Outcome bench_redirected(const std::string& redirection, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"sh", "-c", "exec \"$0\" \"$@\" " + redirection, VKMOYE_BENCH});
  return run(arguments);
}

TEST(Cli, EveryCommandHelpsWithTwoExamples) {
  EXPECT_EQ(bench({"--help"}).status, 0);
  for (const char* command :
       {"devices", "list", "run", "apply", "emit", "explain", "layout", "suite"}) {
    const Outcome help = bench({command, "--help"});
    EXPECT_EQ(help.status, 0) << command;
    const auto examples = help.out.find("Examples:");
    ASSERT_NE(examples, std::string::npos) << command;
    EXPECT_THAT(help.out.substr(examples), HasSubstr(std::string("vkmoye-bench ") + command));
  }
}

TEST(Cli, WrongUsageIsRefusedWithTheNearestName) {
  const auto refused = [](std::vector<std::string> words, const std::string& text) {
    const Outcome outcome = bench(words);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(StartsWith("vkmoye-bench: "), HasSubstr(text)));
  };
  refused({"rum"}, "did you mean 'run'?");
  refused({}, "subcommand");
  refused({"--nonsense"}, "unknown option '--nonsense'");
  refused({"-x"}, "unknown option '-x'");
  refused({"layout", "--jsno"}, "there are --help --jsonl");
  refused({"emit", "copy/simple", "--spirv", "/dev/null", "--interface", "/dev/null"}, "same file");
  refused({"--versoin"}, "did you mean '--version'?");
  refused({"run", "copy/simple", "--type", "F32"}, "did you mean 'f32'?");
  refused({"run", "copy/simpel"}, "did you mean 'copy/simple'?");
  refused({"run", "fft/*"}, "no kernel 'fft/*'");
  refused({"run", "copy/simple", "--sise", "3x3"}, "did you mean '--size'?");
  refused({"run", "copy/simple", "--type", "f31"}, "unknown type 'f31'");
  refused({"run", "copy/simple", "--size", "0x4"}, "0 is outside 1..");
  refused({"run", "copy/simple", "--size", "-3x4"}, "size '-3x4'");
  refused({"run", "copy/simple", "--size", "3x4x5"}, "has 3 extents");
  refused({"run", "copy/simple", "--size", "3y4"}, "ROWSxCOLUMNS");
  refused({"run", "copy/simple", "--size", "99999999999999999999x1"}, "is outside");
  refused({"run", "copy/simple", "--format", "xml"}, "xml");
  refused({"run", "copy/simple", "--device", "no such device"}, "no such device");
  refused({"run", "copy/simple", "--tile", "33x32"}, "does not divide");
  refused({"run", "transpose/padded", "--shared", "(32,32):(1,31)"},
          "coordinates (0,1) and (31,0) share address 31");
  refused({"run", "copy/simple", "--shared", "(32,32:(1,32)"}, "column");
  refused({"run", "copy/simple", "--format", "josn"}, "did you mean 'json'?");
  refused({"run", "copy/simple", "--verify", "Full"}, "did you mean 'full'?");
  refused({"run", "copy/simple", "--baseline", "copy,vkcmdcpy"}, "did you mean 'vkcmdcopy'?");
  refused({"suite", "--baseline", "cubals,copy"}, "unknown baseline 'cubals'");
  for (const char* seconds : {"-1", "nan", "-nan", "inf", "61", "1s", "", "0.5 "}) {
    refused({"run", "copy/simple", "--min-time", seconds}, "--min-time: ");
  }
  for (const char* seed : {"-1", "18446744073709551616", "1.5", "0x10", "", "+1"}) {
    refused({"run", "copy/simple", "--seed", seed}, "--seed: ");
  }
  for (const char* option : {"--output", "--device", "--format"}) {
    refused({"run", "copy/simple", option, ""}, std::string(option) + ": ");
    refused({"suite", option, ""}, std::string(option) + ": ");
  }
  for (const char* option : {"--spirv", "--interface"}) {
    refused({"emit", "copy/simple", option, ""}, std::string(option) + ": has an empty value");
  }
  for (const char* option : {"--in", "--out", "--type", "--device"}) {
    refused({"apply", "copy/simple", option, ""}, std::string(option) + ": has an empty value");
  }
  refused({"apply", "copy/simple", "--in", "a", "--out", "b", "--type", "zzz"},
          "unknown type 'zzz'");
  refused({"explain", "copy/simple", "--size", "3x4x5"}, "has 3 extents");
  refused({"explain", "copy/simple", "--size", "4,5"}, "one is needed");
  refused({"explain", "copy/simple", "--size", "0x4"}, "0 is outside 1..");
  refused({"explain", "copy/simple", "--format", "csv"}, "unknown format 'csv'");
  refused({"explain", "copy/simple", "--subgroup", "0"}, "--subgroup");
  refused({"explain", "copy/simple", "--tile", "33x32"}, "does not divide");
  refused({"emit", "copy/*"}, "matches 6 kernels");
}

TEST(Cli, ExplainConvictsWithoutADevice) {
  const Outcome simple = bench({"explain", "transpose/simple"}, {"VK_DRIVER_FILES=/nowhere"});
  EXPECT_EQ(simple.status, 0) << simple.err;
  EXPECT_THAT(
      simple.out,
      AllOf(HasSubstr("\nload src: coalesced\n"),
            HasSubstr("\nload tile: 32-way bank conflict: 32 wavefronts where 1 would do\n"),
            HasSubstr("\nconvicted: load tile, 32-way"),
            HasSubstr("not wider: consecutive values are 8 apart along row, of stride cols"),
            HasSubstr("guard src_col < cols, guard src_row < rows"), HasSubstr("subgroups of 32"),
            HasSubstr("\nraces: none")));
  EXPECT_THAT(bench({"explain", "transpose/padded"}).out,
              AllOf(HasSubstr("\nacquitted: 4 of 4 accesses"), Not(HasSubstr("convicted"))));
  EXPECT_THAT(bench({"explain", "transpose/simple", "--pad", "1"}).out, HasSubstr("acquitted"));
  EXPECT_THAT(bench({"explain", "copy/simple", "--subgroup", "64"}).out,
              HasSubstr("8 sectors for 256 bytes"));

  const Outcome ragged =
      bench({"explain", "copy/tiled_vec", "--size", "33x65", "--format", "json"});
  const json report = json::parse(ragged.out);
  EXPECT_EQ(report["model"]["sizes"], json({{"cols", 65}, {"rows", 33}}));
  EXPECT_EQ(report["convicted"], true);  // element by element, the lanes are 4 apart
  ASSERT_EQ(report["accesses"].size(), 4u);
  EXPECT_EQ(report["accesses"][0]["requests"], 0);  // the vectors
  EXPECT_EQ(report["accesses"][0]["sectors"], nullptr);
  EXPECT_EQ(report["accesses"][2]["path"], "cols is no multiple of 4");
  EXPECT_EQ(report["accesses"][2]["width"], 1);
  EXPECT_GT(report["accesses"][2]["sectors"]["found"], 0);

  const Outcome markdown = bench({"explain", "copy/tiled_split", "--format", "markdown"});
  EXPECT_THAT(markdown.out, AllOf(StartsWith("**copy/tiled_split** type=f32"),
                                  HasSubstr("| NOT coalesced: 16 sectors where 8 would do |"),
                                  HasSubstr("\n- convicted: store dst")));
}

TEST(Cli, VersionIsTheProjects) {
  const Outcome version = bench({"--version"});
  EXPECT_EQ(version.status, 0) << version.err;
  EXPECT_THAT(version.out, testing::MatchesRegex("vkmoye-bench [0-9.]+\n"));
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
      {"run", "copy/simple", "--size", "33x65", "--min-time", "0.01"}};
  for (const std::vector<std::string>& words : commands) {
    for (const char* redirection : {"> /dev/full", ">&-"}) {
      const Outcome outcome = bench_redirected(redirection, words);
      EXPECT_EQ(outcome.status, 2) << words[0] << redirection << outcome.err;
      EXPECT_EQ(outcome.err, "vkmoye-bench: standard output: cannot be written\n") << words[0];
    }
  }
  const Outcome lines = bench_redirected("> /dev/full", {"layout", "eval", "--jsonl"});
  EXPECT_EQ(lines.status, 0) << "no line in, none out: " << lines.err;
}

TEST(Cli, SuiteEndsWithEveryKernelVerifiedByItself) {
  const Outcome suite = bench({"suite", "--quick", "--format", "json"});
  EXPECT_EQ(suite.status, 0) << suite.err;
  const json report = json::parse(suite.out);
  std::size_t compared = 0;
  for (const json& ladder : report["summary"]) {
    EXPECT_THAT(ladder["verification"].get<std::string>(), StartsWith("PASSED"));
    for (const json& rung : ladder["rungs"]) {
      if (!rung["baseline"].get<bool>()) compared += rung["time_us"].size();
    }
  }
  EXPECT_EQ(compared, report["results"].size());
}

// Half a file would pass for a whole one.
TEST(Cli, FilesAreWholeOrUntouched) {
  const TemporaryFolder folder;
  const std::string in = folder.file("a.npy"), out = folder.file("out");
  write_file(in, npy("<f4", "(64, 64)", std::string(64 * 64 * 4, 'x')));
  const std::vector<std::string> commands[] = {
      {"emit", "copy/simple", "--spirv", out},
      {"emit", "copy/simple", "--interface", out},
      {"apply", "copy/simple", "--in", in, "--out", out},
      {"run", "copy/simple", "--size", "33x65", "--min-time", "0.01", "--output", out}};
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      names.insert(entry.path().filename());
    }
    return names;
  };
  for (const auto& words : commands) {
    write_file(out, "kept");
    chmod(out.c_str(), 0444);
    const Outcome read_only = bench(words);
    EXPECT_EQ(read_only.status, 2) << words[0];
    EXPECT_THAT(read_only.err, HasSubstr(out + ": cannot be written: "));
    EXPECT_EQ(read_file(out), "kept") << words[0];
    std::filesystem::remove(out);

    std::filesystem::create_directory(folder.file("real"));
    write_file(folder.file("real/file"), "old");
    chmod(folder.file("real/file").c_str(), 0600);
    std::filesystem::create_symlink("real/file", out);
    EXPECT_EQ(bench(words).status, 0) << words[0];
    EXPECT_TRUE(std::filesystem::is_symlink(out)) << words[0];
    EXPECT_NE(read_file(folder.file("real/file")), "old") << words[0];
    EXPECT_EQ(std::filesystem::status(out).permissions(), std::filesystem::perms(0600)) << words[0];
    std::filesystem::remove_all(folder.file("real"));
    std::filesystem::remove(out);

    std::vector<std::string> to_device = words;
    to_device.back() = "/dev/full";
    const Outcome device = bench(to_device);
    EXPECT_EQ(device.status, 2) << words[0] << device.err;
    EXPECT_THAT(device.err, HasSubstr("/dev/full: c"));
    to_device.back() = "/dev/null";
    EXPECT_EQ(bench(to_device).status, 0) << words[0];
    to_device.back() = folder.path();
    EXPECT_EQ(bench(to_device).status, 2) << words[0];
    to_device.back() = folder.file("no/where");
    EXPECT_EQ(bench(to_device).status, 2) << words[0];
  }
  // A limit of 512 bytes for a file stands for a full disk. (Drivers end with a signal then.)
  for (const char* option : {"--spirv", "--interface"}) {
    const Outcome full = run({"sh", "-c", "ulimit -f 1; exec \"$0\" \"$@\"", VKMOYE_BENCH, "emit",
                              "copy/simple", option, out});
    EXPECT_EQ(full.status, 2) << full.err;
    EXPECT_THAT(full.err, HasSubstr(out + ": cannot be written: "));
    EXPECT_FALSE(std::filesystem::exists(out)) << option;
  }
  EXPECT_THAT(files(), testing::Contains("a.npy"));
  for (const std::string& name : files()) EXPECT_FALSE(name.starts_with(".vkmoye")) << name;
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

TEST(Cli, ListNamesEveryKernelWithItsSource) {
  const Outcome list = bench({"list", "transpose/*"});
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.out, AllOf(HasSubstr("transpose/simple"), HasSubstr("transpose/padded"),
                              HasSubstr("MoYe.jl"), Not(HasSubstr("copy/"))));
}

TEST(Cli, EmitPrintsGlslAndWritesSpirvAndInterfaceWithoutADevice) {
  const TemporaryFolder folder;
  const Outcome emit = bench({"emit", "transpose/padded", "--type", "f16", "--spirv",
                              folder.file("t.spv"), "--interface", folder.file("t.json")},
                             {"VK_DRIVER_FILES=/nonexistent"});
  EXPECT_EQ(emit.status, 0) << emit.err;
  EXPECT_THAT(emit.out, AllOf(StartsWith("// generated: transpose/padded"),
                              HasSubstr("shared float16_t tile[1055];  // (32,32):(1,33)")));
  EXPECT_EQ(read_file(folder.file("t.spv")).substr(0, 4), std::string("\x03\x02\x23\x07", 4));
  const json interface = json::parse(read_file(folder.file("t.json")));
  EXPECT_EQ(interface["bindings"][1]["extents"], json::parse(R"(["rows", "cols"])"));
  EXPECT_EQ(interface["push_constants"][0]["name"], "cols");
  EXPECT_EQ(interface["needs"]["shared_bytes"], 2110);
}

TEST(Cli, RunVerifiesEverySizeAndReportsJson) {
  const Outcome result = bench({"run", "copy/*", "transpose/*", "--size", "1x1,33x65", "--type",
                                "f32", "--min-time", "0.01", "--format", "json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["schema"], 1);
  ASSERT_EQ(report["results"].size(), 2 * 16u);
  for (const json& row : report["results"]) {
    EXPECT_EQ(row["verified"], true) << row;
    EXPECT_EQ(row["mismatches"], 0);
    EXPECT_GT(row["time_us"]["median"], 0.0);
    EXPECT_GE(row["time_us"]["samples"], 1);
    EXPECT_THAT(std::string(row["command"]), StartsWith(VKMOYE_BENCH));
    EXPECT_THAT(std::string(row["command"]),
                HasSubstr(" run " + std::string(row["kernel"]) + " --size "));
  }
}

// Not only its name: the same work.
TEST(Cli, TheCommandOfARowRepeatsIt) {
  const std::vector<std::string> words = {"run",        "--size",
                                          "33x65",      "transpose/padded",
                                          "--pad",      "3",
                                          "--verify",   "sample",
                                          "--seed",     "7",
                                          "--min-time", "0.015",
                                          "--format",   "json",
                                          "--threads",  "(32,8):(1,32)",
                                          "--baseline", "copy,vkcmdcopy"};
  const Outcome first = bench(words);
  ASSERT_EQ(first.status, 0) << first.err;
  const json row = json::parse(first.out)["results"][0];
  const Outcome again = run({"sh", "-c", std::string(row["command"]) + " --format json"});
  ASSERT_EQ(again.status, 0) << again.err;
  const json repeated = json::parse(again.out)["results"][0];
  for (const char* key : {"kernel", "type", "size", "config", "verification", "command"}) {
    EXPECT_EQ(repeated[key], row[key]) << key;
  }
  EXPECT_EQ(repeated["ratio"].size(), 2u);
  EXPECT_THAT(std::string(row["command"]),
              AllOf(HasSubstr("--verify sample"), HasSubstr("--min-time 0.015"),
                    HasSubstr("--seed 7"), HasSubstr("'(32,8):(1,32)'")));
}

TEST(Cli, RunSkipsWhatTheDeviceCannotHoldAndSaysWhy) {
  // 128 x 128 doubles need 128 KiB of shared memory: more than any device has for one workgroup
  // of this kind, and 2^32-1 squared is beyond the index range.
  const Outcome tile = bench({"run", "copy/simple", "--type", "f64", "--tile", "128x128"});
  EXPECT_EQ(tile.status, 3);
  EXPECT_THAT(tile.out, HasSubstr("needs 131072 bytes of shared memory, the device has"));
  const Outcome size = bench({"run", "copy/simple", "--size", "4294967295x4294967295"});
  EXPECT_EQ(size.status, 3);
  EXPECT_THAT(size.out, HasSubstr("exceed the 2^32"));
  const Outcome memory = bench({"run", "copy/simple", "--size", "65535x65535"});
  EXPECT_EQ(memory.status, 3);
  EXPECT_THAT(memory.out, HasSubstr("bytes"));
}

TEST(Cli, OfSeveralKernelsThoseWithoutTheTypeAreSkipped) {
  const Outcome several = bench({"run", "transpose/vec4*", "transpose/auto", "--type", "i64",
                                 "--size", "33x65", "--min-time", "0", "--format", "json"});
  ASSERT_EQ(several.status, 0) << several.err;
  for (const json& row : json::parse(several.out)["results"]) {
    if (row["kernel"] == "transpose/auto") {
      EXPECT_EQ(row["verified"], true);
    } else {
      EXPECT_EQ(row["skipped"], "there is no such kernel for i64");
    }
  }
  const Outcome one = bench({"run", "transpose/vec4", "--type", "i64"});
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(one.err, HasSubstr("there are no vectors of i64"));
}

TEST(Cli, WithoutAnyDeviceNothingRuns) {
  const std::vector<std::string> none = {"VK_DRIVER_FILES=/nonexistent",
                                         "VK_ICD_FILENAMES=/nonexistent"};
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"devices"}, {"run", "copy/simple"}, {"suite", "--quick"}}) {
    const Outcome outcome = bench(words, none);
    EXPECT_EQ(outcome.status, 3) << words[0] << outcome.out << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("no Vulkan device"));
  }
}

TEST(Cli, ApplyTransposesAnArray) {
  const TemporaryFolder folder;
  write_file(folder.file("a.npy"), npy("|i1", "(2, 3)", std::string("\1\2\3\4\5\6", 6)));
  const Outcome outcome = bench(
      {"apply", "transpose/padded", "--in", folder.file("a.npy"), "--out", folder.file("b.npy")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_file(folder.file("b.npy")), npy("|i1", "(3, 2)", std::string("\1\4\2\5\3\6", 6)));
}

TEST(Cli, ApplyMovesElementsOfEveryWidth) {
  const TemporaryFolder folder;
  for (const auto& [descr, width] :
       {std::pair{"<i2", 2}, {"<u2", 2}, {"<i8", 8}, {"<u8", 8}, {"<c8", 8}, {"<c16", 16}}) {
    std::string input, expected;
    for (const char column : {'a', 'c', 'e', 'b', 'd', 'f'}) input += std::string(width, column);
    for (const char column : {'a', 'b', 'c', 'd', 'e', 'f'}) expected += std::string(width, column);
    write_file(folder.file("a.npy"), npy(descr, "(2, 3)", input));
    const Outcome outcome = bench(
        {"apply", "transpose/auto", "--in", folder.file("a.npy"), "--out", folder.file("b.npy")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_file(folder.file("b.npy")), npy(descr, "(3, 2)", expected)) << descr;
  }
}

TEST(Cli, ApplyPermutesTheAxesOfAnArrayOfAnyRank) {
  const TemporaryFolder folder;
  std::string input(24, '\0'), expected;
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<char>(i);
  for (int k = 0; k < 4; ++k) {  // b = a.transpose(2, 0, 1)
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 3; ++j) expected += static_cast<char>(12 * i + 4 * j + k);
    }
  }
  write_file(folder.file("a.npy"), npy("|u1", "(2, 3, 4)", input));
  const Outcome outcome = bench({"apply", "relayout", "--permute", "2,0,1", "--in",
                                 folder.file("a.npy"), "--out", folder.file("b.npy")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_file(folder.file("b.npy")), npy("|u1", "(4, 2, 3)", expected));

  const Outcome wrong = bench({"apply", "relayout", "--permute", "2,0", "--in",
                               folder.file("a.npy"), "--out", folder.file("c.npy")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("(2,0) does not name each axis of (2,3,4)"));
}

TEST(Cli, RunVerifiesPermutationsOfAnyRank) {
  const Outcome outcome = bench({"run", "relayout", "--size", "6x70x33,3x4x5x66", "--type", "f16",
                                 "--baseline", "copy", "--min-time", "0", "--format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const json& row : json::parse(outcome.out)["results"]) {
    EXPECT_EQ(row["verified"], true);
    EXPECT_THAT(std::string(row["command"]), HasSubstr("relayout --size "));
  }
  const Outcome emitted = bench({"emit", "relayout", "--size", "64x96x128", "--permute", "2,0,1"});
  EXPECT_THAT(emitted.out, HasSubstr("src=(128,64,96):(1,12288,128)"));
}

TEST(Cli, ApplyRefusesFilesThatAreNotWhatItTakes) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes, const std::string& text) {
    write_file(folder.file("a.npy"), bytes);
    const Outcome outcome = bench(
        {"apply", "copy/simple", "--in", folder.file("a.npy"), "--out", folder.file("b.npy")});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(text));
    EXPECT_EQ(read_file(folder.file("b.npy")), "");
  };
  const std::string good = npy("<f4", "(2, 2)", std::string(16, 'x'));
  refused("", "not a .npy file");
  refused("hello, this is no array", "not a .npy file");
  refused(good.substr(0, 9), "not a .npy file");
  refused(good.substr(0, 40), "truncated");
  refused(good.substr(0, good.size() - 1),
          "holds 15 bytes of data, its shape (2, 2) of f32 needs 16");
  refused(good + "y", "holds 17 bytes");
  refused(npy("<f4", "(2, 2)", std::string(16, 'x'), "True"), "Fortran order");
  refused(npy(">f4", "(2, 2)", std::string(16, 'x')),
          "big-endian elements, '>f4'; save a.astype('<f4')");
  refused(npy("<f4', 'descr': '<f4", "(2, 2)", std::string(16, 'x')), "header that is not NumPy's");
  std::string structured = npy("..", "(2, 2)", std::string(16, 'x'));
  structured.replace(structured.find("'..'"), 4, "[  ]");  // its fields do not matter
  refused(structured, "structured type; save one field");
  std::string shape;
  for (int i = 0; i < 10000; ++i) shape += "1,";
  refused(npy("<f4", "(" + shape + ")", ""), "... of f32 needs 4");
  refused(npy("\x1b[31m", "(2, 2)", std::string(16, 'x')), "'\\x1b[31m'");
  refused(npy(std::string(5000, 'q'), "(2, 2)", std::string(16, 'x')),
          std::string(80, 'q') + "...'");
  refused(npy("<U2", "(1, 2)", std::string(16, 'x')), "'<U2'");
  refused(npy("<f4", "(4,)", std::string(16, 'x')), "1 dimension");
  refused(npy("<f4", "(0, 4)", ""), "no elements");
  refused(npy("<f4", "(99999999999, 99999999999)", "x"), "2^48");
  refused(npy("<f4", "(2, 2", std::string(16, 'x')), "header");
  const Outcome pipe =
      bench({"apply", "copy/simple", "--in", "/dev/stdin", "--out", folder.file("b.npy")});
  EXPECT_EQ(pipe.status, 2);
  EXPECT_THAT(pipe.err, HasSubstr("/dev/stdin: cannot be read: is not a regular file"));
  const Outcome missing = bench(
      {"apply", "copy/simple", "--in", folder.file("none.npy"), "--out", folder.file("b.npy")});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("cannot be read"));
}

TEST(Cli, ApplyTakesEverySpellingOfAByteOrder) {
  const TemporaryFolder folder;
  for (const char* descr : {"<f4", "=f4", "<i4", "|i1", "=i1", ">u1"}) {
    const std::string data(static_cast<std::size_t>(6 * (descr[2] - '0')), 'x');
    write_file(folder.file("a.npy"), npy(descr, "(2, 3)", data));
    const Outcome outcome = bench(
        {"apply", "copy/simple", "--in", folder.file("a.npy"), "--out", folder.file("b.npy")});
    EXPECT_EQ(outcome.status, 0) << descr << outcome.err;
  }
}

// As `run` skips it: another device could, or nothing can, but the file is not wrong.
TEST(Cli, ApplyOfTooMuchForTheDeviceCannotRun) {
  const TemporaryFolder folder;
  const std::string header = npy("|i1", "(65536, 65537)", "");
  write_file(folder.file("a.npy"), header);
  std::filesystem::resize_file(folder.file("a.npy"),
                               header.size() + std::uintmax_t{65536} * 65537);  // a hole
  const Outcome outcome =
      bench({"apply", "copy/simple", "--in", folder.file("a.npy"), "--out", folder.file("b.npy")});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("src: "), HasSubstr("dst: "), HasSubstr("2^32")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("b.npy")));
}

// A cache that is not good costs time, which the user is told in one line, and nothing else.
TEST(Cli, ADamagedOrUnwritableCacheChangesNothing) {
  const TemporaryFolder folder;
  write_file(folder.file("a.npy"), npy("|i1", "(2, 3)", std::string("\1\2\3\4\5\6", 6)));
  const auto run_with = [&](const std::string& cache, const std::string& said) {
    const std::vector<std::string> environment = {"VKMOYE_CACHE_DIR=" + cache};
    const Outcome outcome =
        bench({"run", "copy/simple", "--size", "33x65", "--min-time", "0.01", "--format", "json"},
              environment);
    EXPECT_EQ(outcome.status, 0) << said << outcome.err;
    for (const json& row : json::parse(outcome.out)["results"]) EXPECT_EQ(row["verified"], true);
    const auto lines = std::count(outcome.err.begin(), outcome.err.end(), '\n');
    if (said.empty()) {
      EXPECT_EQ(outcome.err, "");
    } else {
      EXPECT_EQ(lines, 1) << outcome.err;
      EXPECT_THAT(outcome.err,
                  AllOf(StartsWith("vkmoye-bench: pipeline cache: "), HasSubstr(said)));
    }
  };
  const std::string cache = folder.file("cache");
  run_with(cache, "");  // made
  run_with(cache, "");  // loaded
  const std::string file = std::filesystem::directory_iterator(cache)->path();
  const std::string good = read_file(file);
  ASSERT_GT(good.size(), 20u);

  std::string flipped = good;
  flipped[good.size() - 10] = static_cast<char>(flipped[good.size() - 10] ^ 1);
  write_file(file, flipped);
  run_with(cache, "rebuilt: " + file + ": damaged: its hash does not agree");
  run_with(cache, "");  // the new one is good
  for (const std::size_t length : {std::size_t{5}, good.size() - 1}) {
    write_file(file, good.substr(0, length));
    run_with(cache, "rebuilt: " + file);
  }
  write_file(file, good + "x");
  run_with(cache, "rebuilt: " + file);
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  run_with(cache, "not a regular file");

  run_with("/proc/nowhere", "not saved: /proc/nowhere");
  run_with(folder.file("a.npy"), "not read: ");  // a file where the folder should be
  const Outcome apply =
      bench({"apply", "copy/simple", "--in", folder.file("a.npy"), "--out", folder.file("b.npy")},
            {"VKMOYE_CACHE_DIR=/proc/nowhere"});
  EXPECT_EQ(apply.status, 0);
  EXPECT_THAT(apply.err, HasSubstr("not saved: /proc/nowhere"));
  EXPECT_EQ(read_file(folder.file("b.npy")), read_file(folder.file("a.npy")));
}

TEST(Cli, LayoutEvaluatesTheAlgebra) {
  const Outcome outcome = bench({"layout", "composition((4,8):(8,1), 4:2)"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("(2,2):(16,1)"));
  const Outcome wrong = bench({"layout", "composition((4,8):(8,1), 4:"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("column"));
}

TEST(Cli, LayoutDrawsInEveryFormat) {
  const auto drawn = [](const std::string& expression, const std::string& format) {
    const Outcome outcome = bench({"layout", expression, "--draw", format});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_EQ(drawn("(2,3):(3,1)", "text"), "(2,3):(3,1)\n   0 1 2\n0  0 1 2\n1  3 4 5\n");
  EXPECT_THAT(drawn("(2,3):(3,1)", "svg"), AllOf(StartsWith("<svg "), HasSubstr(">5</text>")));
  EXPECT_THAT(drawn("make_tiled_copy((2,3):(3,1), (2,3))", "typst"),
              AllOf(HasSubstr("#table("), HasSubstr("[T1V0]")));
  EXPECT_THAT(drawn("composition(make_swizzle(2,0,2), (4,4))", "latex"),
              AllOf(HasSubstr("\\begin{tabular}"), HasSubstr("Swizzle$<$2,0,2$>$")));
}

TEST(Cli, LayoutRefusesWhatItCannotDraw) {
  const auto refused = [](const std::string& expression, const std::string& format,
                          const std::string& text) {
    const Outcome outcome = bench({"layout", expression, "--draw", format});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  refused("(2,3)", "svgg", "did you mean 'svg'?");
  refused("(2,3)", "png", "there are text svg typst latex");
  refused("make_swizzle(2,0,3)", "svg", "expected a layout to draw, got a swizzle");
  refused("(4096,4096)", "text", "more than 1048576 cells");
}

TEST(Cli, LayoutDrawsManyElementsInUnderASecond) {
  for (const char* format : {"text", "svg", "typst", "latex"}) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = bench({"layout", "(256,256):(257,1)", "--draw", format});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, HasSubstr("65790"));
    EXPECT_LT(seconds.count(), 1.0) << format;
  }
}

}  // namespace
}  // namespace vkmoye::test
