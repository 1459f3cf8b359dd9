// SPDX-License-Identifier: MIT
// Epilogues of products on the command line: parsing, arrays, bytes and errors.

#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

const std::vector<std::string> kSmall = {"--tile",   "16x16x8", "--threads", "8x8",
                                         "--values", "2x2",     "--vector",  "4"};

json run_gemm(std::vector<std::string> words, const std::vector<std::string>& environment = {}) {
  words.insert(words.begin(), kSmall.begin(), kSmall.end());
  words.insert(words.begin(), {"run", "gemm/simt", "--min-time", "0", "--format", "json"});
  return json::parse(output_of(words, environment))["results"][0];
}

TEST(EpilogueCli, IsVerifiedCountedAndRepeatable) {
  const json row = run_gemm({"--size", "33x65x17", "--type", "f16", "--c", "m", "--beta", "2",
                             "--batch", "3", "--epilogue", "bias,gelu,residual,scale:0.5"});
  EXPECT_EQ(row["verified"], true) << row;
  EXPECT_GT(double{row["max_error"]}, 0);
  // n of the kernel is m of the product.
  EXPECT_THAT(std::string(row["config"]["form"]), HasSubstr("epilogue=bias_m,gelu,residual,scale"));
  EXPECT_THAT(std::string(row["command"]), HasSubstr("--epilogue bias,gelu,residual,scale:0.5"));
  // A, B, the residual and C (read and written) have three matrices each; one bias.
  const double seconds = 1e-6 * double{row["time_us"]["median"]};
  const double bytes = 2.0 * (3 * (33 * 17 + 65 * 17 + 3 * 33 * 65) + 65);
  EXPECT_NEAR(double{row["gbps"]} * 1e9, bytes / seconds, 0.01 * bytes / seconds);
  EXPECT_NEAR(double{row["tflops"]} * 1e12, 2.0 * 33 * 65 * 17 * 3 / seconds,
              0.01 * 2.0 * 33 * 65 * 17 * 3 / seconds);
}

// The residual in place: C is read, also by the kernel that adds up slices of k.
TEST(EpilogueCli, TheResidualMayBeC) {
  for (const char* split : {"1", "4"}) {
    const json row =
        run_gemm({"--size", "33x65x70", "--epilogue", "bias,silu,residual_c", "--split-k", split});
    EXPECT_EQ(row["verified"], true) << row;
    EXPECT_THAT(std::string(row["command"]), HasSubstr("--epilogue bias,silu,residual_c"));
  }
}

TEST(EpilogueCli, NumbersThatAreNotFiniteAreVerified) {
  const json row = run_gemm({"--size", "33x65x17", "--init", "nonfinite", "--epilogue",
                             "bias,silu,bias_m,relu,residual,scale:-3"});
  EXPECT_EQ(row["verified"], true) << row;
}

