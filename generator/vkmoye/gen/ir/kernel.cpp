// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "vkmoye/gen/ir/ceil_div.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen::ir {
Expr expression(const Extent& extent) {
  if (!extent.is_symbol()) return static_cast<std::uint32_t>(extent.value);
  const Expr first = variable(extent.symbol);
  return ceil_div(extent.times.empty() ? first : first * variable(extent.times), extent.per);
}

// Not (whole + size - 1) / size, which can wrap.
Expr ceil_div(const Expr& whole, std::int64_t size) {
  if (size == 1) return whole;
  const auto part = static_cast<std::uint32_t>(size);
  return whole / part + minimum(whole % part, 1);
}

Expr stride_from(const Extent& extent) {
  const auto step = static_cast<std::uint64_t>(extent.value);
  if (extent.is_symbol() || step < kUnbounded) return expression(extent);
  Node node;
  node.value = step;
  node.bound = step + 1;
  node.alignment =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(step & (~step + 1), 1u << 31));
  return Expr(std::make_shared<const Node>(std::move(node)));
}

Expr next_stride(const Expr& step, const Extent& extent) {
  if (!is_constant(step) || extent.is_symbol()) return step * expression(extent);
  return stride_from(static_cast<std::int64_t>(step->value) * extent.value);
}

std::optional<Expr> compact_size(const std::vector<Axis>& axes) {
  Expr size = 1;
  for (const Axis& axis : axes) {
    if (!same(axis.stride, size)) return std::nullopt;
    size = next_stride(size, axis.extent);
  }
  return size;
}

bool needs_long_offsets(const Array& array) {
  std::uint64_t room = kUnbounded;
  for (const Axis& axis : array.axes) {
    if (axis.extent.is_symbol() || !is_constant(axis.stride)) return true;
    const std::uint64_t steps =
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, axis.extent.value)) - 1;
    const std::uint64_t step = axis.stride->value;
    if (step > 0 && steps > (room - 1) / step) return true;
    room -= steps * step;
  }
  return false;
}

std::optional<Extent> extent_from(const Expr& e) {
  const auto is_name = [](const Expr& x) { return x->op == Op::variable; };
  if (is_constant(e)) return Extent(e->value);
  if (is_name(e)) return Extent(e->name);
  const bool is_product =
      e->op == Op::multiply && is_name(e->operands[0]) && is_name(e->operands[1]);
  if (is_product) return Extent(e->operands[0]->name, e->operands[1]->name);
  const auto parts = ceil_div_from(e);
  const auto counted = parts ? extent_from(parts->whole) : std::nullopt;
  if (!counted || counted->per != 1) return std::nullopt;
  return Extent::parts(*counted, parts->size);
}

std::int64_t Array::size() const {
  std::int64_t size = 1;
  for (const Axis& axis : axes) size *= axis.extent.value;
  return size;
}

namespace {

bool is_place(const Element& element, const Array& array) {
  return element.axes.empty() && element.coordinates.size() == 1 && array.axes.size() > 1;
}

}  // namespace

std::vector<Axis> axes_of(const Element& element, const Array& array) {
  if (!element.axes.empty()) return element.axes;
  if (!is_place(element, array)) return array.axes;
  const auto size = compact_size(array.axes);
  const auto extent = size ? extent_from(*size) : std::nullopt;
  return {{"place", extent.value_or(Extent(0)), 1}};
}

std::optional<std::int64_t> compact_elements(const std::vector<Axis>& axes) {
  std::vector<std::pair<std::int64_t, std::int64_t>> by_stride;  // and extent
  for (const Axis& axis : axes) {
    const auto stride = constant_value(axis.stride);
    if (!stride || axis.extent.is_symbol()) return std::nullopt;
    if (axis.extent.value != 1) by_stride.emplace_back(*stride, axis.extent.value);
  }
  std::sort(by_stride.begin(), by_stride.end());
  std::int64_t elements = 1;
  for (const auto& [stride, extent] : by_stride) {
    if (stride != elements) return std::nullopt;
    elements *= extent;
  }
  return elements;
}

bool is_same(const std::vector<Axis>& a, const std::vector<Axis>& b) {
  return std::ranges::equal(a, b, [](const Axis& one, const Axis& other) {
    return one.extent == other.extent && same(one.stride, other.stride);
  });
}

