// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/row_plans.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/layout/checked.hpp"

namespace vkmoye::gen {
namespace {

// Several workgroups for each of more than a hundred multiprocessors.
constexpr std::int64_t kWorkgroups = 1024;
// Whole rows in this many workgroups are as fast as slices, which another kernel must combine.
constexpr std::int64_t kFewWorkgroups = 256;
constexpr std::int64_t kMostSlices = 512;  // each block of a row reads the results of all
constexpr std::int64_t kLeastBlocks = 4;   // of a row worth a second kernel
constexpr std::int64_t kLeastLength = 4096;

}  // namespace

std::int64_t slices_of_rows(std::int64_t groups, std::int64_t length, std::int64_t block) {
  const std::int64_t blocks = vkmoye::ceil_div(length, block);
  const bool are_short = length < kLeastLength || blocks < kLeastBlocks;
  if (groups < 1 || groups >= kFewWorkgroups || are_short) return 1;
  return std::min({blocks / 2, vkmoye::ceil_div(kWorkgroups, groups), kMostSlices});
}

KernelPlan plan_of_slices(ir::Kernel slices, ir::Kernel combine, const Arguments& arguments) {
  KernelPlan plan;
  std::vector<std::string> arrays, scratch;
  const auto place_in = [](const std::vector<std::string>& names, const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const auto is_in = [&](const std::vector<std::string>& names, const std::string& name) {
    return place_in(names, name) < names.size();
  };
  const KernelInterface first = ir::interface_of(slices), second = ir::interface_of(combine);
  const auto declare = [&](const KernelInterface& kernel, bool has_scratch) {
    for (const Binding& binding : kernel.bindings) {
      if (is_in(arrays, binding.name) || is_in(scratch, binding.name)) continue;
      const PlanArray array = {binding.name,
                               element_count(binding, arguments) * size_of(binding.type)};
      const bool is_scratch = has_scratch && binding.access == Access::write;
      (is_scratch ? scratch : arrays).push_back(binding.name);
      (is_scratch ? plan.scratch : plan.arrays).push_back(array);
    }
  };
  declare(first, true);
  declare(second, false);
  const auto add = [&](ir::Kernel kernel, const KernelInterface& interface) {
    KernelStep step{std::move(kernel), {}, {}};
    for (const Binding& binding : interface.bindings) {
      step.arrays.push_back(is_in(arrays, binding.name)
                                ? place_in(arrays, binding.name)
                                : arrays.size() + place_in(scratch, binding.name));
    }
    for (const PushConstant& constant : interface.push_constants) {
      const auto argument = arguments.find(constant.name);
      if (argument != arguments.end()) step.arguments.insert(*argument);
    }
    plan.steps.push_back(std::move(step));
  };
  add(std::move(slices), first);
  add(std::move(combine), second);
  return plan;
}

}  // namespace vkmoye::gen
