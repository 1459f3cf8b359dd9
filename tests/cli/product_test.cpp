// SPDX-License-Identifier: MIT
// Products on the command line: sizes, types, orders, baselines.

#include <stdlib.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

const std::string kFake = "VKMOYE_CUBLAS=" + fake_cuda_folder();

// Runs a kernel that lavapipe compiles quickly, with additional options, as JSON.
json gemm(std::vector<std::string> words, const std::vector<std::string>& environment = {}) {
  words.insert(words.begin(),
               {"run", "gemm/simt", "--tile", "16x16x8", "--threads", "8x8", "--values", "2x2",
                "--vector", "4", "--min-time", "0", "--format", "json"});
  return json::parse(output_of(words, environment));
}

TEST(GemmCli, ProductsAreVerifiedTimedAndRepeatable) {
  const json report = gemm(
      {"--size", "33x65x17", "--type",     "f16,f32", "--a",        "m",  "--b",     "n",
       "--c",    "m",        "--alpha",    "-0.5",    "--beta",     "2",  "--batch", "2",
       "--lda",  "40",       "--stride-b", "0",       "--offset-c", "64", "--init",  "integers"});
  const json& row = report["results"][0];
  EXPECT_EQ(row["kernel"], "gemm/simt");
  EXPECT_EQ(row["type"], "f16,f32");
  EXPECT_EQ(row["size"], json({33, 65, 17}));
  EXPECT_EQ(row["verified"], true) << row;
  EXPECT_EQ(row["verification"], "full");
  EXPECT_EQ(row["mismatches"], 0);
  const double seconds = 1e-6 * double{row["time_us"]["median"]};
  EXPECT_NEAR(double{row["tflops"]} * 1e12, 2.0 * 33 * 65 * 17 * 2 / seconds,
              0.01 * 2.0 * 33 * 65 * 17 * 2 / seconds);
  // Two matrices of A, one of B, two of C, which are read and written.
  const double bytes = 2.0 * 33 * 17 * 2 + 65 * 17 * 2 + 2.0 * 2 * 33 * 65 * 4;
  EXPECT_NEAR(double{row["gbps"]} * 1e9, bytes / seconds, 0.01 * bytes / seconds);
  EXPECT_THAT(std::string(row["command"]),
              HasSubstr("--size 33x65x17 --type f16,f32 --a m --b n --c m --alpha -0.5 --beta 2 "
                        "--batch 2 --lda 40 --stride-b 0 --offset-c 64 --init integers"));
  EXPECT_EQ(
      json::parse(output_of(run(
          {"sh", "-c", std::string(row["command"]) + " --format json"})))["results"][0]["command"],
      row["command"]);
}

// The kernel computes the transpose if m is contiguous in C, so that its small side is the other one.
TEST(GemmCli, ThinProductsChooseTheirSideByTheSize) {
  const auto config = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "gemm/thin", "--device", "host", "--format", "json"});
    const json row = json::parse(output_of(words))["results"][0];
    EXPECT_EQ(row["verified"], true) << row;
    return row["config"];
  };
  const json few_rows = config({"--size", "3x70x64"});
  EXPECT_EQ(few_rows["small"], "m");
  EXPECT_EQ(few_rows["rows"], "3");
  EXPECT_EQ(config({"--size", "70x3x64"})["small"], "n");
  EXPECT_EQ(config({"--size", "3x70x64", "--c", "m"})["small"], "n");
}

// lavapipe has matrix units only with vectors of 256 bits.
TEST(GemmCli, WhatADeviceHasNoUnitsForIsARowThatIsSkipped) {
  if (!has_lavapipe()) GTEST_SKIP() << "no lavapipe, whose matrix units can be taken away";
  const Outcome outcome =
      bench({"run", "gemm/auto", "gemm/coopmat", "gemm/packed", "gemm/thin_coopmat", "--type",
             "f16,f32", "--size", "17x33x65", "--min-time", "0", "--format", "json"},
            {"LP_NATIVE_VECTOR_WIDTH=128"});
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const json& row : json(json::parse(outcome.out)["results"])) {
    const std::string kernel = row["kernel"];
    const bool of_units = kernel != "gemm/auto";
    EXPECT_EQ(row["skipped"].is_null(), !of_units) << row;
    if (of_units) {
      EXPECT_THAT(std::string(row["skipped"]), HasSubstr("the device lacks it")) << row;
    }
  }
}

