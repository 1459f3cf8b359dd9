// SPDX-License-Identifier: MIT
// Tests the verifier against the twin: the verifier must reject every mutant in which the twin finds a fault at any
// size, at sizes that the verifier chooses itself. VKMOYE_JUDGE_SEED=17 runs only that seed; VKMOYE_TEST_LONG=1
// runs ten times as many. So that the mutants are not all harmless, a minimum share of each kind must be faulty
// and rejected, and each rule of the verifier must reject some.
//
// A mutant that only gives a wrong result need not be rejected: the verifier proves safety.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

#include "judge/mutate.hpp"
#include "judge/random_kernel.hpp"
#include "judge/shipped.hpp"
#include "support/effort.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::judge {
namespace {

// The minimum percentages of the mutants of a kind that the twin finds faulty and that the verifier rejects: 10 to 15
// below the smaller of the shares measured for random and for shipped kernels.
struct MinShares {
  const char* kind;
  std::size_t faulty, refused;
};
constexpr MinShares kMin[] = {
    {"a round fewer", 50, 65},           {"a round more", 50, 70},
    {"another array", 60, 70},           {"array too short", 75, 80},
    {"barrier in a branch", 60, 85},     {"barrier moved", 50, 55},
    {"barrier removed", 65, 70},         {"coordinate changed", 40, 65},
    {"coordinates swapped", 55, 90},     {"divisor changed", 45, 45},
    {"factor changed", 30, 45},          {"grid too small", 55, 90},
    {"guard dropped", 65, 80},           {"guard weakened", 15, 40},
    {"half the threads", 85, 85},        {"modulus changed", 40, 60},
    {"part of a guard dropped", 10, 25}, {"ring one short", 55, 65},
    {"statements swapped", 45, 55},      {"store removed", 50, 50},
    {"stride of a buffer", 0, 30},       {"summand changed", 25, 45},
    {"threads overlap", 20, 20},         {"workgroups overlap", 45, 60},
};
constexpr std::size_t kMinFaulty = 55, kMinRefused = 70;  // of all kinds together
constexpr std::size_t kEnough = 20;  // the fewest mutants of a kind for which the share is checked

// The rules of the verifier, identified by a part of their messages.
constexpr std::pair<const char*, const char*> kRules[] = {
    {"no race in shared memory", "race in shared"},
    {"no race in buffers", "race in buffer"},
    {"a result is written", "nothing writes"},
    {"what is read was written", "which nothing has written"},
    {"registers are written on every path", "which not every path has written"},
    {"coordinates are below their extents", "that is not proved to be below"},
    {"indices of shared memory are in range", ", the array has"},
    {"vectors begin at multiples of their width", "is a multiple of"},
    {"names are defined before their use", "is not defined there"},
    {"access as declared", "which is declared for"},
    {"all threads reach a barrier", "a barrier"},
};

struct Tally {
  std::size_t mutants = 0, faulty = 0, refused = 0, misses = 0, only_refused = 0, wrong = 0,
              unharmed = 0, not_followed = 0;
  std::map<std::string, std::array<std::size_t, 3>> kinds = {};  // mutants, faulty, refused
  std::map<std::string, std::size_t> rules = {};                 // mutants that each rule rejects

  void count_rules(const std::vector<std::string>& reasons) {
    for (const auto& [rule, part] : kRules) {
      const auto gives = [&, part = part](const std::string& reason) {
        return reason.find(part) != std::string::npos;
      };
      if (std::any_of(reasons.begin(), reasons.end(), gives)) ++rules[rule];
    }
  }

  // The expectations for all kinds and rules after a whole run.
  void expect_enough() const {
    EXPECT_GE(100 * faulty, kMinFaulty * mutants);
    EXPECT_GE(100 * refused, kMinRefused * mutants);
    if (test::is_quick() || std::getenv("VKMOYE_JUDGE_SEED") != nullptr) return;
    for (const auto& [kind, counts] : kinds) {
      const auto min = std::find_if(
          std::begin(kMin), std::end(kMin),
          [name = std::string(kind)](const MinShares& shares) { return shares.kind == name; });
      ASSERT_NE(min, std::end(kMin)) << "no minimum share is given for '" << kind << "'";
      if (counts[0] < kEnough) continue;
      EXPECT_GE(100 * counts[1], min->faulty * counts[0]) << kind << ": faulty";
      EXPECT_GE(100 * counts[2], min->refused * counts[0]) << kind << ": refused";
    }
    for (const MinShares& shares : kMin)
      EXPECT_TRUE(kinds.contains(shares.kind)) << "none: " << shares.kind;
    for (const auto& [rule, part] : kRules) {
      EXPECT_TRUE(rules.contains(rule)) << "no mutant was refused by the rule: " << rule;
    }
  }

