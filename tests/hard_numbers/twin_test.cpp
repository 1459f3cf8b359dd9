// SPDX-License-Identifier: MIT
// Problems with hard numbers on the twin, in each arithmetic that Vulkan allows; rows_device/hard_test.cpp has devices.
//
//   VKMOYE_HARD=2000       problems of each family and arithmetic (2,000; tools/test runs 200 of each family in all)
//   VKMOYE_SEED=7          seed (1)
//   VKMOYE_PROBLEM=417     runs only this problem

#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "devices/host_executor.hpp"
#include "hard_numbers/hard_problems.hpp"
#include "support/arithmetics.hpp"
#include "support/effort.hpp"
#include "support/number_in.hpp"

namespace vkmoye::test {
namespace {

class HardNumbersOnTheTwin : public testing::TestWithParam<std::size_t> {};

constexpr int kMaxWrong = 8;  // forms with a wrong result, of which the first is reported

TEST_P(HardNumbersOnTheTwin, AreComputedRightInEachArithmetic) {
  const HardFamily& family = hard_families()[GetParam()];
  const auto seed = static_cast<std::uint64_t>(number_in("VKMOYE_SEED").value_or(1));
  const std::int64_t only = number_in("VKMOYE_PROBLEM").value_or(-1);
  const auto count = static_cast<std::int64_t>(std::size(kArithmetics));
  // In the quick run, each arithmetic has its share of the problems of a form.
  const std::int64_t all = number_in("VKMOYE_HARD").value_or(is_quick() ? 200 : often(2000));
  DeviceCaps caps = bench::HostExecutor().caps();
  caps.kind =
      DeviceKind::discrete;  // what takes compilers for CPUs too long takes the twin no time
  int wrong_ones = 0, right = 0;
  std::int64_t end = 0;  // of the problems of a form
  for (std::int64_t number = 0; end < all && wrong_ones < kMaxWrong; ++number) {
    const auto form = family.form(seed, number, caps);
    if (!form || (is_quick() && form->is_dear)) continue;
    bool is_right = true;
    const std::int64_t begin = std::exchange(end, std::min(all, end + form->count));
    for (std::int64_t i = begin; i < end && is_right; ++i) {
      if (only >= 0 && i != only) continue;
      const auto problem = form->problem(i);
      std::optional<bench::RunPlan> plan;
      for (std::int64_t a = 0; a < count && is_right; ++a) {
        if (is_quick() && only < 0 && a != i % count) continue;
        bench::HostExecutor host(kArithmetics[a].arithmetic);
        std::string text;
        try {
          if (!plan) plan = plan_on(host, *problem);
          text = wrong(host, *plan, *problem, static_cast<std::uint64_t>(i));
        } catch (const std::exception& error) {
          text = error.what();
        }
        if (text.empty()) {
          ++right;
          continue;
        }
        is_right = false;
        ADD_FAILURE() << text << "\n  " << kArithmetics[a].name << ", VKMOYE_SEED=" << seed
                      << " VKMOYE_PROBLEM=" << i << ": "
                      << command_of(*problem, static_cast<std::uint64_t>(i)) << " --device host";
      }
    }
    wrong_ones += is_right ? 0 : 1;
  }
  EXPECT_TRUE(only >= 0 || right > 0);
}

INSTANTIATE_TEST_SUITE_P(Families, HardNumbersOnTheTwin,
                         testing::Range<std::size_t>(0, hard_families().size()),
                         [](const auto& info) { return hard_families()[info.param].name; });

}  // namespace
}  // namespace vkmoye::test
