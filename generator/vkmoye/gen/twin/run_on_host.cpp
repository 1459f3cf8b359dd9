// SPDX-License-Identifier: MIT
#include "vkmoye/gen/twin/run_on_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/twin/launch.hpp"

namespace vkmoye::gen {
namespace {

using WorkgroupCounts = std::array<std::uint64_t, 3>;

// Without data, the maximum number of workgroups that are all run.
constexpr std::uint64_t kMaxWorkgroupsWithoutData = 64;

// The coordinates of the workgroups that are run along a dimension: all, or the first two, the middle and the last.
std::vector<std::uint64_t> coordinates(std::uint64_t count, bool all) {
  std::vector<std::uint64_t> out;
  if (!all && count > 4) return {0, 1, count / 2, count - 1};
  for (std::uint64_t i = 0; i < count; ++i) out.push_back(i);
  return out;
}

TwinReport follow(const ir::Kernel& kernel, const std::vector<std::span<std::byte>>& buffers,
                  const Arguments& arguments, const TwinOptions& options, bool with_data) {
  const WorkgroupCounts workgroups = group_count(interface_of(kernel), arguments);
  twin::require_assumptions(kernel, arguments);
  machine::ReasonsByKind reasons;
  twin::Launch launch(kernel, buffers, arguments, reasons);
  machine::Budget budget(options.most_steps);
  const bool all =
      with_data ||
      (workgroups[0] <= kMaxWorkgroupsWithoutData && workgroups[1] <= kMaxWorkgroupsWithoutData &&
       workgroups[2] <= kMaxWorkgroupsWithoutData &&
       workgroups[0] * workgroups[1] * workgroups[2] <= kMaxWorkgroupsWithoutData);
  TwinReport report;
  report.in_part = !all;
  const std::size_t lanes =
      kernel.subgroup_size != 0 ? kernel.subgroup_size : options.subgroup_size;
  try {
    for (const std::uint64_t z : coordinates(workgroups[2], all)) {
      for (const std::uint64_t y : coordinates(workgroups[1], all)) {
        for (const std::uint64_t x : coordinates(workgroups[0], all)) {
          machine::Machine machine(kernel, {kernel.threads, lanes, {x, y, z}}, launch, budget);
          twin::define(kernel, arguments, machine.values());
          const std::uint64_t number = x + workgroups[0] * (y + workgroups[1] * z);
          launch.start(number);
          machine.run();
        }
      }
    }
  } catch (const machine::Budget::Exceeded&) {
    if (with_data) {
      throw TooManySteps(fmt::format(
          "{}: the launch of {} x {} x {} workgroups takes more than {} "
          "steps on the host; take smaller sizes",
          kernel.name, workgroups[0], workgroups[1], workgroups[2], options.most_steps));
    }
    report.in_part = true;
  }
  if (!report.in_part) launch.check_results();
  report.in_part = report.in_part || launch.is_cut_short();
  report.reasons = reasons.list();
  return report;
}

}  // namespace

TwinReport run_on_host(const ir::Kernel& kernel, const std::vector<std::span<std::byte>>& buffers,
                       const Arguments& arguments, const TwinOptions& options) {
  const std::size_t bindings = interface_of(kernel).bindings.size();
  std::vector<std::string> wrong;
  if (kernel.hand_written)
    wrong.emplace_back("its shader was written by hand, and only devices run GLSL");
  if (buffers.size() != bindings) {
    wrong.push_back(
        fmt::format("it binds {} buffers, but {} were given", bindings, buffers.size()));
  }
  for (const PushConstant& argument : kernel.arguments) {
    if (arguments.contains(argument.name) || is_first_group(argument.name)) continue;
    wrong.push_back(fmt::format("argument '{}' is missing", argument.name));
  }
  if (!wrong.empty()) {
    throw ArgumentError(with_reasons(kernel.name + " on the host", wrong));
  }
  return follow(kernel, buffers, arguments, options, /*with_data=*/true);
}

TwinReport watch(const ir::Kernel& kernel, const Arguments& sizes, const TwinOptions& options) {
  return follow(kernel, {}, sizes, options, /*with_data=*/false);
}

}  // namespace vkmoye::gen
