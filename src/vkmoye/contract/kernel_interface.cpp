// SPDX-License-Identifier: MIT
#include "vkmoye/contract/kernel_interface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/round_up.hpp"
#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/layout/injective.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye {
namespace {

// At least one argument is missing; `throw_missing` then names each.
struct MissingArgument {};

// Throws ArgumentError naming each argument of `extents` that is missing.
[[noreturn]] void throw_missing(const std::string& whose, const std::vector<Extent>& extents,
                                const Arguments& arguments) {
  Reasons reasons;
  for (const Extent& extent : extents) {
    for (const std::string& name : extent.arguments()) {
      if (!arguments.contains(name)) reasons.add(fmt::format("argument '{}' is missing", name));
    }
  }
  throw ArgumentError(reasons.text(whose));
}

// The size whose parts `extent` counts. Throws MissingArgument.
std::int64_t whole_of(const Extent& extent, const Arguments& arguments, std::string_view whose) {
  if (!extent.is_symbol()) return extent.value;
  const auto found = arguments.find(extent.symbol);
  if (found == arguments.end()) throw MissingArgument();
  constexpr std::int64_t kMax = 0xffffffff;
  // The text is the same for all arrays, so that a launch shows it once.
  const std::string reason = reason_against_whole(extent.symbol, found->second, 0, kMax);
  if (!reason.empty()) throw ArgumentError(reason);
  const auto* whole = std::get_if<std::int64_t>(&found->second.value);
  if (extent.times.empty()) return *whole;
  const std::int64_t other = whole_of(extent.times, arguments, whose);
  if (other > 0 && *whole > kMax / other) {
    throw ArgumentError(fmt::format("{}: {} = {} x {} exceeds the 2^32-1 that a 32-bit size holds",
                                    whose, to_string(extent), *whole, other));
  }
  return *whole * other;
}

std::int64_t value_of(const Extent& extent, const Arguments& arguments, std::string_view whose) {
  const std::int64_t whole = whole_of(extent, arguments, whose);
  return whole / extent.per + (whole % extent.per != 0 ? 1 : 0);
}

// The value of an extent of the grid or of an array, at most kMaxExtent.
std::int64_t extent_in(const Extent& extent, const Arguments& arguments, std::string_view whose) {
  const std::int64_t whole = whole_of(extent, arguments, whose);
  if (extent.is_symbol() && extent.times.empty() && whole > kMaxExtent) {
    throw ArgumentError(fmt::format("argument {} = {} is above {}, the largest extent",
                                    extent.symbol, whole, kMaxExtent));
  }
  return value_of(extent, arguments, whose);
}

}  // namespace

std::vector<std::string> Extent::arguments() const {
  std::vector<std::string> names;
  if (is_symbol()) names.push_back(symbol);
  if (!times.empty()) names.push_back(times);
  return names;
}

Extent Extent::whole() const {
  Extent all = *this;
  all.per = 1;
  return all;
}

std::string to_string(const Extent& extent) {
  if (extent.per != 1) return fmt::format("ceil({}/{})", to_string(extent.whole()), extent.per);
  if (!extent.times.empty()) return extent.symbol + "*" + extent.times;
  return extent.is_symbol() ? extent.symbol : std::to_string(extent.value);
}

Arguments::Arguments(std::initializer_list<value_type> list) {
  Reasons reasons;
  for (const auto& [name, value] : list) {
    if (!emplace(name, value).second) {
      reasons.add(fmt::format("argument '{}' is given twice", name));
    }
  }
  if (!reasons.empty()) throw ArgumentError(reasons.text("arguments"));
}

std::string to_string(const Argument& argument) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, argument.value);
}

std::string_view to_string(Access access) {
  switch (access) {
    case Access::read: return "read";
    case Access::write: return "write";
    case Access::read_write: return "read_write";
  }
  return "?";
}

std::string_view to_string(Addressing addressing) {
  return addressing == Addressing::pointer ? "pointer" : "descriptor";
}

