// SPDX-License-Identifier: MIT
// Sums, largest elements, softmax and norms on the command line.

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

class RowsCli : public testing::Test {
 protected:
  void give(const std::string& file, const std::string& content) {
    write_file(folder_.file(file), content);
  }
  Outcome apply(const std::string& kernel, const std::vector<std::string>& options,
                const std::vector<std::string>& files = {"a.npy"}) {
    std::vector<std::string> all = {"apply", kernel};
    all.insert(all.end(), options.begin(), options.end());
    all.push_back("--in");
    for (const std::string& file : files) all.push_back(folder_.file(file));
    all.insert(all.end(), {"--out", folder_.file("b.npy")});
    return bench(all);
  }
  std::string result() const { return read_file(folder_.file("b.npy")); }

  const TemporaryFolder folder_;
};

TEST_F(RowsCli, ReducesRowsAndColumnsAsNumPy) {
  give("a.npy", npy("<i4", "(2, 3)", bytes_of(std::vector<int>{1, -2, 3, 40, 2147483647, 6})));
  const auto reduced = [&](const std::string& kernel, const char* axis) {
    const Outcome outcome = apply(kernel, {"--axis", axis});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return result();
  };
  const auto numbers = [](const char* shape, const std::vector<int>& values) {
    return npy("<i4", shape, bytes_of(values));
  };
  EXPECT_EQ(reduced("reduce/sum", "1"), numbers("(2,)", {2, -2147483603}));  // it wraps
  EXPECT_EQ(reduced("reduce/sum", "0"), numbers("(3,)", {41, 2147483645, 9}));
  EXPECT_EQ(reduced("reduce/max", "1"), numbers("(2,)", {3, 2147483647}));
  EXPECT_EQ(reduced("reduce/max", "0"), numbers("(3,)", {40, 2147483647, 6}));
}

// As in NumPy, a.sum(axis=0) of a 1-D array is a scalar, and axis 1 does not exist.
TEST_F(RowsCli, ReducesOneDimensionToANumber) {
  give("a.npy", npy("<i4", "(5,)", bytes_of(std::vector<int>{1, 2, 3, 4, 0})));
  for (const std::vector<std::string>& axis : {std::vector<std::string>{}, {"--axis", "0"}}) {
    const Outcome outcome = apply("reduce/sum", axis);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(result(), npy("<i4", "()", bytes_of(std::vector<int>{10})));
  }
  expect_refused(apply("reduce/sum", {"--axis", "1"}), "axis 1 of (5,), which has only axis 0");
}

TEST_F(RowsCli, ASizeWithoutAResultIsSkippedInASweep) {
  EXPECT_THAT(
      output_of({"run", "reduce/*", "--size", "5x0,8x8", "--min-time", "0"}),
      HasSubstr("there is no largest element of an empty row or column: the shape is (5, 0)"));
  expect_refused({"run", "reduce/max", "--size", "5x0"},
                 "reduce/max: there is no largest element of an empty row or column");
  expect_refused({"run", "rope/rows", "--size", "3x2x7,2x2x5"},
                 "\n  - rope/rows: rows of 7 elements are not pairs\n  - rope/rows: rows of 5 ");
}

