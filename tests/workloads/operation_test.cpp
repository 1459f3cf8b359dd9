// SPDX-License-Identifier: MIT
// The table of operations, compared with the registry of kernels.

#include <set>

#include "devices/device_executor.hpp"
#include "devices/host_executor.hpp"
#include "registry/operations.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

TEST(Operations, EveryKernelHasOneAndEachIsUsed) {
  std::set<std::string> used;
  for (const gen::KernelEntry& entry : gen::registry()) {
    EXPECT_EQ(operation_of(entry).name, entry.operation);
    used.insert(entry.operation);
  }
  EXPECT_EQ(used.size(), operations().size());
}

// The properties of every operation that `run`, `emit` and `apply` rely on.
TEST(Operations, EachDescribesItsKernelsForTheArgumentsThatItGives) {
  for (const gen::KernelEntry& entry : gen::registry()) {
    const Operation& operation = operation_of(entry);
    const std::string type(to_string(entry.types.front()));
    for (const std::int64_t extent : {0, 1, 33}) {
      const Workload workload =
          workload_of({&entry, type, {}, {}},
                      in_whole_blocks(entry, gen::size_of_form(operation.size, {extent})));
      EXPECT_TRUE(workload.has_type());
      EXPECT_EQ(gen::size_of_form(operation.size, workload.problem->size), workload.problem->size);
      HostExecutor host;
      const RunPlan plan = plan_on(host, workload);
      for (const Step& step : plan.steps) {
        const KernelInterface interface = gen::ir::interface_of(step.kernel);
        ASSERT_EQ(step.arrays.size(), interface.bindings.size()) << entry.name;
        for (std::size_t i = 0; i < step.arrays.size(); ++i) {
          const Binding& binding = interface.bindings[i];
          EXPECT_EQ(element_count(binding, step.arguments) * size_of(binding.type),
                    plan.arrays[step.arrays[i]].bytes)
              << entry.name << ' ' << binding.name << ' ' << extent;
        }
      }
    }
  }
}

// Memory after the end of a shorter array belongs to something else.
TEST(Plans, WithArraysShorterThanTheirBindingsAreRefused) {
  const gen::KernelEntry& entry = *gen::find_kernel("copy/simple");
  const Workload workload = workload_of({&entry, "f32", {}, {}}, {33, 65});
  HostExecutor host;
  RunPlan plan = plan_on(host, workload);
  EXPECT_THAT(host.reasons_against(plan), IsEmpty());
  plan.arrays[1].bytes -= 1;
  const std::string reason = "dst of copy/simple has 2145 elements, ";
  EXPECT_THAT(host.reasons_against(plan), ElementsAre(HasSubstr(reason)));
  EXPECT_THAT(reasons_against(common_device(), plan), Contains(HasSubstr(reason)));
  plan.arrays[1].bytes += 1;
  plan.arrays[1].offset = 4;
  EXPECT_THAT(host.reasons_against(plan), ElementsAre(HasSubstr("8576 bytes after its")));
  plan.steps[0].arrays.pop_back();
  EXPECT_THAT(host.reasons_against(plan),
              Contains(HasSubstr("has 2 bindings, but its step has 1 arrays")));
}

TEST(Operations, SizesOfAnotherRankAreRefused) {
  const gen::SizeForm product = {.text = "MxNxK", .rank = 3};
  EXPECT_EQ(gen::size_of_form(product, {7}), (Extents{7, 7, 7}));
  EXPECT_REFUSED(gen::size_of_form(product, {7, 8}), ArgumentError,
                 "'7x8' has 2 extents, MxNxK has 3");
  EXPECT_EQ(gen::size_of_form({"..", 2, true, {}}, {1, 2, 3, 4}), (Extents{1, 2, 3, 4}));
}

}  // namespace
}  // namespace vkmoye::bench
