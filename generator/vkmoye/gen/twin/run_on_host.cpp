// SPDX-License-Identifier: MIT
#include "vkmoye/gen/twin/run_on_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/ir/grid_barrier.hpp"
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

// Runs the workgroups of `phase`, which is the kernel of `launch` or a phase of it. Returns whether all were run.
bool run_workgroups(const ir::Kernel& phase, const Arguments& arguments, const TwinOptions& options,
                    bool with_data, twin::Launch& launch, machine::Budget& budget) {
  const WorkgroupCounts workgroups = group_count(interface_of(phase), arguments);
  const bool all =
      with_data ||
      (workgroups[0] <= kMaxWorkgroupsWithoutData && workgroups[1] <= kMaxWorkgroupsWithoutData &&
       workgroups[2] <= kMaxWorkgroupsWithoutData &&
       workgroups[0] * workgroups[1] * workgroups[2] <= kMaxWorkgroupsWithoutData);
  const std::size_t lanes = phase.subgroup_size != 0 ? phase.subgroup_size : options.subgroup_size;
  try {
    for (const std::uint64_t z : coordinates(workgroups[2], all)) {
      for (const std::uint64_t y : coordinates(workgroups[1], all)) {
        for (const std::uint64_t x : coordinates(workgroups[0], all)) {
          machine::Machine machine(phase, {phase.threads, lanes, {x, y, z}, options.arithmetic},
                                   launch, budget);
          twin::define(phase, arguments, machine.values());
          const std::uint64_t number = x + workgroups[0] * (y + workgroups[1] * z);
          launch.start(number);
          machine.run();
        }
      }
    }
  } catch (const machine::Budget::Exceeded&) {
    if (!with_data) return false;
    throw TooManySteps(
        fmt::format("{}: the launch of {} x {} x {} workgroups takes more than {} "
                    "steps on the host; take smaller sizes",
                    phase.name, workgroups[0], workgroups[1], workgroups[2], options.most_steps));
  }
  return all;
}

TwinReport follow(const ir::Kernel& kernel, const std::vector<std::span<std::byte>>& buffers,
                  const Arguments& arguments, const TwinOptions& options, bool with_data) {
  twin::require_assumptions(kernel, arguments);
  machine::ReasonsByKind reasons;
  twin::Launch launch(kernel, buffers, arguments, options.written, reasons);
  machine::Budget budget(options.most_steps);
  TwinReport report;
  const auto run = [&](const ir::Kernel& phase) {
    report.in_part =
        report.in_part || !run_workgroups(phase, arguments, options, with_data, launch, budget);
  };
  if (ir::has_phases(kernel)) {
    throw_if_any(kernel.name, ir::reasons_against_phases(kernel));
    for (const ir::Kernel& phase : ir::phases_of(kernel)) {
      if (report.in_part) break;
      run(phase);
      launch.grid_barrier();
    }
  } else {
    run(kernel);
  }
  if (!report.in_part) launch.check_results();
  report.in_part = report.in_part || launch.is_cut_short();
  report.depends_on_data = launch.depends_on_data();
  report.reasons = reasons.list();
  return report;
}

// Precondition: there is a buffer for each binding.
const std::span<std::byte>& buffer_of(const KernelInterface& interface,
                                      const std::vector<std::span<std::byte>>& buffers,
                                      const std::string& array) {
  const auto found = std::find_if(interface.bindings.begin(), interface.bindings.end(),
                                  [&](const Binding& binding) { return binding.name == array; });
  return buffers.at(static_cast<std::size_t>(found - interface.bindings.begin()));
}

// `arguments` with those that the kernel reads from a buffer as they are there.
Arguments with_arguments_in_buffer(const ir::Kernel& kernel,
                                   const std::vector<std::span<std::byte>>& buffers,
                                   Arguments arguments) {
  const auto& [array, names] = *kernel.arguments_in_buffer;
  const std::span<std::byte>& bytes = buffer_of(interface_of(kernel), buffers, array);
  if (bytes.size() != names.size() * sizeof(std::uint32_t)) {
    throw ArgumentError(
        fmt::format("{} on the host: {} has {} arguments of 4 bytes, but the buffer "
                    "has {} bytes",
                    kernel.name, array, names.size(), bytes.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    arguments[names[i]] = value;
  }
  return arguments;
}

// The elements that the launch has of each buffer, which may be larger.
std::vector<std::span<std::byte>> first_elements(const ir::Kernel& kernel,
                                                 const std::vector<std::span<std::byte>>& buffers,
                                                 const Arguments& arguments) {
  const KernelInterface interface = interface_of(kernel);
  std::vector<std::span<std::byte>> out;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Binding& binding = interface.bindings[i];
    const std::uint64_t bytes = element_count(binding, arguments) * size_of(binding.type);
    out.push_back(buffers[i].first(std::min<std::size_t>(buffers[i].size(), bytes)));
  }
  return out;
}

}  // namespace

TwinReport run_on_host(const ir::Kernel& kernel, const std::vector<HostArray>& arrays,
                       const Arguments& arguments, const TwinOptions& options) {
  const std::size_t bindings = interface_of(kernel).bindings.size();
  std::vector<std::string> wrong;
  if (kernel.hand_written)
    wrong.emplace_back("its shader was written by hand, and only devices run GLSL");
  if (arrays.size() != bindings) {
    wrong.push_back(fmt::format("it binds {} arrays, but {} were given", bindings, arrays.size()));
  }
  for (const PushConstant& argument : kernel.arguments) {
    if (arguments.contains(argument.name) || is_first_group(argument.name) ||
        kernel.is_in_buffer(argument.name)) {
      continue;
    }
    wrong.push_back(fmt::format("argument '{}' is missing", argument.name));
  }
  if (!wrong.empty()) {
    throw ArgumentError(with_reasons(kernel.name + " on the host", wrong));
  }
  std::vector<std::span<std::byte>> buffers;
  for (const HostArray& array : arrays) buffers.push_back(array.bytes);
  if (!kernel.arguments_in_buffer) {
    return follow(kernel, buffers, arguments, options, /*with_data=*/true);
  }
  const Arguments all = with_arguments_in_buffer(kernel, buffers, arguments);
  return follow(kernel, first_elements(kernel, buffers, all), all, options, /*with_data=*/true);
}

TwinReport watch(const ir::Kernel& kernel, const Arguments& sizes, const TwinOptions& options) {
  return follow(kernel, {}, sizes, options, /*with_data=*/false);
}

}  // namespace vkmoye::gen
