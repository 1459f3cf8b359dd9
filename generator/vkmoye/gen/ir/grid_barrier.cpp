// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/grid_barrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vkmoye/base/reasons.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen::ir {
namespace {

template <class Kind>
bool is_a(const Stmt& statement) {
  return std::holds_alternative<Kind>(statement.value);
}

// The statements between grid barriers.
std::vector<Body> parts_of(const Body& body) {
  std::vector<Body> parts(1);
  for (const Stmt& statement : body) {
    if (is_a<GridBarrier>(statement)) {
      parts.emplace_back();
    } else {
      parts.back().push_back(statement);
    }
  }
  return parts;
}

// How a phase uses an array.
struct Use {
  bool reads = false, writes = false;
};
std::map<std::string, Use> uses_of(const Body& body, const Kernel& kernel) {
  std::map<std::string, Use> uses;
  for_each(body, [&](const Stmt& statement) {
    for (const StatementAccess& access : effects_of(statement, kernel).accesses) {
      Use& use = uses[access.element->array];
      use.reads = use.reads || access.reads;
      use.writes = use.writes || access.writes;
    }
  });
  return uses;
}

// The blocks as workgroups of a launch: their coordinates are named as the Builder names them.
Body as_launch(const GridLoop& blocks) {
  constexpr Builtin kGroup[] = {Builtin::group_x, Builtin::group_y, Builtin::group_z};
  Body body;
  for (std::size_t i = 0; i < blocks.variables.size(); ++i) {
    body.emplace_back(Let{blocks.variables[i], builtin(kGroup[i]) + variable(kFirstGroup[i])});
  }
  append(body, blocks.body);
  return body;
}

// Whether the value of `e` follows from the variables `known`.
bool follows_from(const std::set<std::string>& known, const Expr& e) {
  const std::vector<Expr> variables = variables_of(e);
  return std::all_of(variables.begin(), variables.end(), [&](const Expr& one) {
    return one->op == Op::builtin || known.contains(one->name);
  });
}

// Of which the number of a block, plus the workgroups of a launch, is a u32.
constexpr double kMostBlocks = 0x7fffffff;

// The blocks of a grid of known size; 0 if the size depends on arguments.
double known_blocks(const GridLoop& blocks) {
  double count = 1;
  for (const GridDimension& dimension : blocks.grid) {
    if (dimension.extent.is_symbol()) return 0;
    count *= std::ceil(static_cast<double>(dimension.extent.value) /
                       static_cast<double>(dimension.tile));
  }
  return count;
}

// Arrays that accesses of one phase see with different axes, some of which are no axes of the array: proofs compare
// coordinates along the same axes.
std::set<std::string> seen_differently(const Body& phase, const Kernel& kernel) {
  std::map<std::string, std::vector<Axis>> axes;
  std::set<std::string> arrays, have_own;
  for_each(phase, [&](const Stmt& statement) {
    for (const StatementAccess& access : effects_of(statement, kernel).accesses) {
      const Element& element = *access.element;
      const Array* array = kernel.find(element.array);
      if (array == nullptr || !array->is_buffer()) continue;
      if (!element.axes.empty()) have_own.insert(array->name);
      const std::vector<Axis> seen = axes_of(element, *array);
      const auto [known, is_new] = axes.try_emplace(array->name, seen);
      if (!is_same(known->second, seen)) arrays.insert(array->name);
    }
  });
  std::erase_if(arrays, [&](const std::string& one) { return !have_own.contains(one); });
  return arrays;
}

std::set<std::string> names_in(const Kernel& kernel) {
  std::set<std::string> names;
  const auto add = [&](const Node& node) {
    if (node.op == Op::variable) names.insert(node.name);
  };
  for_each_node(kernel, add);
  const auto add_extent = [&](const Extent& extent) {
    for (const std::string& name : extent.arguments()) names.insert(name);
  };
  for (const Array& array : kernel.arrays) {
    for (const Axis& axis : array.axes) {
      add_extent(axis.extent);
      for_each_node(axis.stride, add);
    }
  }
  for (const GridDimension& dimension : kernel.grid) add_extent(dimension.extent);
  return names;
}

}  // namespace

Array arrivals_of(const Kernel& kernel) {
  return {kernel.arrivals,        ScalarType::u32,
          Array::Space::buffer,   vkmoye::Access::read_write,
          {{"at", kArrivals, 1}}, ""};
}

bool has_phases(const Kernel& kernel) {
  return std::any_of(kernel.body.begin(), kernel.body.end(), [](const Stmt& statement) {
    return is_a<GridBarrier>(statement) || is_a<GridLoop>(statement);
  });
}

