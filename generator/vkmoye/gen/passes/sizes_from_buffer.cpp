// SPDX-License-Identifier: MIT
#include "vkmoye/gen/passes/sizes_from_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/contract/compact_strides.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/with_values.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;

using SizeNames = std::vector<std::string>;
using ir::Values;  // of arguments

// The arrays of the plan beside those of the kernel.
constexpr const char *kSizes = "sizes", *kStatus = "status", *kCommand = "command",
                     *kChecked = "checked";

bool contains(const SizeNames& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "sizes from a buffer for gemm/simt"
std::string subject_of(const ir::Kernel& kernel) {
  return "sizes from a buffer for " + kernel.name;
}

// --- what is refused ---

// The arrays whose strides depend on `name`: "src along row".
SizeNames strides_on(const ir::Kernel& kernel, const std::string& name) {
  SizeNames out;
  for (const ir::Array& array : kernel.arrays) {
    for (const ir::Axis& axis : array.axes) {
      const auto variables = ir::variables_of(axis.stride);
      const bool depends = std::any_of(variables.begin(), variables.end(),
                                       [&](const Expr& one) { return one->name == name; });
      if (depends) out.push_back(fmt::format("{} along {}", array.name, axis.coordinate));
    }
  }
  return out;
}

void check_name(const ir::Kernel& kernel, const std::set<std::string>& extents,
                const std::string& name, const Arguments& maxima, Reasons& reasons) {
  const auto& known = kernel.arguments;
  const bool is_size = std::find(known.begin(), known.end(), PushConstant(name)) != known.end();
  if (!is_size || !extents.contains(name)) {
    return reasons.add(fmt::format("'{}' is not an extent of its arrays or its grid ({})", name,
                                   fmt::join(extents, ", ")));
  }
  const SizeNames strides = strides_on(kernel, name);
  if (!strides.empty()) {
    reasons.add(
        fmt::format("{} is part of a stride ({}), so that elements would lie elsewhere for "
                    "each size",
                    name, join(strides, ", ")));
  }
  const auto found = maxima.find(name);
  if (found == maxima.end()) return reasons.add(fmt::format("{} has no maximum", name));
  const auto* max = std::get_if<std::int64_t>(&found->second.value);
  if (max != nullptr && *max >= 1 && *max <= kMaxExtent) return;
  reasons.add(fmt::format("the maximum {} = {} is outside 1..{}", name, to_string(found->second),
                          kMaxExtent));
}

// All arguments of a launch with `maxima`, and the elements of each array. Throws ArgumentError with every reason.
Arguments checked_maxima(const ir::Kernel& kernel, const SizeNames& names,
                         const Arguments& maxima) {
  const KernelInterface interface = ir::interface_of(kernel);
  const std::set<std::string> extents = extent_names(interface);
  Reasons reasons;
  if (kernel.hand_written) reasons.add("its shader was written by hand, and cannot be changed");
  if (!kernel.arrivals.empty()) {
    reasons.add("its workgroups wait for each other, so their number cannot depend on the device");
  }
  if (kernel.arguments_in_buffer) reasons.add("it already has sizes from a buffer");
  if (!kernel.specialised.empty()) {
    reasons.add("it has specialisation constants; specialise the kernel of the plan instead");
  }
  if (names.empty()) reasons.add("no size is named");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      reasons.add(fmt::format("{} is named twice", names[i]));
    }
    check_name(kernel, extents, names[i], maxima, reasons);
  }
  std::set<std::string> takes = extents;
  for (const PushConstant& constant : interface.push_constants) {
    if (!is_set_by_runtime(constant)) takes.insert(constant.name);
  }
  for (const auto& [name, value] : maxima) {
    if (!takes.contains(name)) reasons.add(fmt::format("'{}' is not an argument of it", name));
  }
  if (!reasons.empty()) throw ArgumentError(reasons.text(subject_of(kernel)));
  const auto attempt = [&](const auto& body) {
    try {
      body();
    } catch (const ArgumentError& error) {
      reasons.add(error.what());
    }
  };
  Arguments all = maxima;
  attempt([&] { all = with_compact_strides(interface, maxima); });
  if (reasons.empty()) reasons.add_all(wrong_names(interface, all).reasons());
  if (reasons.empty()) {
    attempt([&] { group_count(interface, all); });
    for (const Binding& binding : interface.bindings) {
      attempt([&] { element_count(binding, all); });
    }
  }
  if (!reasons.empty()) throw ArgumentError(reasons.text(subject_of(kernel)));
  return all;
}

// --- the step that checks ---

// The number of groups as GridDimension defines it.
Expr groups_of(const GridDimension& dimension, const Values& values) {
  const Extent& extent = dimension.extent;
  const auto factor = [&](const std::string& name) -> Expr {
    return name.empty() ? Expr(1) : values.at(name);
  };
  const Expr whole = extent.is_symbol() ? factor(extent.symbol) * factor(extent.times)
                                        : Expr(static_cast<std::uint32_t>(extent.value));
  // An extent is below 2^32, and in a larger tile as it is in one of that size.
  constexpr std::int64_t kMaxTile = 0xffffffff;
  const Expr tiles =
      ir::ceil_div(ir::ceil_div(whole, extent.per), std::min(dimension.tile, kMaxTile));
  if (dimension.max_groups == 0) return tiles;
  return minimum(tiles, Expr(static_cast<std::uint32_t>(std::min(dimension.max_groups, kMaxTile))));
}

ir::Array array_of(const char* name, std::size_t elements, Access access) {
  ir::Array array;
  array.name = name;
  array.type = ScalarType::u32;
  array.access = access;
  array.axes = {{"i", Extent(elements), 1}};
  return array;
}

