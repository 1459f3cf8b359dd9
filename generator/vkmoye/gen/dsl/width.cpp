// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/width.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/ir/guards.hpp"

namespace vkmoye::gen {
namespace {

// A stand-in for the stride of an axis after the first. A step along such an axis ends a run whatever
// its stride, so this is a number beyond every tile, with the alignment that the stride is known to have.
std::int64_t stand_in(const ir::Axis& axis) {
  constexpr std::int64_t kFar = (std::int64_t{1} << 32) + 1;
  const std::int64_t known = ir::is_constant(axis.stride)
                                 ? std::min<std::int64_t>(axis.stride->alignment, kWidestCopy)
                                 : kWidestCopy;
  return known * kFar;
}

// The leaves of a view as one layout of its array's elements.
std::vector<Mode> modes_of(const ArrayView& of) {
  std::vector<Mode> modes;
  for (const Mode& leaf : of.view.axes.front().values.leaves()) modes.push_back(leaf);
  for (std::size_t i = 1; i < of.view.axes.size(); ++i) {
    const auto leaves = of.view.axes[i].values.leaves();
    for (std::size_t j = 0; j < modes.size(); ++j) {
      modes[j].stride += leaves[j].stride * stand_in(of.array->axes[i]);
    }
  }
  return modes;
}

Layout layout_of(const std::vector<Mode>& modes) {
  FlatModes flat;
  for (const Mode& mode : modes) flat.push(mode);
  return flat.layout();
}

AccessWidth width_of(const ArrayView& of, const std::vector<Mode>& values, std::vector<Mode> starts,
                     std::int64_t max_bytes) {
  const ir::Array& array = *of.array;
  const bool is_single = array.is_registers() && array.vector == 1;
  if (is_single || !ir::is_constant(array.axes[0].stride, 1)) {
    return {1, AccessWidth::Limit::run, 1};
  }
  starts.push_back({2, origin(of.view.axes[0])->alignment});
  for (std::size_t i = 1; i < of.view.axes.size(); ++i) {
    starts.push_back({2, stand_in(array.axes[i])});
  }
  return access_width(layout_of(values), layout_of(starts),
                      static_cast<std::int64_t>(size_of(array.type)), max_bytes, of.view.swizzle);
}

// The distance between the first two values that have different coordinates.
std::string distance(const ArrayView& of) {
  const View& view = of.view;
  for (std::int64_t v = 1; v < size(view.shape()); ++v) {
    std::vector<std::size_t> moved;
    for (std::size_t i = 0; i < view.axes.size(); ++i) {
      if (view.axes[i].values(v) != 0) moved.push_back(i);
    }
    if (moved.empty()) continue;
    if (moved.size() > 1) return "consecutive values differ in several coordinates";
    const std::int64_t step = view.axes[moved[0]].values(v);
    const ir::Axis& axis = of.array->axes[moved[0]];
    if (of.array->is_shared()) {
      return fmt::format("consecutive values are {} elements apart in {}", step, of.array->layout);
    }
    const auto stride = ir::extent_from(axis.stride);
    return fmt::format("consecutive values are {} apart along {}, of stride {}", step,
                       axis.coordinate, stride ? to_string(*stride) : "an expression");
  }
  return "a thread has no further consecutive elements";
}

}  // namespace

AccessWidth width_of(const ArrayView& of, std::int64_t max_bytes) {
  return width_of(of, modes_of(of), {}, max_bytes);
}

bool moves_whole(const ArrayView& of, const Vector& vector) {
  std::vector<Mode> starts = modes_of(of);
  Mode values{1, 0};
  if (vector.leaf < starts.size()) {
    Mode& leaf = starts[vector.leaf];
    values = {vector.count, leaf.stride};
    leaf = {leaf.extent / vector.count, leaf.stride * vector.count};
  }
  const auto bytes = static_cast<std::int64_t>(vector.count * size_of(of.array->type));
  return width_of(of, {values}, starts, bytes).elements == vector.count;
}

std::string why_not_wider(const ArrayView& of, std::uint32_t width) {
  if (of.array->is_registers()) return "";
  const AccessWidth proven = width_of(of);
  const auto n = static_cast<std::uint32_t>(proven.elements);
  if (n > width) return "";
  switch (proven.limit) {
    case AccessWidth::Limit::bytes: return fmt::format("{} bytes are the most", proven.number);
    case AccessWidth::Limit::run:
      return n == 1 ? distance(of)
                    : fmt::format("a thread's values make runs of {} neighbours", proven.number);
    case AccessWidth::Limit::step:
      return fmt::format("a thread's runs begin at multiples of {}, not of {}", n, 2 * n);
    case AccessWidth::Limit::start:
      return fmt::format("threads begin at multiples of {}, not of {}", n, 2 * n);
    case AccessWidth::Limit::swizzle:
      return fmt::format("the swizzle leaves {} neighbours together", n);
  }
  return "";
}

Conditions fits(const ArrayView& of, const Vector& vector, Edges edges) {
  if (!of.array->is_buffer() || vector.count == 1) return {};
  Conditions conditions;
  const auto require_multiple = [&](const Expr& number) {
    if (!ir::is_multiple(number, vector.count, conditions)) {
      conditions.push_back(ir::equal(number % vector.count, 0));
    }
  };
  const bool at_once = moves_whole(of, vector);
  for (std::size_t i = 0; i < of.view.axes.size(); ++i) {
    const bool moves = of.view.axes[i].values.leaves()[vector.leaf].stride != 0;
    if (moves && edges != Edges::inside) require_multiple(end_of(of, i));
    if (i > 0 && at_once) require_multiple(of.array->axes[i].stride);
  }
  return conditions;
}

}  // namespace vkmoye::gen
