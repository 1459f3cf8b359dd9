// SPDX-License-Identifier: MIT
// Arrays of more than 8 GiB, and elements beyond index 2^31 and 2^32, on devices with enough memory. Samples of the
// elements are compared, up to the last one.

#include <string>
#include <vector>

#include "devices/device_executor.hpp"
#include "gemm_device/products.hpp"
#include "registry/operations.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

class LargeArrays : public DeviceTest {
 protected:
  // Calls `body` with each device that has at least `gib` GiB of memory.
  void for_each_device_with(std::uint64_t gib, const std::function<void(Device&)>& body) {
    for_each_device([&](Device& device) {
      const std::uint64_t has = device.caps().device_memory_bytes >> 30;
      if (device.caps().kind == DeviceKind::cpu || has < gib) {
        GTEST_SKIP() << "needs a GPU with " << gib << " GiB, " << device.caps().name << " has "
                     << has;
      }
      body(device);
    });
  }

  static void expect_right(Products& products, const char* kernel, const char* type,
                           const Extents& size, const gen::Options& config = {}) {
    const gen::KernelEntry& entry = *gen::find_kernel(kernel);
    const Workload workload = workload_of({&entry, type, config, {}}, size);
    const RunPlan plan = plan_on(products, workload);
    const std::string text = std::string(kernel) + " " + type + " " + size_text(size);
    ASSERT_THAT(products.reasons_against(plan), IsEmpty()) << text;
    const auto execution = products.prepare(plan);
    workload.problem->fill(*execution, 1);
    execution->run();
    const gen::CheckResult checked = workload.problem->check(*execution, gen::Verify::sample, 1);
    EXPECT_EQ(checked.mismatches, 0u) << text << ": " << checked.first;
    EXPECT_EQ(execution->damage(), "") << text;
  }
};

TEST_F(LargeArrays, AreMovedBeyond8GiB) {
  for_each_device_with(40, [](Device& device) {
    Products products(device);
    expect_right(products, "copy/auto", "f32", {46349, 46351});
    expect_right(products, "transpose/auto", "f32", {46349, 46351});
    expect_right(products, "relayout", "f32", {1291, 1289, 1297}, {{"permute", "2,0,1"}});
  });
}

TEST_F(LargeArrays, AreMovedBeyondElement2To32) {
  for_each_device_with(20, [](Device& device) {
    Products products(device);
    expect_right(products, "transpose/auto", "u8", {65537, 65539});
    expect_right(products, "transpose/auto", "f16", {65537, 65539});
  });
}

TEST_F(LargeArrays, OneExtentIsBeyond2To31) {
  for_each_device_with(20, [](Device& device) {
    Products products(device);
    expect_right(products, "copy/auto", "u8", {1, 2147483649});
    expect_right(products, "transpose/auto", "u8", {1, 2147483649});
    expect_right(products, "transpose/auto", "u8", {2147483649, 1});
  });
}

// The three matrices of a product, which begin after 2^31 and 2^32 elements.
TEST_F(LargeArrays, AreMultipliedBeyond8GiB) {
  for_each_device_with(40, [](Device& device) {
    Products products(device);
    for (const auto& [kernel, type, first] : {std::tuple{"gemm/simt", "f32", std::int64_t{1} << 31},
                                              {"gemm/coopmat", "f16,f16", std::int64_t{1} << 32}}) {
      Problem problem{gen::find_kernel(kernel), {}, gen::parse_gemm_type(type), {257, 255, 129}};
      gen::GemmOptions& p = problem.gemm;
      p.a.offset = p.b.offset = p.c.offset = first + 64;
      p.beta = 2;
      p.init = gen::Init::integers;
      EXPECT_EQ(products.wrong(problem, 1), "") << command_of(problem, 1);
    }
  });
}

// The last row of A begins 4.19 GB after the first, close to the limit of a descriptor.
TEST_F(LargeArrays, RowsLieAMillionElementsApart) {
  for_each_device_with(20, [](Device& device) {
    Products products(device);
    Problem problem{
        gen::find_kernel("gemm/simt"), {}, gen::parse_gemm_type("f16,f32"), {2000, 33, 65}};
    problem.gemm.a.leading = 1049100;
    problem.gemm.init = gen::Init::integers;
    EXPECT_EQ(products.wrong(problem, 1), "") << command_of(problem, 1);
  });
}

}  // namespace
}  // namespace vkmoye::test
