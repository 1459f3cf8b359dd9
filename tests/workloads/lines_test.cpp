// SPDX-License-Identifier: MIT
// Tests the check of operations on lines with right and wrong results computed on the host.

#include <cmath>
#include <cstring>
#include <limits>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/problems/rows/line_problem.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::uint64_t kSeedOfLines = 3;

// Arrays on the host; the test computes the results.
class HostArrays : public gen::ArrayMemory {
 public:
  explicit HostArrays(const gen::Problem& problem) {
    for (const gen::ProblemArray& array : problem.arrays) {
      bytes.emplace_back(array.bytes, std::byte{0xff});
    }
  }
  void write(std::size_t array, std::span<const std::byte> from, std::uint64_t offset) override {
    if (!from.empty()) std::memcpy(&bytes[array][offset], from.data(), from.size());
  }
  void read(std::size_t array, std::span<std::byte> to, std::uint64_t offset) const override {
    if (!to.empty()) std::memcpy(to.data(), &bytes[array][offset], to.size());
  }

  float get(std::size_t array, std::size_t index) const {
    float value = 0;
    std::memcpy(&value, &bytes[array][index * 4], 4);
    return value;
  }
  void set(std::size_t array, std::size_t index, float value) {
    std::memcpy(&bytes[array][index * 4], &value, 4);
  }

  std::vector<std::vector<std::byte>> bytes;
};

// dst[c] = sum over r of weight[r] * src[r][c]: has a line of each kind.
gen::LineProblem weighted_column_sum(const gen::LineSpec& spec) {
  gen::LineProblem out;
  out.lines = spec.cols;
  out.inputs = {gen::columns_of("src", spec), gen::one_row("weight", spec.rows)};
  out.results = {{"dst", {spec.cols}, 1, 1, 1}};
  out.arguments = {{"rows", spec.rows}, {"cols", spec.cols}};
  out.flops = 2.0 * static_cast<double>(spec.rows * spec.cols);
  out.define = [spec](std::span<const gen::Line> in, std::span<gen::Expected> sum, std::size_t) {
    double value = 0, magnitude = 0;
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      value += in[0][i] * in[1][i];
      magnitude += std::fabs(in[0][i] * in[1][i]);
    }
    const double epsilon = gen::range_of(spec.type).epsilon;
    sum[0] = {value, static_cast<double>(spec.rows + 1) * epsilon * magnitude};
  };
  return out;
}

const gen::KernelEntry kEntry = {"sum/columns", "column_sum", "", "", {ScalarType::f32}, {}, {}};

std::unique_ptr<gen::Problem> problem_of(const Extents& size) {
  static const gen::Operation operation = gen::line_operation("column_sum", weighted_column_sum);
  return operation.of_size({&kEntry, "f32", {}, {}}, size);
}

// Sums in f32 and in another order, like those of a kernel.
void compute(const Extents& size, HostArrays& arrays) {
  const auto rows = static_cast<std::size_t>(size[0]), cols = static_cast<std::size_t>(size[1]);
  for (std::size_t c = 0; c < cols; ++c) {
    float sum = 0;
    for (std::size_t r = rows; r-- > 0;) sum += arrays.get(0, r * cols + c) * arrays.get(1, r);
    arrays.set(2, c, sum);
  }
}

TEST(Lines, RightResultsPassAndEachWrongElementIsFound) {
  for (const Extents& size : {Extents{1, 1}, {7, 5}, {300, 33}, {0, 4}, {4, 0}}) {
    const auto problem = problem_of(size);
    HostArrays arrays(*problem);
    problem->fill(arrays, kSeedOfLines);
    compute(size, arrays);
    const gen::CheckResult right = problem->check(arrays, gen::Verify::full, kSeedOfLines);
    EXPECT_EQ(right.mismatches, 0u) << right.first;
    for (std::size_t c = 0; c < static_cast<std::size_t>(size[1]); ++c) {
      const float before = arrays.get(2, c);
      for (const float wrong : {before + 0.1f, std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::infinity()}) {
        arrays.set(2, c, wrong);
        const gen::CheckResult checked = problem->check(arrays, gen::Verify::sample, kSeedOfLines);
        EXPECT_EQ(checked.mismatches, 1u) << c;
        EXPECT_THAT(checked.first, HasSubstr("element " + std::to_string(c) + " of dst is "));
      }
      arrays.set(2, c, before);
    }
  }
}

TEST(Lines, DeclareWhatTheyMove) {
  const auto problem = problem_of({8, 16});
  EXPECT_EQ(problem->bytes, 4.0 * (8 * 16 + 8 + 16));
  EXPECT_EQ(problem->flops, 256);
  EXPECT_EQ(problem->arrays[problem->result].shape, (Extents{16}));
  EXPECT_EQ(problem->arguments, (Arguments{{"rows", 8}, {"cols", 16}}));
}

TEST(Lines, ArraysThatDoNotFitAreRefusedWithEveryReason) {
  const gen::Operation operation = gen::line_operation("column_sum", weighted_column_sum);
  const auto apply = [&](const std::vector<gen::GivenArray>& given) {
    return operation.of_arrays({&kEntry, "", {}, {}}, given)->arrays.back().shape;
  };
  const gen::GivenArray matrix = {"a.npy", ScalarType::f32, {3, 4}};
  EXPECT_EQ(apply({matrix, {"w.npy", ScalarType::f32, {3}}}), (Extents{4}));
  EXPECT_REFUSED(apply({matrix, {"w.npy", ScalarType::f64, {4}}}), ArgumentError,
                 AllOf(HasSubstr("w.npy: has type f64, sum/columns takes f32 there"),
                       HasSubstr("w.npy: has shape (4,), but weight needs (3,)")));
  EXPECT_REFUSED(apply({matrix}), ArgumentError, "weight), got 1");
}

}  // namespace
}  // namespace vkmoye::bench
