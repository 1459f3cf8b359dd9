// SPDX-License-Identifier: MIT
#include "vkmoye/gen/passes/fixed_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/round_up.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen {
namespace {

using ir::Body;
using ir::Expr;
using ir::Op;

// `condition` without the parts that always hold.
Expr unknown_part(const Expr& condition) {
  if (condition->op != Op::logical_and) return condition;
  const Expr &a = condition->operands[0], &b = condition->operands[1];
  if (ir::constant_value(a)) return unknown_part(b);
  if (ir::constant_value(b)) return unknown_part(a);
  return logical_and(unknown_part(a), unknown_part(b));
}

// Turns base + step < limit into base < limit - step, rounded up to a multiple of the alignment of base, if
// that alignment exceeds step and the result does not exceed limit.
Expr without_step(const Expr& comparison) {
  const Expr &sum = comparison->operands[0], &limit = comparison->operands[1];
  if (sum->op != Op::add || !is_constant(sum->operands[1]) || !is_constant(limit))
    return comparison;
  const std::uint64_t step = sum->operands[1]->value, alignment = sum->operands[0]->alignment;
  if (step >= alignment || limit->value <= step) return comparison;
  const std::uint64_t max_base = round_up(limit->value - step, alignment);
  return max_base > limit->value ? comparison
                                 : less(sum->operands[0], static_cast<std::uint32_t>(max_base));
}

class Baker {
 public:
  explicit Baker(std::map<std::string, std::uint32_t> numbers) : numbers_(std::move(numbers)) {}

  void set_grid(const std::array<GridDimension, 3>& grid) { grid_ = grid; }

  Extent extent(const Extent& e) const {
    const auto number = [&](const std::string& symbol) -> std::optional<std::int64_t> {
      const auto found = numbers_.find(symbol);
      if (found == numbers_.end()) return std::nullopt;
      return found->second;
    };
    if (!e.is_symbol()) return e;
    if (e.per != 1) return Extent::parts(extent(e.whole()), e.per);
    const auto first = number(e.symbol), second = number(e.times);
    if (e.times.empty()) return first ? Extent(*first) : e;
    if (!first || !second) return e;
    if (*first != 0 && *second > 0xffffffff / *first) {
      throw ArgumentError(fmt::format("bake: {} * {} elements exceed 2^32-1", *first, *second));
    }
    return *first * *second;
  }

  Expr expr(const Expr& e) {
    if (const auto found = done_.find(&*e); found != done_.end()) return found->second;
    Expr result = e;
    if (e->op == Op::variable) {
      const auto number = numbers_.find(e->name);
      const auto bound = bounds_.find(e->name);
      if (number != numbers_.end()) {
        result = number->second;
      } else if (bound != bounds_.end()) {
        result = bounded(e, bound->second);
      }
    } else if (!e->operands.empty()) {
      std::vector<Expr> operands;
      for (const Expr& operand : e->operands) operands.push_back(expr(operand));
      result = with_operands(e, operands);
      const bool of_indices = result->op == Op::less && result->operands[0]->type == ir::kIndex;
      if (of_indices) result = comparison(without_step(result));
      if (result->op == Op::logical_and && !ir::constant_value(result))
        result = unknown_part(result);
    }
    done_.emplace(&*e, result);
    held_.push_back(e);
    return result;
  }

  Body body(const Body& statements) {
    const auto numbers = numbers_;
    const auto bounds = bounds_;
    Body out;
    for (const ir::Stmt& statement : statements) {
      if (const auto* branch = std::get_if<ir::If>(&statement.value)) {
        add(out, *branch);
      } else if (const auto* let = std::get_if<ir::Let>(&statement.value)) {
        add(out, *let);
      } else if (const auto* assume = std::get_if<ir::Assume>(&statement.value)) {
        add(out, *assume);
      } else if (const auto* block = std::get_if<ir::Titled>(&statement.value);
                 block != nullptr && !block->function.empty()) {
        add(out, *block);
      } else {
        out.push_back(rewritten(
            statement, [&](const Expr& e) { return expr(e); },
            [&](const Body& inner) { return body(inner); }));
        auto* blocks = std::get_if<ir::GridLoop>(&out.back().value);
        if (blocks == nullptr) continue;
        for (GridDimension& dimension : blocks->grid) dimension.extent = extent(dimension.extent);
      }
    }
    if (numbers_ != numbers || bounds_ != bounds) {
      numbers_ = numbers;
      bounds_ = bounds;
      done_.clear();
    }
    return out;
  }

