// SPDX-License-Identifier: MIT
// apply gemm/*: the user's arrays in every order and type, and invalid ones.

#include <stdlib.h>

#include <cstring>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

class GemmApply : public testing::Test {
 protected:
  Outcome apply(std::vector<std::string> words) {
    words.insert(words.begin(), {"apply", "gemm/moye_simple", "--tile", "32x32x8", "--threads",
                                 "8x8", "--out", file("c.npy")});
    return bench(words);
  }
  std::string file(const std::string& name) { return folder_.file(name); }
  std::string result() { return read_file(file("c.npy")); }
  void write(const std::string& name, const std::string& shape, const std::vector<float>& values) {
    write_file(file(name), npy("<f4", shape, bytes_of(values)));
  }

  TemporaryFolder folder_;
};

TEST_F(GemmApply, MultipliesArraysInEveryOrder) {
  const std::string expected = npy("<f4", "(2, 2)", bytes_of(std::vector<float>{14, 32, 32, 77}));
  write("a.npy", "(2, 3)", {1, 2, 3, 4, 5, 6});
  Outcome outcome = apply({"--in", file("a.npy"), file("a.npy")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), expected);
  write("t.npy", "(3, 2)", {1, 4, 2, 5, 3, 6});
  outcome = apply({"--in", file("t.npy"), file("t.npy"), "--a", "m", "--b", "n"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), expected);

  write("b.npy", "(1, 3)", {1, 0, -1});
  outcome = apply({"--in", file("a.npy"), file("b.npy"), "--c", "m"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), npy("<f4", "(1, 2)", bytes_of(std::vector<float>{-2, -2})));
}

TEST_F(GemmApply, RowsOfExpertsAreMultipliedByTheirMatrices) {
  write("a.npy", "(3, 2)", {1, 2, 3, 4, 5, 6});
  write("b.npy", "(2, 1, 2)", {1, 1, 10, 100});
  const auto with_offsets = [&](const std::vector<std::uint32_t>& offsets) {
    write_file(file("o.npy"), npy("<u4", "(3,)", bytes_of(offsets)));
    return apply({"--experts", "2", "--in", file("a.npy"), file("b.npy"), file("o.npy")});
  };
  Outcome outcome = with_offsets({0, 1, 3});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), npy("<f4", "(3, 1)", bytes_of(std::vector<float>{3, 430, 650})));
  outcome = with_offsets({1, 3, 2});
  expect_refused(outcome, "o.npy: offset 0 is 1, not 0");
  EXPECT_THAT(outcome.err, HasSubstr("o.npy: offset 2 is 2, less than the one before, 3"));
  EXPECT_THAT(outcome.err, HasSubstr("o.npy: offset 2, the last, is 2, but A has 3 rows"));
}

TEST_F(GemmApply, TakesFactorsAndAnOldC) {
  write("a.npy", "(1, 2)", {1, 2});
  write("b.npy", "(2, 2)", {1, 0, 0, 1});
  write("c0.npy", "(1, 2)", {10, 20});
  const Outcome outcome = apply(
      {"--in", file("a.npy"), file("b.npy"), file("c0.npy"), "--alpha", "2", "--beta", "-0.5"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), npy("<f4", "(1, 2)", bytes_of(std::vector<float>{-3, -6})));
}

// f32 activations with f16 and bf16 weights: the arrays determine the types.
TEST_F(GemmApply, OperandsMayHaveTwoTypes) {
  write("a.npy", "(2, 3)", {1, 2, 3, 4, 5, 0.1f});
  write_file(file("half.npy"),
             npy("<f2", "(2, 3)",
                 bytes_of(std::vector<std::uint16_t>{0x3c00, 0x4000, 0xbc00, 0, 0, 0x3c00})));
  write_file(file("brain.npy"),
             npy("<V2", "(2, 3)",
                 bytes_of(std::vector<std::uint16_t>{0x3f80, 0x4000, 0xbf80, 0, 0, 0x3f80})));
  // (1,2,-1), (0,0,1); the f32 0.1 is not rounded.
  const auto of = [](float last) {
    return npy("<f4", "(2, 2)", bytes_of(std::vector<float>{2, 3, 14 - last, last}));
  };
  for (const char* weights : {"half.npy", "brain.npy"}) {
    for (const std::vector<std::string>& type :
         {std::vector<std::string>{},
          {"--type", weights[0] == 'h' ? "f32*f16,f32" : "f32*bf16,f32,f32"}}) {
      std::vector<std::string> words = {"--in", file("a.npy"), file(weights)};
      words.insert(words.end(), type.begin(), type.end());
      const Outcome outcome = apply(words);
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_EQ(result(), of(0.1f)) << weights;
    }
  }
  Outcome outcome = bench({"apply", "gemm/auto", "--type", "f16*f32,f32", "--in", file("half.npy"),
                           file("a.npy"), "--out", file("c.npy")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), npy("<f4", "(2, 2)", bytes_of(std::vector<float>{2, 14 - 0.1f, 3, 0.1f})));
  outcome = apply({"--in", file("a.npy"), file("half.npy"), "--type", "f16*f32,f32"});
  expect_refused(outcome, "a.npy: has type f32, but the product takes f16 there");
}