ir::Element element_of(const char* array, std::size_t index) {
  return {array, {Expr(static_cast<std::uint32_t>(index))}, fmt::format("{}[{}]", array, index)};
}

ir::Store store(const char* array, std::size_t index, const Expr& value) {
  return {element_of(array, index), convert(value, ScalarType::u32)};
}

// Why a size is refused: conditions that must hold, each with the first named size in it.
std::vector<std::pair<std::size_t, Expr>> conditions_of(const ir::Kernel& kernel,
                                                        const SizeNames& names,
                                                        const Values& values,
                                                        const Arguments& maxima) {
  std::vector<std::pair<std::size_t, Expr>> conditions;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto max = static_cast<std::uint32_t>(std::get<std::int64_t>(maxima.at(names[i]).value));
    conditions.emplace_back(i, logical_not(ir::less(max, values.at(names[i]))));
  }
  for (const ir::Assume& assume : ir::assumptions_of_launch(kernel)) {
    std::size_t first = names.size();
    for (const Expr& variable : ir::variables_of(assume.condition)) {
      const auto found = std::find(names.begin(), names.end(), variable->name);
      first = std::min(first, static_cast<std::size_t>(found - names.begin()));
    }
    const Expr condition = with_values(assume.condition, values);
    if (first < names.size()) {
      conditions.emplace_back(first, condition);
    } else if (ir::constant_value(condition) == 0u) {
      throw ArgumentError(fmt::format("{}: the values break the assumption '{}'",
                                      subject_of(kernel), to_string(assume)));
    }
  }
  return conditions;
}

ir::Kernel check_sizes(const ir::Kernel& kernel, const SizeNames& names, const Arguments& maxima) {
  ir::Kernel out;
  out.name = "sizes/check";
  out.why = "checks sizes of " + kernel.name + " on the device, and writes its groups";
  for (const std::string& name : names) {
    out.config.emplace_back("max_" + name, to_string(maxima.at(name)));
  }
  out.arrays = {array_of(kSizes, names.size(), Access::read), array_of(kStatus, 1, Access::write),
                array_of(kCommand, 3, Access::write),
                array_of(kChecked, names.size(), Access::write)};
  Values values;
  for (const PushConstant& argument : kernel.arguments) {
    if (contains(names, argument.name)) {
      values.insert_or_assign(
          argument.name, ir::to_index(ir::variable(argument.name, ir::element(ScalarType::u32))));
      continue;
    }
    const auto found = maxima.find(argument.name);
    if (found == maxima.end()) continue;  // set by the runtime
    const auto* whole = std::get_if<std::int64_t>(&found->second.value);
    const double number =
        std::visit([](auto value) { return static_cast<double>(value); }, found->second.value);
    values.insert_or_assign(argument.name, argument.type == ScalarType::u32 && whole != nullptr
                                               ? Expr(static_cast<std::uint32_t>(*whole))
                                               : ir::number(argument.type, number));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    out.body.emplace_back(ir::Load{names[i], element_of(kSizes, i)});
  }
  // Later conditions are about later sizes, or replaced by the first that fails.
  auto conditions = conditions_of(kernel, names, values, maxima);
  std::stable_sort(conditions.begin(), conditions.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  Expr refused = 0;
  for (const auto& [size, condition] : conditions) {
    refused = ir::select(condition, refused, Expr(static_cast<std::uint32_t>(size + 1)));
  }
  out.body.emplace_back(ir::Let{"refused", refused});
  const Expr is_good = ir::equal(ir::variable("refused"), 0);
  ir::Body stores;
  stores.emplace_back(store(kStatus, 0, ir::variable("refused")));
  for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
    const Expr groups = groups_of(kernel.grid[i], values);
    stores.emplace_back(store(kCommand, i, ir::select(is_good, groups, 0)));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    stores.emplace_back(store(kChecked, i, ir::select(is_good, values.at(names[i]), 0)));
  }
  out.body.emplace_back(
      ir::Titled{"no groups and no sizes where one is refused", std::move(stores)});
  return out;
}

}  // namespace

KernelPlan with_sizes_from_buffer(const ir::Kernel& kernel, const std::vector<std::string>& names,
                                  const Arguments& maxima) {
  const Arguments all = checked_maxima(kernel, names, maxima);
  const std::uint64_t bytes_of_sizes = names.size() * sizeof(std::uint32_t);
  KernelPlan plan;
  std::vector<std::size_t> arrays;  // of the kernel
  for (const Binding& binding : ir::interface_of(kernel).bindings) {
    arrays.push_back(plan.arrays.size());
    plan.arrays.push_back({binding.name, element_count(binding, all) * size_of(binding.type)});
  }
  const std::size_t sizes = plan.arrays.size(), status = sizes + 1, command = sizes + 2,
                    checked = sizes + 3;
  plan.arrays.push_back({kSizes, bytes_of_sizes});
  plan.arrays.push_back({kStatus, sizeof(std::uint32_t)});
  plan.scratch = {{kCommand, kCommandBytes}, {kChecked, bytes_of_sizes}};
  plan.steps.push_back({check_sizes(kernel, names, all), {}, {sizes, status, command, checked}});
  ir::Kernel main = kernel;
  main.command.clear();  // it prints the kernel without these sizes
  main.config.emplace_back("sizes_from_buffer", join(names, ","));
  main.arrays.push_back(array_of(kChecked, names.size(), Access::read));
  main.arguments_in_buffer = ir::ArgumentsInBuffer{kChecked, names};
  arrays.push_back(checked);
  plan.steps.push_back({std::move(main), all, std::move(arrays), command});
  plan.main = 1;
  return plan;
}

}  // namespace vkmoye::gen
