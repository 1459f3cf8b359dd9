// SPDX-License-Identifier: MIT
#include "measure/measure.hpp"

#include <string>
#include <vector>

#include "devices/host_executor.hpp"
#include "registry/operations.hpp"
#include "support/expect.hpp"

namespace vkmoye::bench {
namespace {

// A driver may compile when a plan is prepared or launched first, so a progress line must know both.
TEST(Measure, NamesItsStagesInOrder) {
  const gen::KernelEntry& entry = *gen::find_kernel("copy/simple");
  const Workload workload = workload_of({&entry, "f32", {}, {}}, {3, 5});
  std::vector<std::string> stages;
  MeasureOptions options;
  options.on_stage = [&](const std::string& stage) { stages.push_back(stage); };
  HostExecutor host;
  CopyTimes copies;
  EXPECT_EQ(measure(host, workload, options, copies).mismatches, 0);
  EXPECT_THAT(stages, ElementsAre("building", "filling", "launching", "checking"));
}

}  // namespace
}  // namespace vkmoye::bench