std::uint64_t descriptor_count(const KernelInterface& kernel) {
  return static_cast<std::uint64_t>(std::count_if(
      kernel.bindings.begin(), kernel.bindings.end(),
      [](const Binding& binding) { return binding.addressing == Addressing::descriptor; }));
}

bool is_first_group(std::string_view name) {
  return std::find(kFirstGroup.begin(), kFirstGroup.end(), name) != kFirstGroup.end();
}

bool is_set_by_runtime(const PushConstant& constant) {
  return constant.type == ScalarType::u64 || is_first_group(constant.name);
}

std::string address_name(const std::string& name) { return name + "_address"; }

std::vector<std::uint32_t> push_constant_offsets(const KernelInterface& kernel) {
  std::vector<std::uint32_t> offsets;
  std::uint32_t end = 0;
  for (const PushConstant& constant : kernel.push_constants) {
    const auto bytes = static_cast<std::uint32_t>(size_of(constant.type));
    offsets.push_back(round_up(end, bytes));
    end = offsets.back() + bytes;
  }
  return offsets;
}

std::uint32_t push_constant_bytes(const KernelInterface& kernel) {
  if (kernel.push_constants.empty()) return 0;
  return push_constant_offsets(kernel).back() +
         static_cast<std::uint32_t>(size_of(kernel.push_constants.back().type));
}

namespace {

// The number of elements that an index of `binding` can address.
struct ElementLimit {
  std::uint64_t elements;
  const char* text;
};
ElementLimit element_limit_of(const Binding& binding) {
  if (binding.addressing == Addressing::pointer)
    return {std::uint64_t{1} << 48, "2^48 that an address reaches"};
  return {std::uint64_t{1} << 32, "2^32 that a 32-bit index reaches"};
}

// Whether the size of `binding` does not depend on arguments.
bool has_known_size(const Binding& binding) {
  const auto is_number = [](const Extent& extent) { return !extent.is_symbol(); };
  return std::all_of(binding.extents.begin(), binding.extents.end(), is_number) &&
         std::all_of(binding.strides.begin(), binding.strides.end(), is_number);
}

// Throws if two elements of a written array have the same offset.
void check_apart(const Binding& binding, const std::vector<Mode>& modes) {
  std::vector<Layout> layouts;
  for (const Mode& mode : modes) layouts.emplace_back(mode.extent, mode.stride);
  Layout layout;
  std::optional<Collision> clash;
  try {
    layout = make_layout(layouts);  // its size may not fit 64 bits, where strides are 0
    clash = find_collision(layout);
  } catch (const LayoutError& error) {
    throw ArgumentError(fmt::format("{}: {}", binding.name, error.what()));
  }
  if (!clash) return;
  std::vector<std::string> names;
  for (const Extent& stride : binding.strides) names.push_back(to_string(stride));
  throw ArgumentError(fmt::format(
      "{}: {} with strides ({}) overlaps: the elements {} and {} are both at {}, and it is written",
      binding.name, to_string(layout), fmt::join(names, ","), to_string(clash->first),
      to_string(clash->second), clash->offset));
}

// From the first to the last element of an array with strides; 0 if an extent is 0.
std::uint64_t strided_count(const Binding& binding, const Arguments& arguments) {
  const ElementLimit limit = element_limit_of(binding);
  std::uint64_t count = 1;
  std::string sum;
  bool too_many = false;
  std::vector<Mode> modes;
  for (std::size_t i = 0; i < binding.extents.size(); ++i) {
    const auto extent =
        static_cast<std::uint64_t>(extent_in(binding.extents[i], arguments, binding.name));
    const auto stride =
        static_cast<std::uint64_t>(value_of(binding.strides[i], arguments, binding.name));
    if (extent == 0) return 0;
    modes.push_back({static_cast<std::int64_t>(extent), static_cast<std::int64_t>(stride)});
    sum += fmt::format("{}{} x {}", sum.empty() ? "" : " + ", extent - 1, stride);
    too_many = too_many || (stride > 0 && extent - 1 > (limit.elements - count) / stride);
    if (!too_many) count += (extent - 1) * stride;
  }
  if (too_many) {
    throw ArgumentError(
        fmt::format("{}: 1 + {} elements exceed the {}", binding.name, sum, limit.text));
  }
  if (binding.access != Access::read) check_apart(binding, modes);
  return count;
}

std::uint64_t compact_count(const Binding& binding, const Arguments& arguments) {
  const ElementLimit limit = element_limit_of(binding);
  std::uint64_t count = 1;
  std::string product;
  bool too_many = false;
  for (const Extent& extent : binding.extents) {
    const std::int64_t value = extent_in(extent, arguments, binding.name);
    product += fmt::format("{}{}", product.empty() ? "" : " x ", value);
    too_many =
        too_many || (value > 0 && count > limit.elements / static_cast<std::uint64_t>(value));
    if (!too_many) count *= static_cast<std::uint64_t>(value);
  }
  if (too_many) {
    throw ArgumentError(
        fmt::format("{}: {} elements exceed the {}", binding.name, product, limit.text));
  }
  return count;
}

}  // namespace

