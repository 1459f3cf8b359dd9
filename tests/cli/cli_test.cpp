// The program as a user meets it: outputs, error texts and exit statuses of cli.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Outcome bench(std::vector<std::string> arguments,
              const std::vector<std::string>& environment = {}) {
  arguments.insert(arguments.begin(), VKMOYE_BENCH);
  return run(arguments, environment);
}

// A version 1.0 .npy file, as NumPy writes it.
std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                const std::string& order = "False") {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  const char size[] = {static_cast<char>(header.size()), static_cast<char>(header.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(size, 2) + header + data;
}

TEST(Cli, EveryCommandHelpsWithTwoExamples) {
  EXPECT_EQ(bench({"--help"}).status, 0);
  for (const char* command : {"devices", "list", "run", "apply", "emit", "layout", "suite"}) {
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
  refused({"run", "copy/simple", "--min-time", "-1"}, "min-time");
  refused({"emit", "copy/*"}, "matches 2 kernels");
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
  ASSERT_EQ(report["results"].size(), 8u);
  for (const json& row : report["results"]) {
    EXPECT_EQ(row["verified"], true) << row;
    EXPECT_EQ(row["mismatches"], 0);
    EXPECT_GT(row["time_us"]["median"], 0.0);
    EXPECT_GE(row["time_us"]["samples"], 1);
    EXPECT_THAT(row["command"], StartsWith("vkmoye-bench run "));
  }
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
  refused(npy(">f4", "(2, 2)", std::string(16, 'x')), "'>f4'");
  refused(npy("<c8", "(1, 2)", std::string(16, 'x')), "'<c8'");
  refused(npy("<f4", "(4,)", std::string(16, 'x')), "1 dimension");
  refused(npy("<f4", "(0, 4)", ""), "no elements");
  refused(npy("<f4", "(99999999999, 99999999999)", "x"), "2^48");
  refused(npy("<f4", "(2, 2", std::string(16, 'x')), "header");
  const Outcome missing = bench(
      {"apply", "copy/simple", "--in", folder.file("none.npy"), "--out", folder.file("b.npy")});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("cannot be read"));
}

TEST(Cli, ADamagedOrUnwritableCacheChangesNothing) {
  const TemporaryFolder folder;
  const std::vector<std::string> run = {"run",   "copy/simple", "--size",
                                        "33x65", "--min-time",  "0.01"};
  const std::string cache = "VKMOYE_CACHE_DIR=" + folder.path();
  EXPECT_EQ(bench(run, {cache}).status, 0);
  EXPECT_EQ(bench(run, {cache}).status, 0);
  EXPECT_EQ(bench(run, {"VKMOYE_CACHE_DIR=/proc/nowhere"}).status, 0);
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