 private:
  // `e`, or true if bounds or enclosing conditions imply it.
  Expr comparison(const Expr& e) const {
    const Expr &left = e->operands[0], &right = e->operands[1];
    const bool holds = (is_constant(right) && left->bound <= right->value) ||
                       std::any_of(around_.begin(), around_.end(),
                                   [&](const Expr& known) { return ir::same(known, e); });
    return holds ? ir::less(0, 1) : e;
  }

  void add(Body& out, const ir::If& s) {
    const Expr condition = expr(s.condition);
    const auto known = ir::constant_value(condition);
    if (!known) {
      const auto outside = around_;
      ir::add_guards(around_, condition);
      done_.clear();
      Body inside = body(s.body);
      around_ = outside;
      done_.clear();
      out.emplace_back(ir::If{condition, std::move(inside), body(s.otherwise)});
      return;
    }
    Body taken = body(*known != 0 ? s.body : s.otherwise);
    // A block keeps the names of the branch in their own scope.
    const bool is_block =
        taken.size() == 1 && std::holds_alternative<ir::Titled>(taken.front().value);
    if (is_block) return out.push_back(std::move(taken.front()));
    if (!taken.empty()) out.emplace_back(ir::Titled{"", std::move(taken)});
  }

  // A function stays one for all calls: only what holds at each is used, which neither arguments nor the conditions
  // around a call do.
  void add(Body& out, const ir::Titled& call) {
    ir::Titled baked = call;
    baked.body = call.arguments();
    for (ir::Stmt& parameter : baked.body) {
      auto& value = std::get<ir::Let>(parameter.value).value;
      value = expr(value);
    }
    const auto outside = std::exchange(around_, {});
    done_.clear();
    append(baked.body, body(call.inside()));
    around_ = outside;
    done_.clear();
    out.emplace_back(std::move(baked));
  }

  // One that holds at the numbers need not be carried on.
  void add(Body& out, const ir::Assume& s) {
    const Expr condition = expr(s.condition);
    const auto known = ir::constant_value(condition);
    if (!known) out.emplace_back(ir::Assume{condition, s.why});
    if (!known || *known != 0) return;
    throw ArgumentError(fmt::format("bake: the numbers break the assumption '{}'", to_string(s)));
  }

  // A name for a constant is replaced by it, as an argument is.
  void add(Body& out, const ir::Let& s) {
    const Expr value = expr(s.value);
    const auto number = s.value->type == ir::kIndex ? ir::constant_value(value) : std::nullopt;
    if (number) {
      numbers_[s.name] = *number;
    } else {
      bounds_[s.name] = within_grid(value, grid_)->bound;
      out.emplace_back(ir::Let{s.name, value, s.exact});
    }
  }