TEST(GemmCli, AnAtomThatIsNoneIsRefusedBeforeTheDeviceIsAskedAboutIt) {
  for (const char* kernel : {"gemm/thin_coopmat", "gemm/packed"}) {
    expect_refused(
        {"run", kernel, "--type", "f16,f32", "--size", "16x64x64", "--atom", "8x8x1000000000"},
        "atom k = 1000000000 is not a power of two up to 64");
  }
}

TEST(GemmCli, SlicesOfKAreTimedTogetherAndRepeatable) {
  const json row = gemm({"--size", "33x37x100", "--split-k", "3", "--beta", "2"})["results"][0];
  EXPECT_EQ(row["verified"], true) << row;
  EXPECT_THAT(std::string(row["config"]["form"]), EndsWith(" split-k"));
  EXPECT_THAT(std::string(row["command"]), HasSubstr("--beta 2 --split-k 3"));
  const Outcome on_host = bench({"run", "gemm/thin", "--size", "3x70x4000", "--split-k", "3",
                                 "--device", "host", "--format", "json"});
  EXPECT_EQ(json::parse(on_host.out)["results"][0]["verified"], true) << on_host.err;
}

TEST(GemmCli, RandomProductsReportTheirLargestError) {
  const json row = gemm({"--size", "64"})["results"][0];
  EXPECT_EQ(row["size"], json({64, 64, 64}));
  EXPECT_GT(double{row["max_error"]}, 0);
  EXPECT_LT(double{row["max_error"]}, 1e-4);
  EXPECT_EQ(gemm({"--size", "64", "--init", "integers"})["results"][0]["max_error"], 0);
}

TEST(GemmCli, RepeatsOfTypeAndSizeSweep) {
  const json report =
      gemm({"--size", "8x8x8,9x9x9", "--type", "f32", "--type", "f16,f16", "--verify", "sample"});
  ASSERT_EQ(report["results"].size(), 4u);
  EXPECT_EQ(report["results"][3]["type"], "f16,f16");
  EXPECT_EQ(report["results"][3]["verification"], "sample");
}

TEST(GemmCli, WhatIsNoProductIsRefused) {
  expect_refused({"run", "gemm/simt", "--size", "32x32"},
                 "size '32x32' has 2 extents, MxNxK has 3");
  expect_refused({"run", "gemm/simt", "--a", "n"}, "a 'n': expected m or k");
  expect_refused({"run", "gemm/simt", "--alpha", "nan"}, "alpha 'nan': expected a finite number");
  expect_refused({"run", "gemm/simt", "--batch", "0"}, "batch '0': expected a whole number from 1");
  expect_refused(
      {"run", "gemm/simt", "--init", "integer"},
      "init 'integer': expected random or integers or nonfinite or hard; did you mean 'integers'?");
  expect_refused({"run", "gemm/simt", "--type", "f32,f32,f32,f32"}, "4 parts");
  expect_refused({"run", "gemm/simt", "--type", "f32,i32"},
                 "integers and floating-point numbers do not");
  expect_refused({"emit", "gemm/simt", "--type", "f16,f32,i32"},
                 "accumulator of f32 and result of i32");
  expect_refused({"run", "gemm/simt", "--type", "i8"},
                 "the kernel does not support i8; it supports f16 bf16 f32 f64 i32");
  expect_refused({"run", "gemm/simt", "--size", "4x4x4", "--lda", "3"},
                 "A has rows of 4 elements, but they are 3 apart");
  expect_refused({"run", "copy/simple", "--alpha", "2"},
                 "--alpha is an option of gemm, not of copy/simple");
  expect_refused({"emit", "copy/simple", "--a", "m"}, "--a is an option of gemm");
  expect_refused({"run", "gemm/simt", "--baseline", "copy"},
                 "--baseline copy: does not compute the same as gemm/simt");
  expect_refused({"run", "copy/simple", "--baseline", "openblas"},
                 "--baseline openblas: does not compute");
  expect_refused({"run", "copy/simple", "--baseline", "cublsa"}, "did you mean 'cublas'?");
}

