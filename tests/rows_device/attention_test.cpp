// SPDX-License-Identifier: MIT
// Random problems of attention on every device, and a few on the twin: all kernels, types, options and orders of axes,
// sizes around those of tiles. Each is computed twice, and must give the same bits.
//
//   VKMOYE_SEED=7           seed (1)
//   VKMOYE_PROBLEM=417      runs only this problem

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "devices/device_executor.hpp"
#include "devices/host_executor.hpp"
#include "rows_device/attention_problems.hpp"
#include "rows_device/kept_pipelines.hpp"
#include "support/device_fixture.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/number_in.hpp"
#include "vkmoye/base/text.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

// What is wrong with the result; empty: nothing. Throws Unavailable if `executor` cannot run it.
std::string wrong(Executor& executor, const AttentionProblem& problem, std::uint64_t seed) {
  const auto workload = problem.workload();
  const RunPlan plan = plan_on(executor, workload);
  const auto reasons = executor.reasons_against(plan);
  if (!reasons.empty()) throw Unavailable(join(reasons, "; "));
  const auto execution = executor.prepare(plan);
  workload.problem->fill(*execution, seed);
  execution->run();
  const gen::CheckResult checked = workload.problem->check(*execution, gen::Verify::full, seed);
  std::string text = checked.first + execution->damage();
  if (checked.mismatches > 0) text = std::to_string(checked.mismatches) + " mismatches: " + text;
  const std::uint64_t bytes = plan.arrays[plan.result].bytes;
  const auto once = read_all(*execution, plan.result, bytes);
  execution->run();
  if (text.empty() && once != read_all(*execution, plan.result, bytes)) {
    text = "another run gives other bits";
  }
  return text;
}

class AttentionTest : public DeviceTest {};

TEST_F(AttentionTest, RandomProblemsAreRight) {
  const auto seed = static_cast<std::uint64_t>(number_in("VKMOYE_SEED").value_or(1));
  const auto only = number_in("VKMOYE_PROBLEM");
  // 378 problems of 6 forms in the quick run, those that lavapipe's compiler takes least time for; else 2,000 of 100:
  // most of the time goes into describing, verifying and compiling the kernels of a form.
  constexpr std::int64_t kForms = 100;
  const std::set<std::int64_t> quick_forms = {0, 3, 4, 5, 6, 69};
  const auto runs = [&](std::int64_t form, std::int64_t of_form) {
    if (!is_quick()) return of_form < 2 * kLarge;
    return quick_forms.contains(form) && (of_form < 3 || (of_form >= kLarge && of_form < 70));
  };
  for_each_device([&](Device& device) {
    KeptPipelines executor(device);
    std::set<std::string> right, lacking;
    int failures = 0;
    for (std::int64_t i = 0; i < often(kForms, 1) * kOfAForm && failures < 5; ++i) {
      const bool is_taken = only ? i == *only : runs(i / kOfAForm, i % kOfAForm);
      if (!is_taken) continue;
      const AttentionProblem problem = drawn_problem(seed, i);
      std::string text;
      try {
        text = wrong(executor, problem, static_cast<std::uint64_t>(i));
        right.insert(problem.kernel + ' ' + problem.type.substr(0, problem.type.find('*')));
        const std::string of = problem.kernel == "attention/coopmat" ? " of matrices" : "";
        if (problem.type.find('*') != std::string::npos) right.insert("blocks" + of);
        if (problem.values.contains("page")) right.insert("pages" + of);
      } catch (const Unavailable& reasons) {
        lacking.insert(problem.kernel + ": " + reasons.what());
      } catch (const std::exception& error) {
        text = error.what();
      }
      if (text.empty()) continue;
      ++failures;
      ADD_FAILURE() << text << "\n  VKMOYE_SEED=" << seed << " VKMOYE_PROBLEM=" << i << ": "
                    << problem.command();
    }
    if (only) return;
    EXPECT_THAT(right, testing::IsSupersetOf(
                           {"attention/simt f32", "attention/decode f16", "blocks", "pages"}));
    if (device.caps().kind == DeviceKind::cpu && !device.caps().matrix_shapes.empty()) {
      EXPECT_THAT(right, testing::IsSupersetOf(
                             {"attention/coopmat f16", "blocks of matrices", "pages of matrices"}));
      EXPECT_THAT(lacking, IsEmpty());
    }
  });
}

// Matrices of bf16, which cannot be in one shader with elements of f16.
void turn_into_bf16(AttentionProblem& problem) {
  const std::size_t rest = std::min(problem.type.find('*'), problem.type.size());
  problem.type = "bf16" + problem.type.substr(rest);
  for (std::size_t at; (at = problem.type.find("*f16")) != std::string::npos;) {
    problem.type.replace(at, 4, "*f32");
  }
  if (problem.values.contains("mask")) problem.values["mask"] = "bf16";
}

// bf16 in matrix units, which lavapipe lacks.
TEST(AttentionOnTheTwin, RandomProblemsAreRight) {
  HostExecutor host;
  for (std::int64_t i = 0; i < often(100, 20); ++i) {
    AttentionProblem problem = drawn_problem(7, kOfAForm * i);
    if (problem.kernel == "attention/coopmat" && i % 8 < 4) turn_into_bf16(problem);
    for (std::size_t extent : {0, 1}) problem.size[extent] %= 90;
    problem.config.erase("order-a");
    EXPECT_EQ(wrong(host, problem, static_cast<std::uint64_t>(i)), "") << problem.command();
  }
}

}  // namespace
}  // namespace vkmoye::test
