// SPDX-License-Identifier: MIT
// Removes each barrier of each shipped kernel in turn: the verifier must report a race. tests/barriers runs such
// mutants on a device. Kernels as for an H200; tools/test long also describes them for lavapipe and RDNA3.

#include "judge/barriers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/effort.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::judge {
namespace {

// A device to describe kernels for, and the least number of barriers in all of them.
struct Target {
  const char* name;
  DeviceCaps caps;
  std::size_t barriers;
  bool is_usual = false;
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

DeviceCaps h200_with_its_orders() {
  DeviceCaps caps = test::h200_like();
  for (const char use : {'a', 'b'}) {
    caps.fragment_orders.push_back(test::order_of(test::kOnAnH200, use));
  }
  return caps;
}

struct Count {
  std::size_t kernels = 0, barriers = 0, refused = 0;
};

// The verdict of the verifier for each kernel without each of its barriers.
Count without_barriers(const std::vector<ShippedKernel>& kernels) {
  Count count;
  for (const ShippedKernel& shipped : kernels) {
    ++count.kernels;
    for (const Mutant& mutant : without_each_barrier(shipped.kernel)) {
      ++count.barriers;
      const auto reasons = gen::verify(mutant.kernel);
      const bool names_a_race =
          std::any_of(reasons.begin(), reasons.end(), [](const std::string& reason) {
            const std::size_t at =
                reason.find("race in shared");  // after the phase, if there are some
            return at == 0 ||
                   (at != std::string::npos && reason.substr(0, at).ends_with(" of 2: "));
          });
      EXPECT_TRUE(names_a_race) << shipped.name << " without " << mutant.text << " is "
                                << (reasons.empty() ? "accepted" : reasons.front());
      if (names_a_race) ++count.refused;
    }
  }
  return count;
}

void print_count(const Count& count, const char* of) {
  fmt::print("{}: {} kernels with {} barriers; {} refused without it\n", of, count.kernels,
             count.barriers, count.refused);
}

class Barriers : public testing::TestWithParam<Target> {};

TEST_P(Barriers, OfEveryShippedKernelAreNeeded) {
  if (!GetParam().is_usual && !test::is_long()) GTEST_SKIP() << "tools/test long runs it";
  const Count count = without_barriers(kernels_with_barriers(with_all_orders(GetParam().caps)));
  print_count(count, GetParam().name);
  EXPECT_GE(count.barriers, GetParam().barriers);
}

// The least numbers are 5 to 10 % below the counted ones.
INSTANTIATE_TEST_SUITE_P(Devices, Barriers,
                         testing::Values(Target{"lavapipe", test::lavapipe_like(), 340},
                                         Target{"H200", h200_with_its_orders(), 370, true},
                                         Target{"RDNA3", test::rdna3_like(), 425}));

TEST(BarriersOfGoldens, AreNeeded) {
  const Count count = without_barriers(goldens_with_barriers());
  print_count(count, "goldens");
  EXPECT_GE(count.barriers, 20u);
}

}  // namespace
}  // namespace vkmoye::judge