TEST(GemmCli, EmitBakesTheForm) {
  EXPECT_THAT(output_of({"emit", "gemm/simt", "--type", "f16,f32"}),
              AllOf(HasSubstr("f16,f32,f32"), Not(HasSubstr("beta"))));
  const Outcome full = bench({"emit", "gemm/simt", "--a", "m", "--beta", "1", "--batch", "2"});
  EXPECT_THAT(full.out, AllOf(HasSubstr("beta"), HasSubstr("stride_a")));
}

TEST(Baselines, CublasIsTimedBesideWhatItDoes) {
  const json products = gemm({"--size", "20x30x40", "--baseline", "cublas"}, {kFake});
  EXPECT_GT(double{products["results"][0]["ratio"]["cublas"]}, 0) << products;
  // Every order, and parts of larger arrays: a wrong call would give a wrong result.
  for (std::size_t bits = 0; bits < 8; ++bits) {
    if (!takes(0, bits, 8)) continue;
    const json all = gemm({"--size",     "5x7x9",
                           "--baseline", "cublas",
                           "--type",     "f64",
                           "--a",        bits & 1 ? "k" : "m",
                           "--b",        bits & 2 ? "k" : "n",
                           "--c",        bits & 4 ? "n" : "m",
                           "--lda",      "10",
                           "--ldb",      "11",
                           "--ldc",      "12",
                           "--batch",    std::to_string(1 + bits % 2),
                           "--offset-a", "2",
                           "--offset-b", "4",
                           "--offset-c", "6",
                           "--alpha",    "0.5",
                           "--beta",     "-2"},
                          {kFake});
    EXPECT_EQ(all["results"][0]["ratio"].size(), 1u) << all;
  }
  const Outcome moves =
      bench({"run", "transpose/padded", "copy/simple", "--size", "33x65", "--type", "f32,f64,i8",
             "--baseline", "copy,cublas,cudamemcpy", "--min-time", "0", "--format", "json"},
            {kFake});
  ASSERT_EQ(moves.status, 0) << moves.err;
  for (const json& row : json(json::parse(moves.out)["results"])) {
    const bool transposed = row["kernel"] == "transpose/padded" && row["type"] != "i8";
    EXPECT_EQ(row["ratio"].contains("cublas"), transposed) << row;
    EXPECT_TRUE(row["ratio"].contains("cudamemcpy")) << row;
    EXPECT_EQ(row["no_ratio"].contains("cublas"),
              row["kernel"] == "transpose/padded" && !transposed)
        << row;
  }
}

TEST(Baselines, AWrongResultHasNoRatio) {
  const json row = gemm({"--size", "20x30x40", "--baseline", "cublas"},
                        {kFake, "VKMOYE_FAKE_CUDA=wrong"})["results"][0];
  EXPECT_EQ(row["verified"], true);
  EXPECT_TRUE(row["ratio"].empty());
  EXPECT_THAT(std::string(row["no_ratio"]["cublas"]), HasSubstr("its C[0,0] is"));
  EXPECT_THAT(output_of({"run", "transpose/padded", "--size", "33x65", "--baseline", "cublas",
                         "--min-time", "0"},
                        {kFake, "VKMOYE_FAKE_CUDA=wrong"}),
              HasSubstr("cublas: its element "));
}