TEST_F(RowsCli, AccessesAreAsWideAsAskedAlsoWithOneThreadAlongARow) {
  const Outcome outcome =
      bench({"run", "reduce/sum", "softmax/rows", "--type", "f32,f16", "--vector", "8", "--rounds",
             "4", "--columns", "1", "--size", "8x1024,9x1", "--min-time", "0"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

TEST_F(RowsCli, OfNoValuesTheSumIsZeroAndThereIsNoLargest) {
  give("a.npy", npy("<f4", "(2, 0)", ""));
  EXPECT_EQ(apply("reduce/sum", {"--axis", "1"}).status, 0);
  EXPECT_EQ(result(), npy("<f4", "(2,)", bytes_of(std::vector<float>{0, 0})));
  EXPECT_EQ(apply("reduce/sum", {"--axis", "0"}).status, 0);
  EXPECT_EQ(result(), npy("<f4", "(0,)", ""));
  EXPECT_EQ(apply("softmax/rows", {}).status, 0);
  EXPECT_EQ(result(), npy("<f4", "(2, 0)", ""));
  const Outcome outcome = apply("reduce/max", {"--axis", "1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(
      outcome.err,
      HasSubstr("there is no largest element of an empty row or column: the shape is (2, 0)"));
}

TEST_F(RowsCli, SoftmaxAndNormsTakeRowsOfAnyArray) {
  const auto expect = [&](const std::string& shape, const std::vector<float>& values) {
    const std::string found = result();
    const std::string data = bytes_of(values);
    std::vector<float> numbers(values.size());
    ASSERT_GE(found.size(), data.size());
    std::memcpy(numbers.data(), found.data() + found.size() - data.size(), data.size());
    EXPECT_EQ(found, npy("<f4", shape, bytes_of(numbers)));
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(numbers[i], values[i], 1e-5);
  };
  give("a.npy", npy("<f4", "(2, 1, 2)", bytes_of(std::vector<float>{0, 0, -INFINITY, 1})));
  EXPECT_EQ(apply("softmax/rows", {}).status, 0);
  expect("(2, 1, 2)", {0.5, 0.5, 0, 1});
  give("a.npy", npy("<f4", "(2,)", bytes_of(std::vector<float>{3, -3})));
  give("w.npy", npy("<f4", "(2,)", bytes_of(std::vector<float>{1, 2})));
  EXPECT_EQ(apply("norm/rms", {"--epsilon", "0"}, {"a.npy", "w.npy"}).status, 0);
  expect("(2,)", {1, -2});
  give("a.npy", npy("<f4", "(1, 2)", bytes_of(std::vector<float>{2, -1})));
  give("r.npy", npy("<f4", "(1, 2)", bytes_of(std::vector<float>{1, -2})));
  EXPECT_EQ(apply("norm/residual", {"--epsilon", "0"}, {"a.npy", "r.npy", "w.npy"}).status, 0);
  expect("(1, 2)", {1, -2});  // of 3, -3
}

TEST_F(RowsCli, ApplyWritesFurtherResults) {
  const std::string first = folder_.file("b.npy"), second = folder_.file("c.npy");
  give("a.npy", npy("<f4", "(2, 3)", bytes_of(std::vector<float>{1, 5, 2, 4, 4, NAN})));
  const auto top = [&](const std::vector<std::string>& out) {
    std::vector<std::string> all = {"apply", "topk/rows",           "--k",  "2",
                                    "--in",  folder_.file("a.npy"), "--out"};
    all.insert(all.end(), out.begin(), out.end());
    return bench(all);
  };
  EXPECT_THAT(output_of(top({first, second})),
              HasSubstr(first + " (2, 2) u32, " + second + " (2, 2) f32"));
  EXPECT_EQ(result(), npy("<u4", "(2, 2)", bytes_of(std::vector<std::uint32_t>{1, 2, 2, 0})));
  EXPECT_EQ(read_file(second), npy("<f4", "(2, 2)", bytes_of(std::vector<float>{5, 2, NAN, 4})));
  EXPECT_THAT(top({first, second, folder_.file("d.npy")}).err,
              HasSubstr("--out: topk/rows has 2 results, but 3 files are given"));
  EXPECT_THAT(top({first, first}).err, HasSubstr("--out: " + first + " is given twice"));

  give("a.npy", npy("<f4", "(1, 2)", bytes_of(std::vector<float>{2, -1})));
  give("r.npy", npy("<f4", "(1, 2)", bytes_of(std::vector<float>{1, -2})));
  give("w.npy", npy("<f4", "(2,)", bytes_of(std::vector<float>{1, 2})));
  EXPECT_EQ(bench({"apply", "norm/residual", "--in", folder_.file("a.npy"), folder_.file("r.npy"),
                   folder_.file("w.npy"), "--out", first, second})
                .status,
            0);
  EXPECT_EQ(read_file(second), npy("<f4", "(1, 2)", bytes_of(std::vector<float>{3, -3})));
  EXPECT_THAT(
      bench({"apply", "softmax/rows", "--in", folder_.file("a.npy"), "--out", first, second}).err,
      HasSubstr("--out: softmax/rows has 1 result, but 2 files are given"));
}

// All results, of rows that are read once and of longer ones.
TEST_F(RowsCli, NormsAreVerifiedWithTheSumThatTheyAddFirst) {
  for (const char* device : {"0", "host"}) {
    const auto results = nlohmann::json::parse(
        output_of({"run", "norm/residual", "norm/layer", "--size", "5x67,2x5003", "--type",
                   "f32,f16", "--threads", "32", "--verify", "full", "--device", device,
                   "--min-time", "0", "--format", "json"}))["results"];
    ASSERT_EQ(results.size(), 8u);
    for (const auto& row : results) EXPECT_EQ(row["verified"], true) << row;
  }
}

TEST_F(RowsCli, ArgmaxIsTheFirstLargestElementOrNaN) {
  const std::vector<float> rows = {1,         5,         5, 2,   -INFINITY, -INFINITY,
                                   -INFINITY, -INFINITY, 3, NAN, 9,         NAN};
  give("a.npy", npy("<f4", "(3, 1, 4)", bytes_of(rows)));
  EXPECT_EQ(apply("argmax/rows", {}).status, 0);
  EXPECT_EQ(result(), npy("<u4", "(3, 1)", bytes_of(std::vector<std::uint32_t>{1, 0, 1})));
  give("a.npy", npy("<f4", "(3,)", bytes_of(std::vector<float>{0, 1, 2})));
  EXPECT_EQ(apply("argmax/rows", {}).status, 0);
  EXPECT_EQ(result(), npy("<u4", "()", bytes_of(std::vector<std::uint32_t>{2})));
  give("a.npy", npy("<f4", "(2, 0)", ""));
  EXPECT_THAT(apply("argmax/rows", {}).err,
              HasSubstr("there is no largest element of an empty row: the shape is (2, 0)"));
}

TEST_F(RowsCli, LargestElementsAreVerifiedWithTheirPlaces) {
  for (const char* device : {"0", "host"}) {
    const auto results = nlohmann::json::parse(
        output_of({"run", "topk/rows", "--size", "5x67,70x3,2x5003", "--type", "f32,f16",
                   "--threads", "32", "--k", "11", "--verify", "full", "--device", device,
                   "--min-time", "0", "--format", "json"}))["results"];
    ASSERT_EQ(results.size(), 6u);
    for (const auto& row : results) EXPECT_EQ(row["verified"], true) << row;
  }
  give("a.npy", npy("<f4", "(2, 3)", bytes_of(std::vector<float>{1, 5, 2, 4, 4, NAN})));
  EXPECT_EQ(apply("topk/rows", {"--k", "2"}).status, 0);
  EXPECT_EQ(result(), npy("<u4", "(2, 2)", bytes_of(std::vector<std::uint32_t>{1, 2, 2, 0})));
  EXPECT_THAT(apply("topk/rows", {"--k", "65"}).err, HasSubstr("k 65 is outside 1..64"));
}

TEST_F(RowsCli, GatesMultiplyByAFunctionOfAnotherArray) {
  give("a.npy", npy("<f4", "(1, 3)", bytes_of(std::vector<float>{0, -INFINITY, 1})));
  give("g.npy", npy("<f4", "(1, 3)", bytes_of(std::vector<float>{7, 2, 10})));
  const auto last = [&] {
    const std::string found = result();
    float number = 0;
    std::memcpy(&number, found.data() + found.size() - sizeof number, sizeof number);
    return number;
  };
  EXPECT_EQ(apply("gate/rows", {}, {"a.npy", "g.npy"}).status, 0);
  EXPECT_NEAR(last(), 7.310586, 1e-5);  // 10 / (1 + exp(-1))
  EXPECT_EQ(apply("gate/rows", {"--function", "gelu"}, {"a.npy", "g.npy"}).status, 0);
  EXPECT_NEAR(last(), 8.411920, 1e-5);
  expect_refused(apply("gate/rows", {"--function", "tanh"}, {"a.npy", "g.npy"}),
                 "function 'tanh': expected silu or gelu");
  expect_refused(
      apply("gate/rows", {"--threads", "0", "--rounds", "0", "--vector", "0"}, {"a.npy", "g.npy"}),
      AllOf(HasSubstr("gate/rows"), HasSubstr("threads = 0"), HasSubstr("rounds = 0"),
            HasSubstr("vector 0")));
}

// The numbers at the end of the result, whose header is that of `shape`.
std::vector<float> numbers_in(const std::string& file, const std::string& shape,
                              std::size_t count) {
  std::vector<float> numbers(count);
  const std::size_t bytes = count * sizeof(float);
  if (file.size() < bytes) return {};
  std::memcpy(numbers.data(), file.data() + file.size() - bytes, bytes);
  EXPECT_EQ(file, npy("<f4", shape, bytes_of(numbers)));
  return numbers;
}

TEST_F(RowsCli, RopeRotatesPairsByTheirPositions) {
  using testing::FloatNear, testing::Pointwise;
  const float quarter = 1.5707964F, near = 1e-5F;
  give("p.npy", npy("<i4", "(2,)", bytes_of(std::vector<int>{0, 5})));  // a turn and a quarter
  give("f.npy", npy("<f4", "(2,)", bytes_of(std::vector<float>{quarter, 0})));
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};
  give("a.npy", npy("<f4", "(2, 2, 4)", bytes_of(rows)));  // two heads of each token
  const std::vector<std::string> files = {"a.npy", "p.npy", "f.npy"};
  EXPECT_EQ(apply("rope/rows", {}, files).status, 0);
  EXPECT_THAT(numbers_in(result(), "(2, 2, 4)", 16),
              Pointwise(FloatNear(near), {1, 2, 3, 4, 5, 6, 7, 8, -2, 1, 3, 4, -6, 5, 7, 8}));
  EXPECT_EQ(apply("rope/rows", {"--pairs", "halves"}, files).status, 0);
  EXPECT_THAT(numbers_in(result(), "(2, 2, 4)", 16),
              Pointwise(FloatNear(near), {1, 2, 3, 4, 5, 6, 7, 8, -3, 2, 1, 4, -7, 6, 5, 8}));
  give("a.npy", npy("<f4", "(2, 4)", bytes_of(std::vector<float>(rows.begin(), rows.begin() + 8))));
  EXPECT_EQ(apply("rope/rows", {}, files).status, 0);
  EXPECT_THAT(numbers_in(result(), "(2, 4)", 8),
              Pointwise(FloatNear(near), {1, 2, 3, 4, -6, 5, 7, 8}));

  EXPECT_THAT(apply("rope/rows", {}, {"a.npy", "f.npy", "f.npy"}).err,
              HasSubstr("has type f32, rope/rows takes i32 there"));
  give("p.npy", npy("<i4", "(3,)", bytes_of(std::vector<int>{0, 1, 2})));
  EXPECT_THAT(apply("rope/rows", {}, files).err,
              HasSubstr("has shape (3,), but positions needs (2,)"));
  give("a.npy", npy("<f4", "(3, 5)", bytes_of(std::vector<float>(15))));
  EXPECT_THAT(apply("rope/rows", {}, files).err, HasSubstr("rows of 5 elements are not pairs"));
  give("a.npy", npy("<f4", "(4,)", bytes_of(std::vector<float>(4))));
  EXPECT_THAT(apply("rope/rows", {}, files).err, HasSubstr("(4,) has 1 dimensions"));
}

TEST_F(RowsCli, EmbedLooksUpRowsAndGivesZerosOutside) {
  give("t.npy", npy("<f4", "(3, 2)", bytes_of(std::vector<float>{1, 2, 3, 4, 5, 6})));
  give("i.npy", npy("<i4", "(2, 2)", bytes_of(std::vector<int>{2, 0, -1, 3})));
  EXPECT_EQ(apply("embed/rows", {}, {"t.npy", "i.npy"}).status, 0);
  EXPECT_EQ(result(),
            npy("<f4", "(2, 2, 2)", bytes_of(std::vector<float>{5, 6, 1, 2, 0, 0, 0, 0})));
  give("t.npy",
       npy("<f2", "(3, 2)", bytes_of(std::vector<std::uint16_t>{0x3c00, 0x4000, 0, 0, 0, 0})));
  give("i.npy", npy("<i4", "()", bytes_of(std::vector<int>{0})));
  EXPECT_EQ(apply("embed/rows", {"--type", "f16*f32"}, {"t.npy", "i.npy"}).status, 0);
  EXPECT_EQ(result(), npy("<f4", "(2,)", bytes_of(std::vector<float>{1, 2})));

  EXPECT_THAT(apply("embed/rows", {}, {"t.npy"}).err,
              HasSubstr("embed/rows takes a table and indices, got 1 arrays"));
  give("t.npy", npy("<f4", "(1, 3, 2)", bytes_of(std::vector<float>(6))));
  expect_refused(apply("embed/rows", {}, {"t.npy", "t.npy"}),
                 AllOf(HasSubstr("the table has 3 dimensions, not rows and columns"),
                       HasSubstr("has type f32, embed/rows takes i32 there")));
}

TEST_F(RowsCli, RefusesArraysAndConfigsThatDoNotFit) {
  give("a.npy", npy("<f4", "(2, 2)", bytes_of(std::vector<float>{1, 2, 3, 4})));
  give("w.npy", npy("<f4", "(3,)", bytes_of(std::vector<float>{1, 2, 3})));
  expect_refused(apply("norm/rms", {}, {"a.npy", "w.npy"}),
                 "has shape (3,), but weight needs (2,)");
  const Outcome axis = apply("reduce/sum", {"--axis", "2"});
  expect_refused(axis, "axis 2 is neither 0 nor 1");
  give("v.npy", npy("<f4", "(2,)", bytes_of(std::vector<float>{1, 2})));
  for (const char* epsilon : {"1e39", "1e-50", "-1", "nan"}) {
    expect_refused(apply("norm/rms", {"--epsilon", epsilon}, {"a.npy", "v.npy"}),
                   "is neither 0 nor a normal f32 number");
  }
  expect_refused(apply("softmax/rows", {"--threads", "100", "--epsilon", "1"}),
                 "there is no option 'epsilon'");
  give("c.npy", npy("<f4", "(1, 1, 1)", bytes_of(std::vector<float>{1})));
  EXPECT_THAT(apply("reduce/sum", {}, {"c.npy"}).err,
              HasSubstr("takes rows and columns, (1, 1, 1) has 3 dimensions"));
}

TEST_F(RowsCli, RunVerifiesAndComparesWithACopyOfAsManyBytes) {
  const auto results = nlohmann::json::parse(
      output_of({"run", "reduce/*", "softmax/rows", "norm/rms", "norm/residual", "argmax/rows",
                 "gate/rows", "--size", "70x130", "--type", "f32,f16", "--baseline", "copy",
                 "--min-time", "0", "--format", "json"}))["results"];
  ASSERT_EQ(results.size(), 14u);
  for (const auto& row : results) {
    EXPECT_EQ(row["verified"], true) << row;
    EXPECT_GT(row["ratio"]["copy"], 0) << row;
  }
}

TEST_F(RowsCli, RopeAndEmbedAreVerifiedAtEdgesOnDeviceAndTwin) {
  const std::vector<std::string> command = {
      "run",    "rope/rows", "embed/rows", "--size", "5x3x130,1x33x2,70x1x1004",
      "--type", "f32,f16",   "--format",   "json"};
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--baseline", "copy", "--min-time", "0"}, {"--device", "host"}}) {
    std::vector<std::string> all = command;
    all.insert(all.end(), more.begin(), more.end());
    const auto results = nlohmann::json::parse(output_of(all))["results"];
    ASSERT_EQ(results.size(), 12u);
    for (const auto& row : results) EXPECT_EQ(row["verified"], true) << row;
  }
}

TEST_F(RowsCli, EmitsForSubgroupsOfTheDeviceAndExplains) {
  EXPECT_THAT(
      output_of({"emit", "softmax/rows"}),
      AllOf(HasSubstr("subgroup-size=32"), HasSubstr("subgroupMax"), HasSubstr("[[dont_unroll]]")));
  EXPECT_THAT(bench({"emit", "reduce/sum", "--subgroup-size", "64"}).out,
              HasSubstr("uint thread = 64u * subgroup + lane;"));
  EXPECT_THAT(output_of({"explain", "reduce/sum", "--size", "64x8192"}),
              HasSubstr("load src: coalesced"));
}

}  // namespace
}  // namespace vkmoye::test