std::vector<std::string> reasons_against_phases(const Kernel& kernel) {
  Reasons reasons;
  for (const Stmt& statement : kernel.body) {
    const auto* blocks = std::get_if<GridLoop>(&statement.value);
    if (blocks == nullptr || known_blocks(*blocks) <= kMostBlocks) continue;
    reasons.add(fmt::format("a grid of {:.0f} blocks: their numbers must be below 2^31",
                            known_blocks(*blocks)));
  }
  for (const Stmt& statement : kernel.body) {
    for (const Body* inner : bodies_of(statement)) {
      for_each(*inner, [&](const Stmt& nested) {
        if (is_a<GridBarrier>(nested))
          reasons.add(
              "a grid barrier is inside another statement, so some workgroups may not reach it");
        if (is_a<GridLoop>(nested)) reasons.add("blocks of a grid are inside another statement");
      });
    }
  }
  std::size_t number = 0;
  for (const Body& part : parts_of(kernel.body)) {
    ++number;
    for (const std::string& array : seen_differently(part, kernel)) {
      reasons.add(fmt::format(
          "phase {} sees {} with different axes, some of which are not those of the array", number,
          array));
    }
    const auto blocks = std::count_if(part.begin(), part.end(), is_a<GridLoop>);
    if (blocks == 0) continue;
    Body others;
    for (const Stmt& statement : part) {
      if (!is_a<GridLoop>(statement)) others.push_back(statement);
    }
    const bool is_alone = uses_of(others, kernel).empty();
    if (blocks == 1 && is_alone) continue;
    reasons.add(
        fmt::format("phase {} has {} grids of blocks{}; a grid barrier must be between them",
                    number, blocks, is_alone ? "" : ", and other statements that access arrays"));
  }
  const auto is_one = [](const GridDimension& dimension) {
    return dimension.extent == Extent(1) && dimension.tile == 1 && dimension.max_groups == 0;
  };
  const auto& [x, y, z] = kernel.grid;
  if (x.extent.is_symbol() || x.extent.value < 1 || x.tile != 1 || x.max_groups != 0 ||
      !is_one(y) || !is_one(z)) {
    reasons.add(
        "the workgroups of its launch are not a fixed number along x alone: only blocks have a "
        "grid");
  }
  const std::map<std::string, Use> uses = uses_of(kernel.body, kernel);
  const Array* arrivals = kernel.find(kernel.arrivals);
  if (arrivals == nullptr || !arrivals->is_buffer() || arrivals->type != ScalarType::u32 ||
      arrivals->axes.size() != 1 || arrivals->axes[0].extent != Extent(kArrivals)) {
    reasons.add(
        fmt::format("grid barriers need a buffer of {} elements of u32 for arrivals", kArrivals));
  } else if (uses.contains(kernel.arrivals)) {
    reasons.add(fmt::format("a statement accesses {}, with which workgroups wait for each other",
                            kernel.arrivals));
  }
  for (const Array& array : kernel.arrays) {
    const auto found = uses.find(array.name);
    const bool is_result =
        array.is_buffer() && array.access == vkmoye::Access::write && !array.is_scratch;
    if (!is_result || (found != uses.end() && found->second.writes)) continue;
    reasons.add(
        fmt::format("nothing writes {}: every element of a result must be written", array.name));
  }
  return std::move(reasons).take();
}

std::vector<Kernel> phases_of(const Kernel& kernel) {
  std::vector<Kernel> phases;
  std::set<std::string> written;  // in earlier phases
  Body names;                   // of values that follow from arguments, which later phases can use
  std::set<std::string> known;  // these, and the arguments
  for (const PushConstant& argument : kernel.arguments) known.insert(argument.name);
  const std::vector<Body> parts = parts_of(kernel.body);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Kernel phase = kernel;
    phase.name = fmt::format("{}, phase {} of {}", kernel.name, i + 1, parts.size());
    phase.arrivals.clear();
    phase.verified = nullptr;
    phase.body = names;
    for (const Stmt& statement : parts[i]) {
      if (const auto* blocks = std::get_if<GridLoop>(&statement.value)) {
        phase.grid = blocks->grid;
        append(phase.body, as_launch(*blocks));
        for (const char* first : kFirstGroup) phase.arguments.emplace_back(first);
      } else {
        phase.body.push_back(statement);
        const auto* let = std::get_if<Let>(&statement.value);
        if (let == nullptr || !follows_from(known, let->value)) continue;
        known.insert(let->name);
        names.push_back(statement);
      }
    }
    const std::map<std::string, Use> uses = uses_of(parts[i], kernel);
    std::erase_if(phase.arrays, [&](const Array& array) {
      const bool has_arguments =
          kernel.arguments_in_buffer && kernel.arguments_in_buffer->array == array.name;
      return !uses.contains(array.name) && !has_arguments;
    });
    for (Array& array : phase.arrays) {
      const auto found = uses.find(array.name);
      if (!array.is_buffer() || found == uses.end()) continue;
      const auto [reads, writes] = found->second;
      // An output, unless earlier phases wrote it, or it holds something before the launch.
      const bool is_empty = (array.access == vkmoye::Access::write || array.is_scratch) &&
                            !written.contains(array.name);
      array.is_scratch = false;
      if (array.access != vkmoye::Access::read) {
        array.access = is_empty ? vkmoye::Access::write
                       : writes ? vkmoye::Access::read_write
                                : vkmoye::Access::read;
      }
      if (writes) written.insert(array.name);
    }
    std::erase_if(phase.assumptions, [&](const Assumption& one) {
      return !phase.find(one.array) || (one.phase && *one.phase != i);
    });
    const std::set<std::string> used = names_in(phase);
    std::erase_if(phase.arguments, [&](const PushConstant& one) {
      return !used.contains(one.name) && !kernel.is_in_buffer(one.name) &&
             !kernel.is_specialised(one.name);
    });
    phases.push_back(std::move(phase));
  }
  return phases;
}

}  // namespace vkmoye::gen::ir
