// SPDX-License-Identifier: MIT
// A thousand correct kernels: each must be accepted by the verifier, run without faults on the twin and give the
// expected result. VKMOYE_JUDGE_SEED=17 runs only that seed; VKMOYE_TEST_LONG=1 runs ten times as many.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "judge/random_kernel.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::judge {
namespace {

void run(const Seeds& seeds) {
  constexpr std::size_t kSizes = 4;
  const auto [first, count] = seeds;
  std::size_t false_alarms = 0, undecided = 0, launches = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string reproduce = again(seed, "RandomKernels.*0");
    try {
      const Subject subject = random_kernel(seed);
      undecided += subject.kernel.assumptions.empty() ? 0 : 1;
      Draw draw(~seed);
      for (const Arguments& sizes : judging_sizes(subject.kernel, kSizes, draw)) {
        const Finding found = try_on_host(subject, sizes, draw);
        ++launches;
        EXPECT_TRUE(found.followed && found.right && found.faults.empty())
            << reproduce << '\n'
            << subject.text << '\n'
            << to_text(sizes) << '\n'
            << (!found.followed        ? "could not be launched"
                : found.faults.empty() ? "gives a wrong result"
                                       : found.faults.front());
      }
    } catch (const KernelError& error) {
      ++false_alarms;
      ADD_FAILURE() << reproduce << '\n' << error.what();
    }
  }
  EXPECT_GE(launches, 2 * count) << "kernels that were not launched";
  // Results for which isl takes too many steps: one kernel of 1,000.
  EXPECT_LE(undecided, 1 + count / 500);
  fmt::print("originals: {} random kernels, {} launches, {} false alarms, {} undecided\n", count,
             launches, false_alarms, undecided);
}

TEST(RandomKernels, AreAcceptedAndRight0) { run(seeds(0, often(500))); }
TEST(RandomKernels, AreAcceptedAndRight1) { run(seeds(100000, often(500))); }

}  // namespace
}  // namespace vkmoye::judge