std::uint64_t element_count(const Binding& binding, const Arguments& arguments) {
  try {
    return binding.strides.empty() ? compact_count(binding, arguments)
                                   : strided_count(binding, arguments);
  } catch (const MissingArgument&) {
    std::vector<Extent> all = binding.extents;
    all.insert(all.end(), binding.strides.begin(), binding.strides.end());
    throw_missing(binding.name, all, arguments);
  }
}

std::vector<std::uint64_t> extents_in(const Binding& binding, const Arguments& arguments) {
  std::vector<std::uint64_t> all;
  try {
    for (const Extent& extent : binding.extents) {
      all.push_back(static_cast<std::uint64_t>(extent_in(extent, arguments, binding.name)));
    }
  } catch (const MissingArgument&) {
    throw_missing(binding.name, binding.extents, arguments);
  }
  return all;
}

namespace {

std::array<std::uint64_t, 3> groups_of(const KernelInterface& kernel, const Arguments& arguments) {
  std::array<std::uint64_t, 3> groups = {};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GridDimension& dimension = kernel.grid[i];
    const std::int64_t extent = extent_in(dimension.extent, arguments, kernel.name);
    if (dimension.tile < 1) {
      throw ArgumentError(
          fmt::format("{}: the grid has tiles of {} elements", kernel.name, dimension.tile));
    }
    const std::int64_t tiles = extent / dimension.tile + (extent % dimension.tile != 0 ? 1 : 0);
    groups[i] = static_cast<std::uint64_t>(
        dimension.max_groups > 0 ? std::min(tiles, dimension.max_groups) : tiles);
  }
  return groups;
}

}  // namespace

std::array<std::uint64_t, 3> group_count(const KernelInterface& kernel,
                                         const Arguments& arguments) {
  try {
    return groups_of(kernel, arguments);
  } catch (const MissingArgument&) {
    throw_missing(kernel.name,
                  {kernel.grid[0].extent, kernel.grid[1].extent, kernel.grid[2].extent}, arguments);
  }
}

std::vector<std::string> reasons_against(const Binding& binding, const Arguments& arguments,
                                         const DeviceCaps& caps) {
  std::uint64_t elements = 0;
  try {
    elements = element_count(binding, arguments);
  } catch (const ArgumentError& error) {
    return {error.what()};
  }
  const std::uint64_t element_bytes = size_of(binding.type);
  const std::uint64_t bytes = elements * element_bytes;
  std::vector<std::string> reasons;
  if (binding.addressing == Addressing::descriptor && bytes > caps.max_storage_buffer_bytes) {
    reasons.push_back(
        fmt::format("{}: needs {} elements of {} bytes = {} bytes, the device binds at most {}",
                    binding.name, elements, element_bytes, bytes, caps.max_storage_buffer_bytes));
  }
  for (const std::string& reason : reasons_against_buffer(caps, bytes)) {
    reasons.push_back(binding.name + ": " + reason);
  }
  return reasons;
}