TEST(EpilogueCli, TheTextAndTheHelpNameIt) {
  const Outcome text = bench({"emit", "gemm/simt", "--epilogue", "bias,relu", "--beta", "1"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out.substr(0, text.out.find('\n')), HasSubstr("  beta  epilogue=bias,relu  "));
  EXPECT_THAT(bench({"emit", "gemm/simt", "--epilogue", "residual", "--interface", "-"}).out,
              HasSubstr("\"name\": \"residual\""));
  EXPECT_THAT(output_of({"explain", "gemm/moye_simple", "--epilogue", "bias_m,residual"}),
              AllOf(HasSubstr("load bias_m"), HasSubstr("load residual")));
  for (const char* command : {"run", "apply", "emit", "explain"}) {
    const Outcome help = bench({command, "gemm/simt", "--help"});
    EXPECT_THAT(help.out, AllOf(HasSubstr("--epilogue"), HasSubstr("scale:NUMBER"))) << command;
  }
}

TEST(EpilogueCli, WhatIsNoEpilogueIsRefused) {
  expect_refused({"run", "gemm/simt", "--size", "8", "--epilogue", "bias,rleu"},
                 "epilogue 'bias,rleu': expected comma-separated steps; unknown step 'rleu' "
                 "(did you mean 'relu'?); known: bias ");
  expect_refused({"run", "copy/simple", "--epilogue", "relu"},
                 "--epilogue is an option of gemm, not of copy/simple");
}

TEST(EpilogueCli, ALibraryWithoutEpiloguesIsNoBaseline) {
  const json row = run_gemm({"--size", "20x30x40", "--epilogue", "bias", "--baseline", "cublas"},
                            {"VKMOYE_CUBLAS=" + fake_cuda_folder()});
  EXPECT_EQ(row["verified"], true);
  EXPECT_THAT(row.dump(), HasSubstr("cublas has no epilogues"));
}

class EpilogueApply : public testing::Test {
 protected:
  EpilogueApply() {
    write("a.npy", "(2, 1)", {1, 2});
    write("b.npy", "(3, 1)", {1, -1, 3});  // A B^T is ((1,-1,3),(2,-2,6))
    write("n.npy", "(3,)", {10, 20, -5});
    write("m.npy", "(2,)", {0.5, 1.5});
    write("r.npy", "(2, 3)", {100, 200, 300, 400, 500, 600});
  }
  Outcome apply(const std::vector<std::string>& inputs, const std::vector<std::string>& options) {
    std::vector<std::string> words = {"apply",   "gemm/moye_simple", "--tile",
                                      "32x32x8", "--threads",        "8x8",
                                      "--out",   file("c.npy"),      "--in"};
    for (const std::string& input : inputs) words.push_back(file(input + ".npy"));
    words.insert(words.end(), options.begin(), options.end());
    return bench(words);
  }
  void expect(const std::vector<std::string>& inputs, const std::vector<std::string>& options,
              const std::string& shape, const std::vector<float>& result) {
    const Outcome outcome = apply(inputs, options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_file(file("c.npy")), npy("<f4", shape, bytes_of(result)));
  }
  std::string file(const std::string& name) { return folder_.file(name); }
  void write(const std::string& name, const std::string& shape, const std::vector<float>& values) {
    write_file(file(name), npy("<f4", shape, bytes_of(values)));
  }

  TemporaryFolder folder_;
};

TEST_F(EpilogueApply, TakesWhatItsStepsReadAfterTheOtherArrays) {
  expect({"a", "b", "n"}, {"--epilogue", "bias,relu"}, "(2, 3)", {11, 19, 0, 12, 18, 1});
  expect({"a", "b", "m", "n"}, {"--epilogue", "bias_m,scale:2,bias"}, "(2, 3)",
         {13, 19, 2, 17, 19, 10});
  expect({"a", "b", "r", "r", "n"}, {"--epilogue", "residual,bias", "--beta", "-1"}, "(2, 3)",
         {11, 19, -2, 12, 18, 1});
  for (const char* epilogue : {"relu,residual", "relu,residual_c"}) {
    expect({"a", "b", "r"}, {"--epilogue", epilogue}, "(2, 3)", {101, 200, 303, 402, 500, 606});
  }
}

TEST_F(EpilogueApply, FollowsTheOrderOfC) {
  expect({"a", "b", "n", "m"}, {"--epilogue", "bias,bias_m", "--c", "m"}, "(3, 2)",
         {11.5, 13.5, 19.5, 19.5, -1.5, 2.5});
}

TEST_F(EpilogueApply, RefusesArraysThatDoNotFit) {
  const auto refused = [&](const std::vector<std::string>& inputs,
                           const std::vector<std::string>& options, const std::string& text) {
    expect_refused(apply(inputs, options), text);
  };
  refused({"a", "b"}, {"--epilogue", "bias"},
          "needs three arrays, A B bias, but got 2 (--beta is 0, --epilogue bias");
  refused({"a", "b", "n"}, {"--epilogue", "residual,bias", "--beta", "1"},
          "needs five arrays, A B C residual bias, but got 3");
  refused({"a", "b"}, {"--epilogue", "residual_c"}, "needs three arrays, A B C, but got 2");
  refused({"a", "b", "m"}, {"--epilogue", "bias"}, "has shape (2,), but bias needs (3,)");
  refused({"a", "b", "n"}, {"--epilogue", "residual"}, "has shape (3,), but residual needs (2, 3)");
  write_file(file("i.npy"), npy("<i4", "(3,)", std::string(12, '\1')));
  refused({"a", "b", "i"}, {"--epilogue", "bias"}, "has type i32, but the product takes f32 there");
}

}  // namespace
}  // namespace vkmoye::test
