// SPDX-License-Identifier: MIT
// Problems with hard numbers of every family on every device; hard_numbers/twin_test.cpp has the twin.
//
//   VKMOYE_HARD=10000       problems of each family (10,000 on a GPU; 2,000 on a CPU; tools/test: 5 of each of 3 forms,
//                           of 9 for rows, which are all kernels)
//   VKMOYE_SEED=7           seed (1)
//   VKMOYE_PROBLEM=417      runs only this problem

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <tuple>

#include "hard_numbers/hard_problems.hpp"
#include "rows_device/kept_pipelines.hpp"
#include "support/device_fixture.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/number_in.hpp"

namespace vkmoye::test {
namespace {

constexpr std::int64_t kParts = 8;  // of a family: its forms in turn
constexpr int kMaxWrong = 5;        // forms with a wrong result, of which the first is reported

// (family, part)
class HardProblems : public DeviceTest,
                     public testing::WithParamInterface<std::tuple<std::size_t, std::int64_t>> {};

TEST_P(HardProblems, AreComputedRight) {
  const HardFamily& family = hard_families()[std::get<0>(GetParam())];
  const std::int64_t part = std::get<1>(GetParam());
  const auto seed = static_cast<std::uint64_t>(number_in("VKMOYE_SEED").value_or(1));
  for_each_device([&](Device& device) {
    const bool is_cpu = device.caps().kind == DeviceKind::cpu;
    const auto count = number_in("VKMOYE_HARD");
    HardSelection selection{.problems = count.value_or(is_cpu ? often(2000) : 10000)};
    // On a CPU, most of the time goes into compiling the kernel of a form.
    if (is_cpu && is_quick() && !count) {
      selection = {.forms = family.quick_forms, .of_form = 5, .has_dear = false};
    }
    selection.only = number_in("VKMOYE_PROBLEM");
    KeptPipelines executor(device);
    std::set<std::string> lacking;
    int wrong_forms = 0, right = 0;
    const auto run = [&](const HardForm& form, std::int64_t i) -> bool {
      const auto problem = form.problem(i);
      std::string text;
      try {
        const bench::RunPlan plan = plan_on(executor, problem);
        text = wrong(executor, plan, problem, static_cast<std::uint64_t>(i));
      } catch (const bench::Unavailable& reasons) {
        lacking.insert(problem.entry->name + ": " + reasons.what());
        return false;
      } catch (const std::exception& error) {
        text = error.what();
      }
      if (text.empty()) return ++right > 0;
      ++wrong_forms;
      ADD_FAILURE() << text << "\n  VKMOYE_SEED=" << seed << " VKMOYE_PROBLEM=" << i << ": "
                    << command_of(problem, static_cast<std::uint64_t>(i));
      return false;
    };
    bool has_forms = false;
    for_each_form(family, seed, device.caps(), selection,
                  [&](const HardForm& form, std::int64_t number, std::int64_t i, std::int64_t end) {
                    if (number % kParts != part || wrong_forms == kMaxWrong) return;
                    has_forms = true;
                    while (i < end && run(form, i)) ++i;
                  });
    EXPECT_EQ(has_forms, right > 0 || wrong_forms > 0 || !lacking.empty());
    std::printf("%d hard problems right, %d wrong\n", right, wrong_forms);
    for (const std::string& reason : lacking) std::printf("  %s\n", reason.c_str());
  });
}

INSTANTIATE_TEST_SUITE_P(Families, HardProblems,
                         testing::Combine(testing::Range<std::size_t>(0, hard_families().size()),
                                          testing::Range<std::int64_t>(0, kParts)),
                         [](const auto& info) {
                           return hard_families()[std::get<0>(info.param)].name +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace vkmoye::test
