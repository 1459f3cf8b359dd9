// SPDX-License-Identifier: MIT
// An entry of tune applies to products with the same kernel, and to no others.

#include "support/expect.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/products/choice/problem_plan.hpp"
#include "workloads/tuned_table.hpp"
#include "workloads/tuning.hpp"

namespace vkmoye::bench {
namespace {

const Extents kSize = {24, 40, 56};

gen::GemmOptions problem_of(const gen::Options& values, const std::string& type = "f16,f32") {
  return gen::read_product(values, type);
}

// The entry that tune writes, read back.
gen::GemmTableEntry tuned(const gen::GemmOptions& problem, const Extents& size = kSize) {
  Tuning tuning;
  tuning.before.entry = gen::find_kernel("gemm/simt");
  tuning.timed.push_back({tuning.before, {}, {{1}}, 1});
  return table_entry_of(parse_json(dump(json_of(tuned_entry(tuning, problem, size)))));
}

bool holds(const gen::GemmTableEntry& entry, const gen::GemmOptions& problem,
           const Extents& size = kSize) {
  const gen::GemmProduct product = gen::product_of(problem, size);
  return gen::is_for_types(entry, product) && gen::unmet(entry, product, {}).empty();
}

TEST(TunedEntry, IsForItsOwnProductAlone) {
  const std::vector<gen::GemmOptions> problems = {problem_of({}),
                                                  problem_of({}, "f16,f32,f16"),
                                                  problem_of({}, "f16,f16"),
                                                  problem_of({{"epilogue", "bias"}}),
                                                  problem_of({{"epilogue", "bias,relu"}}),
                                                  problem_of({{"epilogue", "relu,bias"}}),
                                                  problem_of({{"beta", "2"}}),
                                                  problem_of({{"a", "m"}}),
                                                  problem_of({{"b", "n"}}),
                                                  problem_of({{"batch", "2"}}),
                                                  problem_of({{"c", "m"}})};
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const gen::GemmTableEntry entry = tuned(problems[i]);
    EXPECT_TRUE(is_for_the_same(entry, entry_for(gen::product_of(problems[i], kSize))));
    for (std::size_t j = 0; j < problems.size(); ++j) {
      EXPECT_EQ(holds(entry, problems[j]), i == j) << i << ' ' << j;
    }
  }
  EXPECT_FALSE(holds(tuned(problems[0]), problems[0], {24, 40, 57}));
}

// Numbers that do not change the kernel make no difference.
TEST(TunedEntry, IsForWhateverAlphaAndScale) {
  const gen::GemmTableEntry entry = tuned(problem_of({{"epilogue", "scale:2"}, {"beta", "1"}}));
  EXPECT_TRUE(holds(entry, problem_of({{"epilogue", "scale:3"}, {"beta", "0.5"}, {"alpha", "7"}})));
}

// A product with m contiguous in C is the transposed one with A and B exchanged: the same kernel and entry.
TEST(TunedEntry, IsForTheTransposedProductToo) {
  const gen::GemmOptions one = problem_of({{"c", "m"}, {"a", "m"}, {"epilogue", "bias,relu"}});
  const gen::GemmOptions other = problem_of({{"b", "n"}, {"epilogue", "bias_m,relu"}});
  const Extents turned = {kSize[1], kSize[0], kSize[2]};
  EXPECT_TRUE(holds(tuned(one), other, turned));
  const auto step_of = [](const gen::GemmOptions& problem, const Extents& size) {
    gen::GemmChoice choice;
    choice.entry = gen::find_kernel("gemm/simt");
    const RunPlan plan = described_plan(workload_by(choice, problem, size), common_device());
    return plan.steps[plan.main];
  };
  const Step a = step_of(one, kSize), b = step_of(other, turned);
  EXPECT_EQ(gen::glsl::print(a.kernel), gen::glsl::print(b.kernel));
  EXPECT_EQ(a.arguments, b.arguments);
}

}  // namespace
}  // namespace vkmoye::bench
