// SPDX-License-Identifier: MIT
// run and suite: results, formats, skipped kernels, the pipeline cache.

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

TEST(Cli, SuiteEndsWithEveryKernelVerifiedByItself) {
  const json report = json::parse(output_of({"suite", "--quick", "--format", "json"}));
  std::size_t compared = 0;
  for (const json& ladder : report["summary"]) {
    EXPECT_THAT(ladder["verification"].get<std::string>(), StartsWith("PASSED"));
    for (const json& rung : ladder["rungs"]) {
      if (!rung["baseline"].get<bool>()) compared += rung["time_us"].size();
    }
  }
  EXPECT_EQ(compared, report["results"].size());
}

TEST(Cli, SuiteTakesRandomShapes) {
  const std::vector<std::string> words = {"suite", "--cliffs", "6",   "--seed",
                                          "5",     "--format", "json"};
  const Outcome suite = bench(words);
  EXPECT_EQ(suite.status, 0) << suite.err;
  const json report = json::parse(suite.out);
  ASSERT_EQ(report["results"].size(), 6u);
  const json& summary = report["summary"];
  const auto count = [&](const char* name) { return summary[name].get<int>(); };
  EXPECT_EQ(count("counted") + count("short") + count("without_bound") + count("skipped"), 6);
  EXPECT_EQ(count("wrong"), 0);
  const json again = json::parse(bench(words).out);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(again["results"][i]["size"], report["results"][i]["size"]);
    EXPECT_EQ(again["results"][i]["command"], report["results"][i]["command"]);
  }
  expect_refused({"suite", "--cliffs", "0"},
                 "--cliffs '0': expected a whole number from 1 to 100000");
}

TEST(Cli, RunVerifiesEverySizeAndReportsJson) {
  const json report =
      json::parse(output_of({"run", "copy/*", "transpose/*", "--size", "1x1,33x65,0x7", "--type",
                             "f32", "--min-time", "0", "--format", "json"}));
  EXPECT_EQ(report["schema"], 1);
  ASSERT_EQ(report["results"].size(), 3 * 16u);
  for (const json& row : report["results"]) {
    EXPECT_EQ(row["verified"], true) << row;
    EXPECT_EQ(row["mismatches"], 0);
    EXPECT_GT(row["time_us"]["median"], 0.0);
    EXPECT_GE(row["time_us"]["samples"], 1);
    EXPECT_THAT(std::string(row["command"]), StartsWith(bench_program()));
    EXPECT_THAT(std::string(row["command"]),
                HasSubstr(" run " + std::string(row["kernel"]) + " --size "));
  }
}

// Other kernels are skipped; the speed counts the bytes of both types.
TEST(Cli, RunConvertsBetweenTypes) {
  const json report = json::parse(
      output_of({"run", "copy/auto", "copy/simple", "--size", "33x65", "--type", "f32*f16,u8*f32",
                 "--min-time", "0", "--baseline", "copy,vkcmdcopy", "--format", "json"}));
  ASSERT_EQ(report["results"].size(), 4u);
  for (const json& row : report["results"]) {
    if (row["kernel"] == "copy/simple") {
      EXPECT_THAT(std::string(row["skipped"]), HasSubstr("the kernel does not convert"));
      continue;
    }
    EXPECT_EQ(row["verified"], true) << row;
    EXPECT_TRUE(row["ratio"].contains("copy")) << row;
    EXPECT_TRUE(row["ratio"].contains("vkcmdcopy") || row["no_ratio"].contains("vkcmdcopy"));
    EXPECT_THAT(std::string(row["command"]), HasSubstr("--type '" + std::string(row["type"])));
    const double bytes = 33 * 65 * (row["type"] == "f32*f16" ? 6 : 5);
    EXPECT_NEAR(row["gbps"].get<double>() * row["time_us"]["median"].get<double>() * 1e3, bytes,
                bytes * 1e-3);
  }
}

// After a signal, the report has the results so far.
TEST(Cli, ASignalLeavesACompleteDocument) {
  const TemporaryFolder folder;
  std::string sizes = "64x64";
  for (int i = 0; i < 1000; ++i) sizes += ",64x64";
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string file = folder.file(std::to_string(signal));
    const auto after_the_first_row = [&](pid_t program) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (read_file(file).find("\"command\"") == std::string::npos &&
             std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      for (int i = 0; i < 3; ++i) kill(program, signal);  // as impatient users do
    };
    const Outcome outcome = run({bench_program(), "run", "copy/simple", "--size", sizes,
                                 "--min-time", "0.1", "--format", "json", "--output", file},
                                {}, after_the_first_row);
    EXPECT_EQ(outcome.status, 128 + signal) << outcome.err;
    const json report = json::parse(read_file(file));
    EXPECT_EQ(report["interrupted"], true);
    EXPECT_GE(report["results"].size(), 1u);
    EXPECT_LT(report["results"].size(), 1000u);
    for (const json& row : report["results"]) EXPECT_EQ(row["verified"], true);
  }
}