  void print(const char* of, std::size_t originals) const {
    fmt::print(
        "{} of {}: {} mutants, {} found faulty by the twin, {} refused, {} misses; "
        "{} refused though unharmed, {} accepted with a wrong result, {} accepted and right or "
        "without a result, {} not followed to their end\n",
        of, originals, mutants, faulty, refused, misses, only_refused, wrong, unharmed,
        not_followed);
    for (const auto& [kind, counts] : kinds) {
      fmt::print("  {:24} {:4} mutants {:4} faulty {:4} refused\n", kind, counts[0], counts[1],
                 counts[2]);
    }
    for (const auto& [rule, count] : rules) fmt::print("  {:4} refused by: {}\n", count, rule);
  }
};

// Whether both kernels have buffers of the same sizes: otherwise the expected result differs.
bool same_buffers(const gen::ir::Kernel& a, const gen::ir::Kernel& b, const Arguments& sizes) {
  const auto spans = [&](const gen::ir::Kernel& kernel) {
    std::vector<std::uint64_t> out;
    for (const Binding& binding : gen::ir::interface_of(kernel).bindings) {
      out.push_back(element_count(binding, sizes));
    }
    return out;
  };
  try {
    return spans(a) == spans(b);
  } catch (const ArgumentError&) {
    return false;
  }
}

void judge(const Subject& original, std::size_t count, std::size_t launches, Draw& draw,
           const std::string& reproduce, Tally& tally) {
  const std::vector<Arguments> sizes = judging_sizes(original.kernel, launches, draw);
  for (Mutant& mutant : mutants_of(original.kernel, count, draw)) {
    const std::string name = fmt::format("{}, {}: {}", original.text, mutant.kind, mutant.text);
    const std::vector<std::string> reasons = gen::verify(mutant.kernel);
    Subject changed = original;
    changed.kernel = std::move(mutant.kernel);
    Finding found;
    std::string where;
    bool wrong = false, followed = true;
    for (const Arguments& at : sizes) {
      changed.expected =
          same_buffers(original.kernel, changed.kernel, at) ? original.expected : nullptr;
      found = try_on_host(changed, at, draw);
      wrong = wrong || !found.right;
      followed = followed && found.followed;
      where = to_text(at);
      if (!found.faults.empty()) break;
    }
    const bool faulty = !found.faults.empty(), refused = !reasons.empty();
    std::array<std::size_t, 3>& counts = tally.kinds[mutant.kind];
    ++tally.mutants, ++counts[0];
    if (faulty) ++tally.faulty, ++counts[1];
    if (refused) ++tally.refused, ++counts[2];
    tally.count_rules(reasons);
    if (!followed) ++tally.not_followed;
    if (refused && !faulty) ++tally.only_refused;
    if (!refused && !faulty) ++(wrong ? tally.wrong : tally.unharmed);
    if (refused || !faulty) continue;
    ++tally.misses;
    ADD_FAILURE() << "miss: " << reproduce << '\n'
                  << name << '\n'
                  << found.faults.front() << "\n(" << where << ')';
  }
}

TEST(Mutants, OfRandomKernelsAreRefused0) {
  Tally tally;
  const auto [first, count] = seeds(1000, often(100));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Draw draw(~seed);
    const Subject subject = random_kernel(seed);
    if (!subject.kernel.assumptions.empty()) continue;  // a mutant's results would be assumed, too
    judge(subject, 8, 6, draw, again(seed, "Mutants.OfRandomKernelsAreRefused0"), tally);
  }
  tally.print("random kernels", count);
  tally.expect_enough();
}

TEST(Mutants, OfShippedKernelsAreRefused) {
  Tally tally;
  std::size_t originals = 0;
  for (const Shipped& shipped : shipped_kernels()) {
    Draw draw(originals++);
    judge(shipped.subject, often(shipped.mutants), shipped.launches, draw,
          "Mutants.OfShippedKernelsAreRefused", tally);
  }
  tally.print("shipped kernels", originals);
  tally.expect_enough();
}

}  // namespace
}  // namespace vkmoye::judge