TEST(Baselines, WhatIsMissingIsNamedAndIsNoError) {
  const json none =
      gemm({"--size", "8", "--baseline", "cublas"}, {kFake, "VKMOYE_FAKE_CUDA=none"})["results"][0];
  EXPECT_EQ(none["no_ratio"]["cublas"], "there is no CUDA device");
  const json type =
      gemm({"--size", "8", "--baseline", "cublas", "--type", "f16,f32"}, {kFake})["results"][0];
  EXPECT_EQ(type["no_ratio"]["cublas"], "cublasGemmEx: not supported (status 15)");
  const json other = gemm({"--size", "8", "--baseline", "openblas", "--type", "f16"},
                          {"VKMOYE_OPENBLAS=/nonexistent"})["results"][0];
  EXPECT_THAT(std::string(other["no_ratio"]["openblas"]),
              AnyOf(HasSubstr("OpenBLAS multiplies f32 and f64, not f16"),
                    HasSubstr("none of libopenblas.so.0")));
  const TemporaryFolder folder;
  write_file(folder.file("libopenblas.so.0"), "no library");
  const json damaged = gemm({"--size", "8", "--baseline", "openblas"},
                            {"VKMOYE_OPENBLAS=" + folder.path()})["results"][0];
  if (!damaged["no_ratio"].empty()) {
    EXPECT_THAT(std::string(damaged["no_ratio"]["openblas"]),
                AllOf(HasSubstr("none of libopenblas.so.0"), HasSubstr("file too short")));
  }
}

TEST(Baselines, OpenblasIsTimedWhereItIsInstalled) {
  for (int bits = 0; bits < 8; ++bits) {
    const json row = gemm({"--size",     "50x60x70",
                           "--baseline", "openblas",
                           "--type",     bits & 1 ? "f32" : "f64",
                           "--a",        bits & 1 ? "k" : "m",
                           "--b",        bits & 2 ? "k" : "n",
                           "--c",        bits & 4 ? "n" : "m",
                           "--batch",    "2",
                           "--lda",      "80",
                           "--ldb",      "80",
                           "--ldc",      "80",
                           "--beta",     "0.5"})["results"][0];
    if (row["no_ratio"].contains("openblas")) {
      ASSERT_THAT(std::string(row["no_ratio"]["openblas"]), HasSubstr("was found"));
      GTEST_SKIP() << row["no_ratio"]["openblas"];
    }
    EXPECT_GT(double{row["ratio"]["openblas"]}, 0) << row;
  }
}

TEST(Baselines, AGateDecidesTheExitStatus) {
  const auto run_with = [](const std::string& gate, const std::string& mode) {
    return bench({"run", "copy/simple", "--size", "64", "--baseline", "cudamemcpy", "--min-time",
                  "0", "--gate", gate},
                 {kFake, "VKMOYE_FAKE_CUDA=" + mode});
  };
  EXPECT_EQ(run_with("0", "").status, 0);
  EXPECT_EQ(run_with("0", "").err, "");
  expect_refused(run_with("1000000", ""),
                 testing::MatchesRegex("vkmoye-bench: gate: copy/simple f32 64x64: [0-9.e+-]+ "
                                       "x the speed of cudamemcpy, below the gate "
                                       "1000000\n"),
                 4);
  expect_refused(run_with("0", "none"),
                 "gate: copy/simple f32 64x64: cudamemcpy was not timed: there is no CUDA", 4);
  // A kernel does not fail the gate for a baseline that computes something else, but a message says so.
  const Outcome other = bench({"run", "copy/simple", "transpose/padded", "--size", "64",
                               "--baseline", "cublas", "--min-time", "0", "--gate", "0"},
                              {kFake});
  EXPECT_EQ(other.status, 0);
  EXPECT_EQ(other.err,
            "vkmoye-bench: gate: copy/simple: not compared, no --baseline computes the same\n");
  EXPECT_EQ(bench({"run", "copy/simple", "--gate", "1"}).status, 2);
}

}  // namespace
}  // namespace vkmoye::test
