// SPDX-License-Identifier: MIT
#include "measure/shortest_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::bench {
namespace {

using Unit = CeilingOf::Unit;

void add_once(std::vector<CeilingOf>& all, const CeilingOf& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

std::optional<ScalarType> type_of_array(const gen::ir::Kernel& kernel, const std::string& name) {
  for (const gen::ir::Array& array : kernel.arrays) {
    if (array.name == name) return array.type;
  }
  return std::nullopt;
}

std::vector<CeilingOf> matrix_units_of(const gen::ir::Kernel& kernel) {
  std::vector<CeilingOf> all;
  gen::ir::for_each(kernel.body, [&](const gen::ir::Stmt& statement) {
    const auto* product = std::get_if<gen::ir::MatrixMultiply>(&statement.value);
    if (product == nullptr) return;
    add_once(all, {Unit::matrix, type_of_array(kernel, product->a.array),
                   type_of_array(kernel, product->to.array)});
  });
  return all;
}

// The types of the elements that operations of `ops` give.
std::vector<CeilingOf> operations_of(const gen::ir::Kernel& kernel,
                                     const std::vector<gen::ir::Op>& ops) {
  std::vector<CeilingOf> all;
  gen::ir::for_each_node(kernel, [&](const gen::ir::Node& node) {
    if (!node.type.is_element() || std::find(ops.begin(), ops.end(), node.op) == ops.end()) return;
    add_once(all, {Unit::multiply_add, node.type.element});
  });
  return all;
}

}  // namespace

const UnitTime* ShortestTime::limit() const {
  const auto longest = std::max_element(
      units.begin(), units.end(),
      [](const UnitTime& a, const UnitTime& b) { return a.microseconds < b.microseconds; });
  return longest == units.end() ? nullptr : &*longest;
}

std::vector<CeilingOf> arithmetic_of(const gen::ir::Kernel& kernel) {
  using gen::ir::Op;
  if (kernel.hand_written || !operations_of(kernel, {Op::dot4}).empty()) return {};
  std::vector<CeilingOf> all = matrix_units_of(kernel);
  if (all.empty()) all = operations_of(kernel, {Op::multiply_add});
  if (all.empty()) all = operations_of(kernel, {Op::add, Op::subtract, Op::multiply});
  return all;
}

ShortestTime shortest_time(const gen::ir::Kernel& kernel, double bytes, double flops,
                           const std::vector<Ceiling>& ceilings) {
  ShortestTime out;
  const auto of_bytes = [&](Unit unit) -> std::optional<UnitTime> {
    const Ceiling* ceiling = ceiling_in(ceilings, {unit});
    if (ceiling == nullptr || bytes == 0) return std::nullopt;
    return UnitTime{{unit}, ceiling->median, bytes / (ceiling->median * 1e3)};
  };
  if (const auto copy = of_bytes(Unit::copy)) out.units.push_back(*copy);
  out.in_l2 = of_bytes(Unit::l2);
  if (flops == 0) return out;

  const std::vector<CeilingOf> kinds = arithmetic_of(kernel);
  std::optional<UnitTime> fastest;
  std::vector<std::string> unknown;
  for (const CeilingOf& kind : kinds) {
    const Ceiling* ceiling = ceiling_in(ceilings, kind);
    if (ceiling == nullptr) {
      unknown.push_back(name_of(kind));
    } else if (!fastest || ceiling->median > fastest->rate) {
      fastest = UnitTime{kind, ceiling->median, flops / (ceiling->median * 1e6)};
    }
  }
  if (!unknown.empty()) {
    out.not_counted = fmt::format("arithmetic is not counted: no ceiling of {} was measured",
                                  join(unknown, ", "));
  } else if (fastest) {
    out.units.push_back(*fastest);
  } else {
    out.not_counted = "arithmetic is not counted: which units the kernel uses is not known";
  }
  return out;
}

}  // namespace vkmoye::bench