// A compiler for CPUs would take minutes: a pattern does not ask for that.
TEST(Cli, APatternLeavesOutWhatACpuWouldCompileForMinutes) {
  if (!has_lavapipe()) GTEST_SKIP() << "no device that is a CPU";
  expect_refused({"run", "gemm/packed_w*", "gemm/quantised_coop*", "--type", "f16*q4_0,f32",
                  "--size", "128x128x128", "--device", "llvmpipe"},
                 HasSubstr("run: leaves out gemm/packed_weights and "
                           "gemm/quantised_coopmat, which compilers for CPUs take"),
                 3);
}

// The best config so far is in the table.
TEST(Cli, ASignalLeavesTheBestConfigThatTuneFound) {
  if (!has_lavapipe()) GTEST_SKIP() << "no device that is a CPU";
  const TemporaryFolder folder;
  const std::string table = folder.file("table.json"), report = folder.file("report.json");
  const Outcome outcome =
      run({"timeout", "-s", "INT", "8", bench_program(), "tune", "gemm", "--size", "64x64x64",
           "--budget", "600", "--table", table, "--format", "json", "--output", report});
  EXPECT_THAT(outcome.err, HasSubstr("interrupted: " + table + " has the fastest of "));
  EXPECT_EQ(json::parse(read_file(table))["rows"].size(), 1u);
  const json found = json::parse(read_file(report));
  EXPECT_EQ(found["interrupted"], true);
  EXPECT_GE(found["results"].size(), 1u);
}

// Not only the same name, but the same work.
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
  const json row = json::parse(output_of(words))["results"][0];
  const json repeated = json::parse(
      output_of(run({"sh", "-c", std::string(row["command"]) + " --format json"})))["results"][0];
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
  EXPECT_THAT(size.out, HasSubstr("is above 4294963200, the largest extent"));
  const Outcome memory = bench({"run", "copy/simple", "--size", "65535x65535"});
  EXPECT_EQ(memory.status, 3);
  EXPECT_THAT(memory.out, HasSubstr("bytes"));
}

TEST(Cli, OfSeveralKernelsThoseWithoutTheTypeAreSkipped) {
  for (const json& row : json(json::parse(
           output_of({"run", "transpose/vec4*", "transpose/auto", "--type", "i64", "--size",
                      "33x65", "--min-time", "0", "--format", "json"}))["results"])) {
    if (row["kernel"] == "transpose/auto") {
      EXPECT_EQ(row["verified"], true);
    } else {
      EXPECT_THAT(std::string(row["skipped"]), StartsWith("the kernel does not support i64;"));
    }
  }
  expect_refused({"run", "transpose/vec4", "--type", "i64"},
                 "the kernel does not support i64; it supports f16 ");
}

TEST(Cli, RunVerifiesPermutationsOfAnyRank) {
  for (const json& row : json(json::parse(
           output_of({"run", "relayout", "--size", "6x70x33,3x4x5x66", "--type", "f16",
                      "--baseline", "copy", "--min-time", "0", "--format", "json"}))["results"])) {
    EXPECT_EQ(row["verified"], true);
    EXPECT_THAT(std::string(row["command"]), HasSubstr("relayout --size "));
  }
  const Outcome emitted = bench({"emit", "relayout", "--size", "64x96x128", "--permute", "2,0,1"});
  EXPECT_THAT(emitted.out, HasSubstr("src=(128,6144):(1,128)"));
}

// Through pointers instead of descriptors: the same result.
TEST(Cli, ArraysAreReachedByTheirAddresses) {
  for (const json& row :
       json(json::parse(output_of({"run", "copy/auto", "transpose/auto", "relayout", "--address",
                                   "pointer", "--size", "130x67", "--type", "u16", "--baseline",
                                   "copy", "--min-time", "0", "--format", "json"}))["results"])) {
    EXPECT_EQ(row["verified"], true) << row;
    EXPECT_EQ(row["config"]["address"], "pointer");
    EXPECT_THAT(std::string(row["command"]), HasSubstr("--address pointer"));
  }
  expect_refused({"run", "copy/auto", "--address", "far"}, "auto or descriptor or pointer");
  const Outcome emitted =
      bench({"emit", "relayout", "--address", "pointer", "--size", "64x96", "--interface", "-"});
  const json interface = json::parse(emitted.out);
  EXPECT_EQ(interface["bindings"][1]["reach"], "pointer");
  EXPECT_EQ(interface["push_constants"][1]["name"], "dst_address");
  EXPECT_EQ(interface["needs"]["storage_buffers"], 0);
}

