// SPDX-License-Identifier: MIT
// The verifier against the twin: what the twin convicts at any size, the verifier must refuse, at
// sizes that it chose itself. VKMOYE_JUDGE_SEED=17 takes that seed alone; VKMOYE_TEST_LONG=1 ten
// times as many.
//
// No miss: a mutant that gives a wrong result and harms nobody; the verifier proves safety.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "judge/mutate.hpp"
#include "judge/random_kernel.hpp"
#include "judge/shipped.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::judge {
namespace {

struct Tally {
  std::size_t mutants = 0, convicted = 0, refused = 0, misses = 0, only_refused = 0, wrong = 0,
              unharmed = 0, not_followed = 0;
  std::map<std::string, std::array<std::size_t, 3>> kinds = {};  // mutants, convicted, refused

  void print(const char* of, std::size_t originals) const {
    fmt::print(
        "{} of {}: {} mutants, {} convicted by the twin, {} refused, {} misses; "
        "{} refused though unharmed, {} accepted with a wrong result, {} accepted and right or "
        "without a result, {} not followed to their end\n",
        of, originals, mutants, convicted, refused, misses, only_refused, wrong, unharmed,
        not_followed);
    for (const auto& [kind, counts] : kinds) {
      fmt::print("  {:24} {:4} mutants {:4} convicted {:4} refused\n", kind, counts[0], counts[1],
                 counts[2]);
    }
  }
};

// Whether both span as many elements of each buffer: else the expected result is another one.
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
      if (!found.convictions.empty()) break;
    }
    const bool convicted = !found.convictions.empty(), refused = !reasons.empty();
    std::array<std::size_t, 3>& counts = tally.kinds[mutant.kind];
    ++tally.mutants, ++counts[0];
    if (convicted) ++tally.convicted, ++counts[1];
    if (refused) ++tally.refused, ++counts[2];
    if (!followed) ++tally.not_followed;
    if (refused && !convicted) ++tally.only_refused;
    if (!refused && !convicted) ++(wrong ? tally.wrong : tally.unharmed);
    if (refused || !convicted) continue;
    ++tally.misses;
    ADD_FAILURE() << "miss: " << reproduce << '\n'
                  << name << '\n'
                  << found.convictions.front() << "\n(" << where << ')';
  }
}

std::string again(const std::string& seed, const char* test) {
  return fmt::format("VKMOYE_JUDGE_SEED={} tests/test_judge --gtest_filter={}", seed, test);
}

void judge_random(std::uint64_t first, std::uint64_t count, const char* test) {
  if (const char* one = std::getenv("VKMOYE_JUDGE_SEED")) {
    first = std::strtoull(one, nullptr, 10);
    count = 1;
  }
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Draw draw(~seed);
    judge(random_kernel(seed), 8, 6, draw, again(std::to_string(seed), test), tally);
  }
  tally.print("random kernels", count);
}

TEST(Mutants, OfRandomKernelsAreRefused0) {
  judge_random(1000, often(100), "Mutants.OfRandomKernelsAreRefused0");
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
}

}  // namespace
}  // namespace vkmoye::judge