namespace {

// Every subgroup must have the number of lanes that the kernel requires, all of them active.
void check_subgroups(const KernelInterface& kernel, const DeviceCaps& caps,
                     std::vector<std::string>& reasons) {
  const std::uint32_t lanes = kernel.subgroup_size, threads = kernel.workgroup_size[0];
  if (lanes == 0) return;
  if (!std::has_single_bit(lanes) || threads % lanes != 0) {
    reasons.push_back(fmt::format(
        "its workgroups of {} threads cannot be split into subgroups of {} lanes", threads, lanes));
    return;
  }
  const std::string has =
      caps.min_subgroup_size == caps.max_subgroup_size
          ? std::to_string(caps.max_subgroup_size)
          : fmt::format("{} to {}", caps.min_subgroup_size, caps.max_subgroup_size);
  if (lanes < caps.min_subgroup_size || lanes > caps.max_subgroup_size) {
    reasons.push_back(fmt::format("needs subgroups of {} lanes, the device has {}", lanes, has));
  } else if (!caps.has(Feature::subgroup_size_control)) {
    if (caps.min_subgroup_size == caps.max_subgroup_size) return;
    reasons.push_back(
        fmt::format("needs subgroups of {} lanes, the device has {}, and the size cannot be chosen "
                    "(subgroup_size_control)",
                    lanes, has));
  } else if (threads / lanes > caps.max_workgroup_subgroups) {
    reasons.push_back(fmt::format("needs {} subgroups in a workgroup, the device has {}",
                                  threads / lanes, caps.max_workgroup_subgroups));
  }
}

// Workgroups that wait for each other must run at once.
void check_resident(const KernelInterface& kernel, const DeviceCaps& caps,
                    std::vector<std::string>& reasons) {
  if (!kernel.arrivals) return;
  const std::uint64_t groups = resident_groups(kernel);
  if (groups <= caps.resident_groups) return;
  reasons.push_back(
      fmt::format("its {} workgroups wait for each other, and must run at once; {}", groups,
                  caps.resident_groups == 0
                      ? "how many workgroups this device runs at once is not known"
                      : fmt::format("this device runs {} at once", caps.resident_groups)));
}

}  // namespace

std::uint64_t resident_groups(const KernelInterface& kernel) {
  std::uint64_t groups = kernel.arrivals ? 1 : 0;
  for (const std::uint64_t along :
       kernel.arrivals ? group_count(kernel, {}) : std::array<std::uint64_t, 3>{})
    groups *= along;
  return groups;
}

std::vector<std::string> reasons_against(const KernelInterface& kernel, const DeviceCaps& caps) {
  std::vector<std::string> reasons;
  const auto at_most = [&](std::string_view what, std::uint64_t need, std::uint64_t have) {
    if (need > have) {
      reasons.push_back(fmt::format("needs {} {}, the device has {}", need, what, have));
    }
  };
  for (const Feature feature : kernel.features.list()) {
    if (!caps.has(feature)) {
      reasons.push_back(
          fmt::format("needs the feature {}, the device lacks it", to_string(feature)));
    }
  }
  at_most("bytes of shared memory", kernel.shared_bytes, caps.max_shared_bytes);
  at_most("bytes of push constants", push_constant_bytes(kernel), caps.max_push_constant_bytes);
  at_most("storage buffers", descriptor_count(kernel), caps.max_storage_buffers);
  for (const Binding& binding : kernel.bindings) {
    if (!has_known_size(binding)) continue;
    add_all(reasons, reasons_against(binding, {}, caps));
  }
  std::uint64_t invocations = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    at_most(fmt::format("threads in dimension {} of a workgroup", i), kernel.workgroup_size[i],
            caps.max_workgroup_size[i]);
    invocations *= kernel.workgroup_size[i];
  }
  at_most("threads in a workgroup", invocations, caps.max_workgroup_invocations);
  check_subgroups(kernel, caps, reasons);
  check_resident(kernel, caps, reasons);
  for (const MatrixShape& shape : kernel.matrices) {
    const auto& known = caps.matrix_shapes;
    if (std::find(known.begin(), known.end(), shape) != known.end()) continue;
    reasons.push_back(fmt::format("needs products of matrices {}, the device has {}",
                                  to_string(shape), known.empty() ? "none" : "others"));
  }
  return reasons;
}

}  // namespace vkmoye