Type type_of(const Element& e, const Array& array) {
  if (!e.as_words) return element(array.type, e.width);
  return element(
      ScalarType::u32,
      std::max<std::uint32_t>(1, e.width * static_cast<std::uint32_t>(size_of(array.type)) / 4));
}

Type type_of(const Subgroup& s) {
  switch (s.kind) {
    case Subgroup::Kind::ballot: return element(ScalarType::u32, 4);
    case Subgroup::Kind::elect: return kBoolean;
    default: return s.value->type;
  }
}

std::string reason_against(const Element& e, const Array& array) {
  const std::size_t axes = e.axes.empty() ? array.axes.size() : e.axes.size();
  if (e.coordinates.size() != axes && !is_place(e, array)) {
    return fmt::format("gives {} coordinates to {}, which has {} axes", e.coordinates.size(),
                       array.name, axes);
  }
  if (!e.axes.empty()) {
    const auto elements = compact_elements(e.axes);
    if (!elements || elements != compact_elements(array.axes))
      return fmt::format("sees {} with axes of other elements than it has", array.name);
  }
  if (is_place(e, array)) {
    const auto size = compact_size(array.axes);
    if (!size || !extent_from(*size) || array.addressing == Addressing::pointer) {
      return fmt::format(
          "touches a place of {}: that takes a compact array, with at most two "
          "arguments among its extents",
          array.name);
    }
  }
  const std::size_t bytes = e.width * size_of(array.type);
  if (e.as_words && (!array.is_buffer() || bytes % 4 != 0)) {
    return fmt::format("touches {} elements of {} as words: a word is 4 bytes of a buffer", e.width,
                       array.name);
  }
  return "";
}

const Array* Kernel::find(const std::string& wanted) const {
  for (const Array& array : arrays) {
    if (array.name == wanted) return &array;
  }
  return nullptr;
}

bool Kernel::is_distinct(const std::string& array) const {
  return std::any_of(assumptions.begin(), assumptions.end(), [&](const Assumption& one) {
    return one.array == array && one.kind != Assumption::Kind::order;
  });
}

namespace {

// The widths of the accesses to `array` that are, or are not, `as_words`.
std::vector<std::uint32_t> access_widths(const Kernel& kernel, const std::string& array,
                                         bool as_words) {
  std::set<std::uint32_t> widths;
  const Array* found = kernel.find(array);
  if (found == nullptr) return {};
  for_each(kernel.body, [&](const Stmt& statement) {
    for (const StatementAccess& access : effects_of(statement, kernel).accesses) {
      if (access.element->array != array || access.element->as_words != as_words) continue;
      widths.insert(type_of(*access.element, *found).width);
    }
  });
  return {widths.begin(), widths.end()};
}

}  // namespace

bool Kernel::is_in_buffer(const std::string& argument) const {
  if (!arguments_in_buffer) return false;
  const std::vector<std::string>& names = arguments_in_buffer->names;
  return std::find(names.begin(), names.end(), argument) != names.end();
}

bool Kernel::is_specialised(const std::string& argument) const {
  return std::find(specialised.begin(), specialised.end(), argument) != specialised.end();
}

std::vector<std::uint32_t> Kernel::widths_of(const std::string& array) const {
  return access_widths(*this, array, /*as_words=*/false);
}

std::vector<std::uint32_t> Kernel::word_widths_of(const std::string& array) const {
  return access_widths(*this, array, /*as_words=*/true);
}

Expr within_grid(const Expr& index, const std::array<GridDimension, 3>& grid) {
  constexpr Builtin kGroups[] = {Builtin::group_x, Builtin::group_y, Builtin::group_z};
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (grid[i].extent.is_symbol()) continue;
    if (!same(index, builtin(kGroups[i]) + variable(kFirstGroup[i]))) continue;
    const std::int64_t groups = (grid[i].extent.value + grid[i].tile - 1) / grid[i].tile;
    return bounded(index, static_cast<std::uint64_t>(groups));
  }
  return index;
}

std::uint64_t Kernel::shared_bytes() const {
  std::uint64_t bytes = 0;
  for (const Array& array : arrays) {
    if (array.is_shared()) {
      bytes += static_cast<std::uint64_t>(array.size()) * size_of(array.type);
    }
  }
  return bytes;
}

}  // namespace vkmoye::gen::ir
