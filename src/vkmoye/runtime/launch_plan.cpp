#include "vkmoye/runtime/launch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye {
namespace {

// Collects reasons; each is said once, although several bindings may share its cause.
class Reasons {
 public:
  void add(std::string reason) {
    if (std::find(all_.begin(), all_.end(), reason) == all_.end())
      all_.push_back(std::move(reason));
  }
  bool empty() const { return all_.empty(); }
  std::string text(const std::string& subject) const {
    if (all_.size() == 1) return subject + ": " + all_.front();
    return subject + ":\n  - " + join(all_, "\n  - ");
  }

 private:
  std::vector<std::string> all_;
};

bool filled_by_us(const std::string& name) { return name == kFirstGroupX || name == kFirstGroupY; }

// The arguments that a caller gives.
std::set<std::string> argument_names(const KernelInterface& kernel) {
  std::set<std::string> names;
  const auto add = [&](const Extent& extent) {
    if (extent.is_symbol()) names.insert(extent.symbol);
    if (!extent.times.empty()) names.insert(extent.times);
  };
  for (const Binding& binding : kernel.bindings) {
    for (const Extent& extent : binding.extents) add(extent);
  }
  for (const GridDimension& dimension : kernel.grid) add(dimension.extent);
  for (const std::string& name : kernel.push_constants) {
    if (!filled_by_us(name)) names.insert(name);
  }
  return names;
}

// Returns whether every argument is there, so that sizes can be worked out.
bool check_names(const std::set<std::string>& names, const Arguments& arguments, Reasons& reasons) {
  bool complete = true;
  for (const std::string& name : names) {
    if (!arguments.contains(name)) {
      reasons.add(fmt::format("argument '{}' is missing", name));
      complete = false;
    }
  }
  for (const auto& [name, value] : arguments) {
    if (names.contains(name)) continue;
    const std::string near = did_you_mean(name, {names.begin(), names.end()});
    reasons.add(fmt::format("unknown argument '{}'{}", name,
                            near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
  }
  return complete;
}

void fill_push_constants(const KernelInterface& kernel, const Arguments& arguments,
                         LaunchPlan& plan, Reasons& reasons) {
  for (const std::string& name : kernel.push_constants) {
    const int place = static_cast<int>(plan.push_constants.size());
    std::int64_t value = 0;
    if (name == kFirstGroupX) {
      plan.first_group_x = place;
    } else if (name == kFirstGroupY) {
      plan.first_group_y = place;
    } else if (const auto found = arguments.find(name); found != arguments.end()) {
      value = found->second;
      if (value < 0 || value > 0xffffffff) {
        reasons.add(fmt::format("argument {} = {} is outside 0..{}", name, value, 0xffffffffu));
      }
    }
    plan.push_constants.push_back(static_cast<std::uint32_t>(value));
  }
}

void check_range(const Binding& binding, const DeviceCaps& caps, const BoundRange& range,
                 Reasons& reasons) {
  if (range.offset > range.memory_bytes || range.bytes > range.memory_bytes - range.offset) {
    reasons.add(fmt::format("{}: {} bytes at offset {} leave a buffer of {} bytes", binding.name,
                            range.bytes, range.offset, range.memory_bytes));
  }
  if (range.offset % caps.storage_buffer_alignment != 0) {
    reasons.add(fmt::format("{}: offset {} is no multiple of the device's {} bytes", binding.name,
                            range.offset, caps.storage_buffer_alignment));
  }
  if (range.offset % binding.alignment != 0) {
    reasons.add(
        fmt::format("{}: offset {} is no multiple of the {} bytes that the kernel moves at "
                    "once",
                    binding.name, range.offset, binding.alignment));
  }
}

void check_size(const Binding& binding, const DeviceCaps& caps, const BoundRange& range,
                const Arguments& arguments, Reasons& reasons) {
  std::uint64_t elements = 0;
  try {
    elements = element_count(binding, arguments);
  } catch (const ArgumentError& error) {
    return reasons.add(error.what());
  }
  const std::uint64_t element_bytes = size_of(binding.type);
  const std::uint64_t needed = elements * element_bytes;
  const std::string product =
      fmt::format("{} elements of {} bytes = {} bytes", elements, element_bytes, needed);
  if (needed > range.bytes) {
    reasons.add(fmt::format("{}: needs {}, got {}", binding.name, product, range.bytes));
  }
  if (needed > caps.max_storage_buffer_bytes) {
    reasons.add(fmt::format("{}: needs {}, the device binds at most {}", binding.name, product,
                            caps.max_storage_buffer_bytes));
  }
}

bool overlap(const BoundRange& a, const BoundRange& b) {
  return a.memory == b.memory && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

void check_overlaps(const KernelInterface& kernel, std::span<const BoundRange> ranges,
                    Reasons& reasons) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    for (std::size_t j = i + 1; j < ranges.size(); ++j) {
      const Binding& a = kernel.bindings[i];
      const Binding& b = kernel.bindings[j];
      if (a.access == Access::read && b.access == Access::read) continue;
      if (!overlap(ranges[i], ranges[j])) continue;
      reasons.add(fmt::format(
          "{} (bytes {} to {}) and {} (bytes {} to {}) overlap in one buffer, "
          "and {} is written",
          a.name, ranges[i].offset, ranges[i].offset + ranges[i].bytes, b.name, ranges[j].offset,
          ranges[j].offset + ranges[j].bytes, a.access == Access::read ? b.name : a.name));
    }
  }
}

void split_grid(const KernelInterface& kernel, const DeviceCaps& caps, const Arguments& arguments,
                LaunchPlan& plan, Reasons& reasons) {
  std::array<std::uint64_t, 2> groups = {};
  try {
    groups = group_count(kernel, arguments);
  } catch (const ArgumentError& error) {
    return reasons.add(error.what());
  }
  const int places[] = {plan.first_group_x, plan.first_group_y};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::uint64_t limit = caps.max_group_count[i];
    if (groups[i] <= limit || (places[i] >= 0 && limit > 0)) continue;
    reasons.add(
        fmt::format("the grid has {} groups in {}, the device dispatches {}, and the "
                    "kernel cannot be split (it has no {})",
                    groups[i], "xy"[i], limit, i == 0 ? kFirstGroupX : kFirstGroupY));
  }
  if (!reasons.empty()) return;
  const std::uint64_t step_x = caps.max_group_count[0], step_y = caps.max_group_count[1];
  for (std::uint64_t y = 0; y < groups[1]; y += step_y) {
    for (std::uint64_t x = 0; x < groups[0]; x += step_x) {
      plan.pieces.push_back({static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                             static_cast<std::uint32_t>(std::min(step_x, groups[0] - x)),
                             static_cast<std::uint32_t>(std::min(step_y, groups[1] - y))});
    }
  }
}

}  // namespace

