// SPDX-License-Identifier: MIT
// --device host: the twin runs kernels without Vulkan.

#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

const std::vector<std::string> kNoVulkan = {"VK_DRIVER_FILES=/nonexistent"};

// The second oracle: the result depends on neither a driver nor a shader compiler.
TEST(HostCli, EveryKernelIsRightOnTheTwin) {
  for (const char* type : {"f32", "f16", "i32"}) {
    const json report = json::parse(output_of(
        {"run", "*", "--device", "host", "--size", "33,20", "--type", type, "--format", "json"},
        kNoVulkan));
    EXPECT_EQ(report["device"]["name"], "host");
    std::size_t ran = 0;
    for (const json& row : report["results"]) {
      if (!row["skipped"].is_null()) continue;
      ++ran;
      EXPECT_EQ(row["verified"], true) << row;
      EXPECT_TRUE(row["time_us"].is_null()) << row;
      EXPECT_THAT(std::string(row["command"]), HasSubstr("--device host"));
    }
    EXPECT_GT(ran, 30u) << type;
  }
}

TEST(HostCli, WhatTakesTooLongIsSkipped) {
  const Outcome elements =
      bench({"run", "copy/simple", "--device", "host", "--size", "65536"}, kNoVulkan);
  EXPECT_EQ(elements.status, 3);
  EXPECT_THAT(elements.out, HasSubstr("src has 4294967296 elements, the host takes at most"));
  const Outcome steps =
      bench({"run", "gemm/simt", "--device", "host", "--size", "64x64x200000"}, kNoVulkan);
  EXPECT_EQ(steps.status, 3);
  EXPECT_THAT(steps.out, HasSubstr("steps on the host; take smaller sizes"));
}

// An error for its size, before any allocation: 16 GiB precede the 64 elements of A.
TEST(HostCli, WhatLiesBeforeAnArrayCounts) {
  const std::vector<std::string> words = {"run",   "gemm/simt",  "--size",
                                          "8x8x8", "--offset-a", "4294967295"};
  std::vector<std::string> on_host = words;
  on_host.insert(on_host.end(), {"--device", "host"});
  const Outcome host = bench(on_host, kNoVulkan);
  EXPECT_EQ(host.status, 3);
  EXPECT_THAT(host.out, HasSubstr("the arrays have 17179869948 bytes in all, the host takes at "
                                  "most 2147483648"));
  if (!has_lavapipe()) return;
  const Outcome device = bench(words);  // buffers of lavapipe have at most 2 GiB
  EXPECT_EQ(device.status, 3) << device.err;
  EXPECT_THAT(device.out, HasSubstr("A with the 17179869180 bytes before its first element"));
}

// No columns for values that need a clock.
TEST(HostCli, ThereIsNoPercentageOfACeiling) {
  for (const char* baseline : {"peak", "openblas"}) {
    EXPECT_THAT(
        output_of({"run", "gemm/simt", "--device", "host", "--size", "16", "--baseline", baseline},
                  kNoVulkan),
        AllOf(Not(HasSubstr("% peak")), Not(HasSubstr("% copy")), Not(HasSubstr("TFLOP/s"))));
  }
  EXPECT_THAT(bench({"run", "copy/simple", "--device", "host", "--size", "16"}, kNoVulkan).out,
              AllOf(HasSubstr("check"), Not(HasSubstr("% copy")), Not(HasSubstr("median")),
                    Not(HasSubstr("GB/s"))));
}

TEST(HostCli, ThereIsNoClock) {
  std::vector<std::string> words = {"run", "copy/simple", "--device", "host", "--baseline", "copy"};
  EXPECT_THAT(output_of(words, kNoVulkan), HasSubstr("copy: kernels cannot be timed on the host"));
  words.insert(words.end(), {"--gate", "0.1"});
  expect_refused(bench(words, kNoVulkan), "--gate: kernels cannot be timed on the host");
}

}  // namespace
}  // namespace vkmoye::test
