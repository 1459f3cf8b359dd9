// SPDX-License-Identifier: MIT
// A plan with sizes from a buffer, run by the program's own executors.

#include "vkmoye/gen/passes/sizes_from_buffer.hpp"

#include "devices/device_executor.hpp"
#include "devices/host_executor.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {
namespace {

// C = A * B^T for k <= 3, on which the grid does not depend.
RunPlan sums_of_products() {
  return plan_of(
      gen::with_sizes_from_buffer(gen::find_kernel("gemm/moye_simple")->describe({ScalarType::f32}),
                                  {"k"}, {{"m", 2}, {"n", 1}, {"k", 3}, {"alpha", 1.0}}));
}

TEST(SizesFromBufferOnTheHost, AreThoseInTheBuffer) {
  HostExecutor host;
  const RunPlan plan = sums_of_products();
  ASSERT_THAT(host.reasons_against(plan), IsEmpty());
  const auto run = [&](std::uint32_t k) {
    const auto execution = host.prepare(plan);
    const std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {1, 10, 100};
    std::vector<float> c(2, -1);
    execution->write(0, std::as_bytes(std::span(a)));
    execution->write(1, std::as_bytes(std::span(b)));
    execution->write(2, std::as_bytes(std::span(c)));
    execution->write(3, std::as_bytes(std::span(&k, 1)));
    execution->run();
    EXPECT_EQ(execution->damage(), "");
    execution->read(2, std::as_writable_bytes(std::span(c)));
    return c;
  };
  EXPECT_EQ(run(3), (std::vector<float>{321, 654}));
  EXPECT_EQ(run(2), (std::vector<float>{21, 54}));
  EXPECT_EQ(run(0), (std::vector<float>{0, 0}));
  EXPECT_EQ(run(4), (std::vector<float>{-1, -1})) << "no group runs";
}

TEST(SizesFromBufferOnTheHost, AreRefusedByADevice) {
  EXPECT_THAT(reasons_against(common_device(), sums_of_products()),
              Contains(HasSubstr("gemm/moye_simple takes its groups from a buffer")));
}

}  // namespace
}  // namespace vkmoye::bench