  // The values of arguments, and of names for constants in this scope.
  std::map<std::string, std::uint32_t> numbers_;
  std::array<GridDimension, 3> grid_;
  std::map<std::string, std::uint64_t> bounds_;  // tighter bounds of names
  ir::Guards around_;                            // comparisons that hold here
  std::unordered_map<const ir::Node*, Expr> done_;
  std::vector<Expr> held_;  // keeps the nodes of `done_` alive, so that no address is reused
};

// What makes it impossible to fix the sizes `names` of `kernel`, whichever way.
Reasons reasons_against(const ir::Kernel& kernel, const std::vector<std::string>& names) {
  Reasons reasons;
  if (kernel.hand_written) {
    reasons.add("its shader was written by hand, so its arguments cannot become constants");
  }
  reasons.add_all(reasons_against_fixing(names, {&kernel}));
  return reasons;
}

std::map<std::string, std::uint32_t> numbers_of(const ir::Kernel& kernel, const Arguments& sizes) {
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::string> names;
  for (const auto& [name, argument] : sizes) names.push_back(name);
  Reasons reasons = reasons_against(kernel, names);
  for (const auto& [name, argument] : sizes) {
    const auto* value = std::get_if<std::int64_t>(&argument.value);
    if (kernel.is_specialised(name)) {
      reasons.add(fmt::format(
          "{} is a specialisation constant, which gets its value when the kernel is loaded", name));
    } else if (value == nullptr || *value < 0 || *value > 0xffffffff) {
      reasons.add(fmt::format("{} = {} is outside 0..2^32-1", name, to_string(argument)));
    } else {
      numbers[name] = static_cast<std::uint32_t>(*value);
    }
  }
  if (!reasons.empty()) throw ArgumentError(reasons.text("bake " + kernel.name));
  return numbers;
}

}  // namespace

std::vector<std::string> fixable_sizes(const ir::Kernel& kernel) {
  std::vector<std::string> names;
  for (const PushConstant& argument : kernel.arguments) {
    const bool is_size = argument.type == ScalarType::u32 && !is_first_group(argument.name);
    if (is_size && !kernel.is_in_buffer(argument.name)) names.push_back(argument.name);
  }
  return names;
}

std::vector<std::string> reasons_against_fixing(const std::vector<std::string>& names,
                                                const std::vector<const ir::Kernel*>& kernels) {
  std::vector<std::string> known;
  for (const ir::Kernel* kernel : kernels) {
    for (const std::string& name : fixable_sizes(*kernel)) {
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  }
  Reasons reasons;
  for (const std::string& name : names) {
    if (std::count(names.begin(), names.end(), name) > 1) {
      reasons.add(fmt::format("{} is named twice", name));
    }
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const bool is_in_buffer =
        std::any_of(kernels.begin(), kernels.end(),
                    [&](const ir::Kernel* kernel) { return kernel->is_in_buffer(name); });
    reasons.add(
        is_in_buffer
            ? fmt::format("{} is read from a buffer, so it is not a constant", name)
            : fmt::format("'{}' is not a size of the kernel ({})", name,
                          known.empty() ? "it has none that is an argument" : join(known, ", ")));
  }
  return std::move(reasons).take();
}

ir::Kernel bake(const ir::Kernel& kernel, const Arguments& sizes) {
  const auto numbers = numbers_of(kernel, sizes);
  Baker baker(numbers);
  ir::Kernel out = kernel;
  for (const auto& [name, value] : numbers) {
    out.config.emplace_back(name, std::to_string(value));
    std::erase(out.arguments, PushConstant(name));
  }
  for (ir::Array& array : out.arrays) {
    for (ir::Axis& axis : array.axes) {
      axis.extent = baker.extent(axis.extent);
      axis.stride = baker.expr(axis.stride);
    }
  }
  for (GridDimension& dimension : out.grid) dimension.extent = baker.extent(dimension.extent);
  baker.set_grid(out.grid);
  out.body = baker.body(kernel.body);
  return out;
}

ir::Kernel with_specialised_sizes(const ir::Kernel& kernel, const std::vector<std::string>& names) {
  Reasons reasons = reasons_against(kernel, names);
  if (!kernel.specialised.empty()) reasons.add("it already has specialisation constants");
  if (names.empty()) reasons.add("no size is named");
  if (!reasons.empty()) throw ArgumentError(reasons.text("specialise " + kernel.name));
  ir::Kernel out = kernel;
  out.config.emplace_back("specialised", join(names, ","));
  if (!out.command.empty()) out.command += " --specialise " + join(names, ",");
  out.specialised = names;
  return out;
}

}  // namespace vkmoye::gen