// The bound of a move is timed with it, and marked as having no result.
TEST(Cli, ThePatternOfAMoveIsTimedAndComparedWithNothing) {
  for (const json& row : json(
           json::parse(output_of({"run", "transpose/auto", "transpose/padded", "relayout", "--size",
                                  "128x64,33x65", "--type", "f16", "--baseline", "pattern",
                                  "--min-time", "0", "--format", "json"}))["results"])) {
    EXPECT_EQ(row["verified"], true);
    EXPECT_GT(row["ratio"]["pattern"], 0.0) << row;
    EXPECT_THAT(std::string(row["notes"]["pattern"]),
                AllOf(HasSubstr("is not a transpose or relayout"), HasSubstr("is not compared")));
  }
  const Outcome copy = bench({"run", "copy/auto", "--baseline", "pattern"});
  expect_refused(copy, "--baseline pattern: does not compute the same as copy/auto");
  EXPECT_THAT(bench({"run", "--help"}).out, HasSubstr("not compared"));
}

// Large arrays of few rows or columns, which relayout's kernel moves, beside those that are whole tiles or small.
TEST(Cli, NarrowArraysAreTransposedByAKernelForTheirShape) {
  const json results = json::parse(output_of(
      {"run", "transpose/auto", "--size", "30001x7,200x1001,1x200000", "--size", "256x1024,300x7",
       "--type", "i8,f64", "--min-time", "0", "--format", "json"}))["results"];
  ASSERT_EQ(results.size(), 10u);
  for (const json& row : results) {
    EXPECT_EQ(row["verified"], true) << row;
    const bool is_general = row["size"] == json({256, 1024}) || row["size"] == json({300, 7});
    EXPECT_EQ(row["config"].contains("src"), !is_general) << row;
  }
  const Outcome emitted = bench({"emit", "transpose/auto", "--size", "30001x7"});
  EXPECT_THAT(emitted.out, HasSubstr("src=(7,30001):(1,7)"));
  EXPECT_THAT(emitted.out, HasSubstr("vkmoye-bench emit transpose/auto --type f32 --size 30001x7"));
  expect_refused({"emit", "transpose/auto", "--order", "src", "--size", "30001x7"},
                 "takes these sizes at run time");
}

TEST(Cli, ARowOfAMoveIsAPercentageOfACopyOfAsManyBytes) {
  const auto row_of = [](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"run", "--format", "json"};
    all.insert(all.end(), words.begin(), words.end());
    return json::parse(output_of(all))["results"].at(0);
  };
  for (const char* kernel : {"transpose/auto", "reduce/sum"}) {
    const json row = row_of({kernel, "--size", "64x128", "--min-time", "0.01"});
    EXPECT_GT(row["percent_of_ceiling"], 0.0);
    EXPECT_TRUE(row["ratio"].empty());
  }
  const json compared =
      row_of({"transpose/auto", "--size", "64", "--min-time", "0.01", "--baseline", "copy"});
  EXPECT_DOUBLE_EQ(compared["percent_of_ceiling"], 100 * compared["ratio"]["copy"].get<double>());
  // No copy is timed: products are not memory-bound, an empty result moves nothing, --min-time 0 times nothing
  // more than needed, and the host has no clock.
  const std::vector<std::vector<std::string>> unmeasured = {
      {"gemm/simt", "--size", "0x8x8", "--min-time", "0.01"},
      {"norm/rms", "--size", "0x8", "--min-time", "0.01"},
      {"gemm/simt", "--size", "64", "--min-time", "0.01"},
      {"transpose/auto", "--size", "64", "--min-time", "0"},
      {"transpose/auto", "--size", "64", "--device", "host"}};
  for (const auto& words : unmeasured) {
    EXPECT_TRUE(row_of(words)["percent_of_ceiling"].is_null()) << words[0];
  }
}

// A damaged cache only costs time, and the user is told so in one line.
TEST(Cli, ADamagedOrUnwritableCacheChangesNothing) {
  const TemporaryFolder folder;
  write_file(folder.file("a.npy"), npy("|i1", "(2, 3)", std::string("\1\2\3\4\5\6", 6)));
  const auto run_with = [&](const std::string& cache, const std::string& said) {
    const std::vector<std::string> environment = {"VKMOYE_CACHE_DIR=" + cache};
    const Outcome outcome =
        bench({"run", "copy/simple", "--size", "33x65", "--min-time", "0", "--format", "json"},
              environment);
    EXPECT_EQ(outcome.status, 0) << said << outcome.err;
    for (const json& row : json(json::parse(outcome.out)["results"]))
      EXPECT_EQ(row["verified"], true);
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
  std::string file;     // beside the one of accepted kernels, in any order
  for (const auto& entry : std::filesystem::directory_iterator(cache)) {
    if (entry.path().filename().string().starts_with("pipelines-")) file = entry.path();
  }
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

// For devices whose subgroups may have any size.
TEST(Cli, RunWithoutSubgroups) {
  for (const char* kernel :
       {"softmax/rows", "norm/layer", "reduce/sum", "argmax/rows", "topk/rows"}) {
    EXPECT_THAT(output_of({"run", kernel, "--subgroup-size", "1", "--size", "3x1000,70x33",
                           "--min-time", "0"}),
                Not(HasSubstr("WRONG")));
  }
}

}  // namespace
}  // namespace vkmoye::test
