// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/row_plans.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/kernels/common/plan_step.hpp"
#include "vkmoye/layout/checked.hpp"

namespace vkmoye::gen {
namespace {

// Several workgroups for each of more than a hundred multiprocessors.
constexpr std::int64_t kEnoughWorkgroups = 1024;
// Whole rows in this many workgroups are as fast as slices, which another kernel must combine.
constexpr std::int64_t kFewWorkgroups = 256;
constexpr std::int64_t kMaxSlices = 512;  // each block of a row reads the results of all
constexpr std::int64_t kMinBlocks = 4;    // of a row worth a second kernel
constexpr std::int64_t kMinLength = 4096;

}  // namespace

std::int64_t slices_of_rows(std::int64_t workgroups, std::int64_t length, std::int64_t block) {
  const std::int64_t blocks = vkmoye::ceil_div(length, block);
  const bool are_short = length < kMinLength || blocks < kMinBlocks;
  if (workgroups < 1 || workgroups >= kFewWorkgroups || are_short) return 1;
  return std::min({blocks / 2, vkmoye::ceil_div(kEnoughWorkgroups, workgroups), kMaxSlices});
}

KernelPlan plan_of_slices(ir::Kernel slices, ir::Kernel combine, const Arguments& arguments) {
  KernelPlan plan;
  std::vector<std::string> names, scratch;
  const auto is_in = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const auto declare = [&](const ir::Kernel& kernel, bool has_scratch) {
    for (const Binding& binding : ir::interface_of(kernel).bindings) {
      if (is_in(names, binding.name) || is_in(scratch, binding.name)) continue;
      const PlanArray array = {binding.name,
                               element_count(binding, arguments) * size_of(binding.type)};
      const bool is_scratch = has_scratch && binding.access == Access::write;
      (is_scratch ? scratch : names).push_back(binding.name);
      (is_scratch ? plan.scratch : plan.arrays).push_back(array);
    }
  };
  declare(slices, /*has_scratch=*/true);
  declare(combine, /*has_scratch=*/false);
  names.insert(names.end(), scratch.begin(), scratch.end());
  plan.steps = {plan_step(std::move(slices), names, arguments),
                plan_step(std::move(combine), names, arguments)};
  return plan;
}

}  // namespace vkmoye::gen
