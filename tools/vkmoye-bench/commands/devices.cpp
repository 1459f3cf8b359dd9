// SPDX-License-Identifier: MIT
// devices: every Vulkan device with its limits, its features, and what probes and trials found.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>

#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "devices/description.hpp"
#include "devices/trials.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/runtime/device.hpp"

namespace vkmoye::bench {
namespace {

void line(const std::string& what, const std::string& value) {
  std::cout << fmt::format("   {:<16}{}\n", what, value);
}

// "32 KiB", "1.5 GiB": with one decimal, where it is not a whole number.
std::string memory_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  const bool is_whole = value == std::floor(value);
  return fmt::format("{:.{}f} {}", value, is_whole ? 0 : 1, kUnits[unit]);
}

// ", right with 32 lanes": the result of the trial of a shape. Empty: the shape was not tried yet.
std::string verdict_text(const MatrixVerdicts& verdicts, const DeviceCaps& caps,
                         const MatrixShape& shape) {
  std::string text;
  for (const auto& [lanes, wrong] : verdicts.all_of(caps, shape)) {
    text += wrong.empty() ? fmt::format(", right with {} lanes", lanes)
                          : fmt::format(", WRONG with {} lanes, not used: {}", lanes, wrong);
  }
  return text;
}

// Prints the shapes of the matrix units, and how lanes hold the operands; `why_missing`: why some orders are
// not known.
void print_matrices(const DeviceCaps& caps, const std::string& why_missing) {
  const MatrixVerdicts verdicts{DeviceFacts(DeviceFacts::default_file())};
  std::string title = "matrices";
  for (const MatrixShape& shape : caps.matrix_shapes) {
    line(title, to_string(shape) + verdict_text(verdicts, caps, shape));
    title = "";
  }
  title = "fragments";
  for (const DescribedFragment& fragment : describe_fragments(caps, why_missing)) {
    const std::string what =
        fragment.was_looked_for
            ? "no layout: " + fragment.reason
            : std::string(why_missing.empty() ? "not known" : "not known, see below");
    line(title, fmt::format("{:<16}{}", fragment.name,
                            fragment.layout.empty() ? what : fragment.layout + fragment.note));
    title = "";
  }
  if (!why_missing.empty()) line("not known", why_missing);
}

void print(std::size_t index, const DeviceCaps& caps, const std::string& why_missing) {
  std::cout << fmt::format("{}  {}\n", index, caps.name);
  line("driver", caps.driver);
  line("type", std::string(to_string(caps.kind)));
  line("Vulkan", caps.api);
  if (!caps.why_unusable.empty()) {
    line("cannot be used", caps.why_unusable);
    return;
  }
  line("memory", memory_text(caps.device_memory_bytes));
  line("storage buffer",
       fmt::format(
           "{} per binding, {} per buffer", memory_text(caps.max_storage_buffer_bytes),
           memory_text(std::min(caps.max_buffer_bytes, std::max(caps.max_allocation_bytes,
                                                                caps.max_sparse_buffer_bytes)))));
  line("shared memory", memory_text(caps.max_shared_bytes));
  line("workgroup", fmt::format("{} threads, {} x {} x {}", caps.max_workgroup_invocations,
                                caps.max_workgroup_size[0], caps.max_workgroup_size[1],
                                caps.max_workgroup_size[2]));
  line("grid", fmt::format("{} x {} x {} workgroups", caps.max_group_count[0],
                           caps.max_group_count[1], caps.max_group_count[2]));
  const bool is_fixed = caps.min_subgroup_size == caps.max_subgroup_size;
  line("subgroup", fmt::format("{} lanes{}", caps.subgroup_size,
                               is_fixed ? ""
                                        : fmt::format(" ({} to {})", caps.min_subgroup_size,
                                                      caps.max_subgroup_size)));
  line("timestamps", caps.timestamp_period_ns > 0
                         ? fmt::format("{} ns", caps.timestamp_period_ns)
                         : std::string("none: times are taken with the host's clock"));
  std::vector<std::string> features;
  for (const Feature feature : caps.features.list()) features.emplace_back(to_string(feature));
  line("features", features.empty() ? "none" : join(features, " "));
  print_matrices(caps, why_missing);
}

int devices(const CommandOptions& options) {
  std::vector<DeviceCaps> all = list_devices();
  std::vector<DeviceDescription> described;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string why_missing = find_orders(i, all[i]);
    if (options.format == "json") {
      described.push_back({all[i], why_missing});
    } else {
      print(i, all[i], why_missing);
    }
  }
  if (options.format == "json") std::cout << device_descriptions(described);
  return kOk;
}

}  // namespace

const Command kDevices = {
    CommandName::devices, "list Vulkan devices with their features and limits",
    "The order in which lanes hold matrices is found by a probe, which runs once for\neach "
    "driver.\n\n"
    "Examples:\n  vkmoye-bench devices\n"
    "  vkmoye-bench devices --format json > here.json    # for --device here.json",
    devices};

}  // namespace vkmoye::bench
