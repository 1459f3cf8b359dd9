// Products whose k is cut into slices: right at every edge of the slices, and the same bits each time.

#include <gmock/gmock.h>

#include <optional>

#include "support/device_fixture.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "workloads/device_executor.hpp"
#include "workloads/gemm_workload.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

const gen::Options kSmall = {
    {"tile", "32x32x8"}, {"threads", "8x8"}, {"values", "4x4"}, {"vector", "16"}};
const gen::Options kThin = {
    {"side", "m"}, {"rows", "4"}, {"reads", "2x2"}, {"threads", "32"}, {"along-k", "8"}};
const gen::Options kMatrix = {{"tile", "32x32x16"}};

struct Case {
  const char* kernel;
  const gen::Options& config;
  const char* type;
  Extents size;
  std::int64_t slices;
};

std::unique_ptr<Workload> workload_of(const Case& one, GemmProblem problem) {
  const GemmProblem types = parse_gemm_type(one.type);
  problem.operand = types.operand;
  problem.accumulator = types.accumulator;
  problem.result = types.result;
  problem.slices = one.slices;
  return make_product({gen::find_kernel(one.kernel), "", one.config, {}}, problem, one.size);
}

std::unique_ptr<DeviceExecution> execution_of(Device& device, const Plan& plan) {
  std::vector<LoadedStep> steps;
  for (const Step& step : plan.steps) {
    steps.push_back({device.load(gen::compile(step.kernel)), step.arguments, step.arrays});
  }
  return std::make_unique<DeviceExecution>(device, plan.arrays, steps);
}

class SplitK : public DeviceTest {
 protected:
  // Both orders, with and without C, wherever C lies.
  void expect_right(const Case& one, GemmProblem problem = {}) {
    for_each_device([&](Device& device) {
      for (const bool other : {false, true}) {
        problem.a_k_contiguous = !other;
        problem.b_k_contiguous = problem.c_n_contiguous = !other;
        problem.alpha = -2;
        problem.beta = other ? 3 : 0;
        problem.init = other ? Init::integers : Init::random;
        if (other) problem.c.leading = one.size[0] + 5;
        const auto workload = workload_of(one, problem);
        const Plan plan = workload->plan(device.caps());
        ASSERT_EQ(plan.steps.size(), 2u);
        if (!bench::reasons_against(device.caps(), plan).empty()) continue;
        const auto execution = execution_of(device, plan);
        workload->fill(*execution, 1);
        execution->run();
        const Verdict verdict = workload->check(*execution, Verify::full, 1);
        EXPECT_EQ(verdict.first + execution->damage(), "")
            << one.kernel << ' ' << bench::to_string(one.size) << " in " << one.slices;
      }
    });
  }
};

TEST_F(SplitK, LastSliceIsShort) { expect_right({"gemm/simt", kSmall, "f32", {33, 37, 100}, 3}); }
TEST_F(SplitK, ThereAreMoreSlicesThanTiles) {
  expect_right({"gemm/simt", kSmall, "i32", {33, 5, 17}, 7});
}
TEST_F(SplitK, NothingIsSummedUp) { expect_right({"gemm/simt", kSmall, "f64", {9, 70, 0}, 2}); }
TEST_F(SplitK, FewRows) { expect_right({"gemm/thin", kThin, "f16", {3, 70, 2000}, 40}); }
TEST_F(SplitK, MatrixUnits) {
  expect_right({"gemm/coopmat", kMatrix, "f16,f32", {40, 64, 200}, 4});
}

TEST_F(SplitK, SameInputGivesTheSameBits) {
  for_each_device([&](Device& device) {
    const auto workload = workload_of({"gemm/simt", kSmall, "f32", {64, 64, 999}, 9}, {});
    const auto execution = execution_of(device, workload->plan(device.caps()));
    std::optional<std::vector<std::byte>> first;
    for (int i = 0; i < 5; ++i) {
      workload->fill(*execution, 1);
      execution->run();
      const auto bits = read_all(*execution, 2, 64 * 64 * 4);
      if (!first) first = bits;
      EXPECT_EQ(bits, *first);
    }
  });
}

TEST_F(SplitK, BatchesAndEpiloguesAreRight) {
  GemmProblem problem;
  problem.batch = 3;
  problem.a.stride = 0;
  problem.epilogue = parse_epilogue("bias_m,residual,gelu,bias");
  expect_right({"gemm/simt", kSmall, "f16", {33, 37, 100}, 3}, problem);
  expect_right({"gemm/thin", kThin, "f16", {3, 70, 200}, 4}, problem);
  expect_right({"gemm/coopmat", kMatrix, "f16", {40, 64, 200}, 4}, problem);
}

// More sums than numbers of 64 bits count, and more bytes than any device has.
TEST_F(SplitK, TooManySumsAreRefused) {
  const Case one = {"gemm/simt", kSmall, "f32", {1 << 20, 1 << 20, 8}, std::int64_t{1} << 40};
  EXPECT_THAT([&] { workload_of(one, {}); },
              testing::ThrowsMessage<ArgumentError>(testing::HasSubstr(
                  "1099511627776 slices of k of 1 products have 1048576 x 1048576 sums each, more "
                  "than 2^48 in all")));
}

}  // namespace
}  // namespace vkmoye::test
