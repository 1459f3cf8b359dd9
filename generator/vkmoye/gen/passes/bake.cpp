#include "vkmoye/gen/passes/bake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/ir/effects.hpp"

namespace vkmoye::gen {
namespace {

using ir::Body;
using ir::Expr;
using ir::Op;

// `condition` without the parts that always hold.
Expr undecided_part(const Expr& condition) {
  if (condition->op != Op::logical_and) return condition;
  const Expr &a = condition->operands[0], &b = condition->operands[1];
  if (ir::decided(a)) return undecided_part(b);
  if (ir::decided(b)) return undecided_part(a);
  return logical_and(undecided_part(a), undecided_part(b));
}

class Baker {
 public:
  explicit Baker(std::map<std::string, std::uint32_t> numbers) : numbers_(std::move(numbers)) {}

  Extent extent(const Extent& e) const {
    const auto number = [&](const std::string& symbol) -> std::optional<std::int64_t> {
      const auto found = numbers_.find(symbol);
      if (found == numbers_.end()) return std::nullopt;
      return found->second;
    };
    if (!e.is_symbol()) return e;
    const auto first = number(e.symbol), second = number(e.times);
    if (e.times.empty()) return first ? Extent(*first) : e;
    return first && second ? Extent(*first * *second) : e;
  }

  Expr expr(const Expr& e) {
    if (const auto found = done_.find(&*e); found != done_.end()) return found->second;
    Expr result = e;
    if (e->op == Op::variable) {
      const auto number = numbers_.find(e->name);
      if (number != numbers_.end()) result = number->second;
    } else if (!e->operands.empty()) {
      std::vector<Expr> operands;
      for (const Expr& operand : e->operands) operands.push_back(expr(operand));
      result = with_operands(e, operands);
    }
    done_.emplace(&*e, result);
    held_.push_back(e);
    return result;
  }

  Body body(const Body& statements) {
    Body out;
    for (const ir::Stmt& statement : statements) {
      const auto* branch = std::get_if<ir::If>(&statement.value);
      if (branch != nullptr) {
        add(out, *branch);
      } else {
        out.push_back(rewritten(
            statement, [&](const Expr& e) { return expr(e); },
            [&](const Body& inner) { return body(inner); }));
      }
    }
    return out;
  }

 private:
  void add(Body& out, const ir::If& s) {
    const Expr condition = expr(s.condition);
    const auto known = ir::decided(condition);
    if (!known) {
      out.emplace_back(ir::If{undecided_part(condition), body(s.body), body(s.otherwise)});
      return;
    }
    Body taken = body(*known != 0 ? s.body : s.otherwise);
    // The names of the branch stay its own.
    if (!taken.empty()) out.emplace_back(ir::Block{"", std::move(taken)});
  }

  std::map<std::string, std::uint32_t> numbers_;
  std::unordered_map<const ir::Node*, Expr> done_;
  std::vector<Expr> held_;  // keeps the nodes of `done_` alive, so that no address comes twice
};

std::map<std::string, std::uint32_t> numbers_of(const ir::Kernel& kernel, const Arguments& sizes) {
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::string> reasons;
  for (const auto& [name, argument] : sizes) {
    const PushConstant wanted(name);
    const bool known = std::find(kernel.arguments.begin(), kernel.arguments.end(), wanted) !=
                       kernel.arguments.end();
    const auto* value = std::get_if<std::int64_t>(&argument.value);
    if (!known) {
      reasons.push_back(fmt::format("'{}' is no size that it takes", name));
    } else if (value == nullptr || *value < 0 || *value > 0xffffffff) {
      reasons.push_back(fmt::format("{} = {} is outside 0..2^32-1", name, to_string(argument)));
    } else {
      numbers[name] = static_cast<std::uint32_t>(*value);
    }
  }
  if (!reasons.empty()) {
    throw ArgumentError(fmt::format("bake {}: {}", kernel.name, join(reasons, "; ")));
  }
  return numbers;
}

}  // namespace

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
  out.body = baker.body(kernel.body);
  return out;
}

}  // namespace vkmoye::gen
