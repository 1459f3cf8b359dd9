// SPDX-License-Identifier: MIT
// The statistics of drivers about compiled kernels.

#include "vkmoye/runtime/pipeline_statistics.hpp"

#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye::test {
namespace {

class PipelineStatisticsTest : public DeviceTest {
 protected:
  static std::vector<PipelineExecutable> executables_on(Device& device) {
    const gen::KernelEntry& entry = *gen::find_kernel("transpose/padded");
    return executables_of(
        device.load(gen::compile(entry.describe(gen::request_of(ScalarType::f32)))));
  }
};

TEST_F(PipelineStatisticsTest, AreThereWhereTheyWereAskedForAndTheDriverGivesThem) {
  OpenOptions options;
  options.statistics = true;
  options.cache = false;
  for_each_device(
      [&](Device& device) {
        const bool offered = device.context()->device->has_statistics();
        const auto executables = executables_on(device);
        EXPECT_EQ(!executables.empty(), offered);
        for (const PipelineExecutable& executable : executables) {
          EXPECT_NE(executable.name, "");
          for (const PipelineStatistic& statistic : executable.statistics) {
            EXPECT_NE(statistic.name, "");
            EXPECT_NE(to_string(statistic.value), "");
          }
          for (const PipelineText& text : executable.texts) EXPECT_NE(text.text, "") << text.name;
        }
      },
      options);
}

TEST_F(PipelineStatisticsTest, AreNotThereWhereNobodyAskedForThem) {
  for_each_device([&](Device& device) {
    EXPECT_FALSE(device.context()->device->has_statistics());
    EXPECT_TRUE(executables_on(device).empty());
  });
}

TEST(PipelineStatistic, CountsAreWholeNumbersByName) {
  PipelineExecutable executable;
  executable.statistics = {{"VGPRs", "", std::uint64_t{72}},
                           {"Offset", "", std::int64_t{-3}},
                           {"Ratio", "", 0.5},
                           {"Spills", "", true}};
  EXPECT_EQ(executable.count("VGPRs"), 72);
  EXPECT_EQ(executable.count("Offset"), -3);
  EXPECT_EQ(executable.count("Ratio"), std::nullopt);
  EXPECT_EQ(executable.count("Spills"), std::nullopt);
  EXPECT_EQ(executable.count("SGPRs"), std::nullopt);
  EXPECT_EQ(to_string(executable.statistics[1].value), "-3");
  EXPECT_EQ(to_string(executable.statistics[2].value), "0.5");
  EXPECT_EQ(to_string(executable.statistics[3].value), "yes");
}

}  // namespace
}  // namespace vkmoye::test