LaunchPlan plan_launch(const KernelInterface& kernel, const DeviceCaps& caps,
                       std::span<const BoundRange> ranges, const Arguments& arguments) {
  LaunchPlan plan;
  Reasons reasons;
  const bool named = check_names(argument_names(kernel), arguments, reasons);
  fill_push_constants(kernel, arguments, plan, reasons);
  if (ranges.size() != kernel.bindings.size()) {
    std::vector<std::string> names;
    for (const Binding& binding : kernel.bindings) names.push_back(binding.name);
    reasons.add(fmt::format("takes {} buffers ({}), got {}", kernel.bindings.size(),
                            join(names, ", "), ranges.size()));
  } else {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      check_range(kernel.bindings[i], caps, ranges[i], reasons);
      if (named) check_size(kernel.bindings[i], caps, ranges[i], arguments, reasons);
      // A longer range than needed is bound as far as the device allows: what lies behind is the
      // caller's, for instance guard words.
      plan.bound_bytes.push_back(std::min(ranges[i].bytes, caps.max_storage_buffer_bytes));
    }
    check_overlaps(kernel, ranges, reasons);
  }
  if (named) split_grid(kernel, caps, arguments, plan, reasons);
  if (!reasons.empty()) throw ArgumentError(reasons.text(kernel.name));
  return plan;
}

}  // namespace vkmoye