// Matrix units may round A to f16, also if gemm/auto chose them, as it does on the host.
TEST_F(GemmApply, OperandsOfTwoTypesAreCheckedAsTheKernelMultipliesThem) {
  Outcome outcome =
      bench({"run", "gemm/auto", "--type", "f32*f16", "--size", "33x40x64", "--device", "host"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  if (!has_lavapipe()) GTEST_SKIP() << "a kernel file is for a device with matrices of 8 lanes";
  const std::string kernel = file("k.json");
  outcome = bench({"emit", "gemm/coopmat", "--type", "f32*f16", "--atom", "8x8x8",
                   "--subgroup-size", "8", "--tile", "32x32x32", "--kernel", kernel});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  outcome = bench({"run", "--kernel", kernel, "--reference", "gemm", "--type", "f32*f16", "--size",
                   "33x40x64", "--min-time", "0"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

TEST_F(GemmApply, SumsOfNothingAreZeroAndNoRowsMakeNone) {
  write("a.npy", "(2, 0)", {});
  write("c0.npy", "(2, 2)", {1, 2, 3, 4});
  Outcome outcome = apply({"--in", file("a.npy"), file("a.npy")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), npy("<f4", "(2, 2)", bytes_of(std::vector<float>{0, 0, 0, 0})));
  outcome = apply({"--in", file("a.npy"), file("a.npy"), file("c0.npy"), "--beta", "-2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), npy("<f4", "(2, 2)", bytes_of(std::vector<float>{-2, -4, -6, -8})));
  write("a.npy", "(0, 3)", {});
  write("b.npy", "(2, 3)", {1, 2, 3, 4, 5, 6});
  outcome = apply({"--in", file("a.npy"), file("b.npy")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), npy("<f4", "(0, 2)", ""));
  write("a.npy", "(0, 2, 3)", {});
  outcome = apply({"--in", file("a.npy"), file("b.npy")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), npy("<f4", "(0, 2, 2)", ""));
}

TEST_F(GemmApply, MixedTypesAreRefusedBeforeAResultIsWritten) {
  write("a.npy", "(2, 2)", {1, 2, 3, 4});
  const std::pair<const char*, const char*> refused[] = {
      {"f32,i32", "integers and floating-point numbers do not mix"},
      {"f32,f32,i32", "sums would be cut off to integers"}};
  for (const auto& [type, why] : refused) {
    expect_refused(apply({"--in", file("a.npy"), file("a.npy"), "--type", type}), why);
    EXPECT_EQ(result(), "");
  }
}

// The smallest number of the type is valid, although the largest is nearer to 0.
TEST_F(GemmApply, TakesEveryFactorThatTheAccumulatorHolds) {
  const auto one = [](std::int32_t value) { return bytes_of(std::vector<std::int32_t>{value}); };
  write_file(file("a.npy"), npy("<i4", "(1, 1)", one(1)));
  const Outcome outcome = apply({"--in", file("a.npy"), file("a.npy"), "--alpha", "-2147483648"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), npy("<i4", "(1, 1)", one(INT32_MIN)));
  EXPECT_EQ(apply({"--in", file("a.npy"), file("a.npy"), "--alpha", "2147483648"}).status, 2);
}

TEST_F(GemmApply, ThreeDimensionsAreABatchAndTwoServeAllOfIt) {
  write("a.npy", "(2, 1, 2)", {1, 2, 3, 4});
  write("b.npy", "(2, 2)", {1, 0, 1, 1});
  Outcome outcome = apply({"--in", file("a.npy"), file("b.npy")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), npy("<f4", "(2, 1, 2)", bytes_of(std::vector<float>{1, 3, 3, 7})));
  write("a.npy", "(1, 1, 2)", {1, 2});
  outcome = apply({"--in", file("a.npy"), file("b.npy")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(result(), npy("<f4", "(1, 1, 2)", bytes_of(std::vector<float>{1, 3})));
}

TEST_F(GemmApply, RefusesArraysThatDoNotFit) {
  write("a.npy", "(2, 3)", {1, 2, 3, 4, 5, 6});
  write("b.npy", "(3, 2)", {1, 2, 3, 4, 5, 6});
  write("v.npy", "(3,)", {1, 2, 3});
  write("batch.npy", "(2, 1, 3)", {1, 2, 3, 4, 5, 6});
  write("batch3.npy", "(3, 1, 3)", {1, 2, 3, 4, 5, 6, 7, 8, 9});
  write_file(file("i.npy"), npy("<i4", "(2, 3)", std::string(24, '\1')));
  const auto refused = [&](std::vector<std::string> words, const std::string& text) {
    expect_refused(apply(words), text);
    EXPECT_EQ(result(), "");
  };
  refused({"--in", file("a.npy")}, "needs two arrays, A B, but got 1");
  refused({"--in", file("a.npy"), file("b.npy")}, "K is 3 in ");
  refused({"--in", file("a.npy"), file("v.npy")}, "has 1 dimension");
  refused({"--in", file("a.npy"), file("i.npy")}, "has type i32, but the product takes f32 there");
  refused({"--in", file("batch.npy"), file("batch3.npy")}, "has 2 matrices, ");
  refused({"--in", file("a.npy"), file("a.npy"), "--beta", "1"},
          "needs three arrays, A B C, but got 2");
  refused({"--in", file("a.npy"), file("a.npy"), file("b.npy"), "--beta", "1"},
          "has shape (3, 2), but C needs (2, 2)");
}

}  // namespace
}  // namespace vkmoye::test
