// SPDX-License-Identifier: MIT
// Problems with hard numbers on the twin, in each arithmetic that Vulkan allows; rows_device/hard_test.cpp has devices.
//
//   VKMOYE_HARD=2000       problems of each family and arithmetic (2,000; tools/test runs 200 of each family in all)
//   VKMOYE_SEED=7          seed (1)
//   VKMOYE_PROBLEM=417     runs only this problem

#include <cstdlib>
#include <optional>

#include "devices/host_executor.hpp"
#include "hard_numbers/hard_problems.hpp"
#include "support/arithmetics.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/number_in.hpp"

namespace vkmoye::test {
namespace {

class HardNumbersOnTheTwin : public testing::TestWithParam<std::size_t> {};

constexpr int kMaxWrong = 8;  // forms with a wrong result, of which the first is reported

TEST_P(HardNumbersOnTheTwin, AreComputedRightInEachArithmetic) {
  const HardFamily& family = hard_families()[GetParam()];
  const auto seed = static_cast<std::uint64_t>(number_in("VKMOYE_SEED").value_or(1));
  const auto only = number_in("VKMOYE_PROBLEM"), problems = number_in("VKMOYE_HARD");
  HardSelection selection{.problems = problems.value_or(often(2000))};
  // In the quick run, a problem has one arithmetic, and each arithmetic has its share of the problems of a form.
  const bool has_all = !is_quick() || problems || only;
  if (!has_all) {
    const std::int64_t forms = 3 * family.quick_forms;
    selection = {.forms = forms, .of_form = 200 / forms, .has_dear = false};
  }
  selection.only = only;
  DeviceCaps caps = bench::HostExecutor().caps();
  caps.kind =
      DeviceKind::discrete;  // what takes compilers for CPUs too long takes the twin no time
  int wrong_forms = 0, right = 0;
  const auto run = [&](const HardForm& form, std::int64_t i) {
    const auto problem = form.problem(i);
    std::optional<bench::RunPlan> plan;
    for (std::size_t a = 0; a < std::size(kArithmetics); ++a) {
      if (!has_all && a != static_cast<std::size_t>(i) % std::size(kArithmetics)) continue;
      bench::HostExecutor host(kArithmetics[a].arithmetic);
      std::string text;
      try {
        if (!plan) plan = plan_on(host, problem);
        text = wrong(host, *plan, problem, static_cast<std::uint64_t>(i));
      } catch (const std::exception& error) {
        text = error.what();
      }
      if (!text.empty()) {
        ++wrong_forms;
        ADD_FAILURE() << text << "\n  " << kArithmetics[a].name << ", VKMOYE_SEED=" << seed
                      << " VKMOYE_PROBLEM=" << i << ": "
                      << command_of(problem, static_cast<std::uint64_t>(i)) << " --device host";
        return false;
      }
      ++right;
    }
    return true;
  };
  for_each_form(family, seed, caps, selection,
                [&](const HardForm& form, std::int64_t, std::int64_t i, std::int64_t end) {
                  while (wrong_forms < kMaxWrong && i < end && run(form, i)) ++i;
                });
  EXPECT_GT(right, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, HardNumbersOnTheTwin,
                         testing::Range<std::size_t>(0, hard_families().size()),
                         [](const auto& info) { return hard_families()[info.param].name; });

}  // namespace
}  // namespace vkmoye::test
