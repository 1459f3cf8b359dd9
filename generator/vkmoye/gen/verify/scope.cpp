// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "vkmoye/base/reasons.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/gen/ir/names.hpp"
#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/verify/declarations.hpp"
#include "vkmoye/gen/verify/divergence.hpp"
#include "vkmoye/gen/verify/undefined_arithmetic.hpp"

namespace vkmoye::gen {
namespace {

using namespace ir;

bool is_one_line(const std::string& text) {
  return text.find_first_of("\n\r\\") == std::string::npos;
}

// Takes the accesses to single elements of shared memory that bounds or guards keep inside the array.
using TakeElement = std::function<void(const Element&)>;

// Walks the statements in order with the names in scope and the guards that hold.
class ScopeChecker {
 public:
  explicit ScopeChecker(const Kernel& kernel, TakeElement take_shared_inside = {})
      : kernel_(kernel),
        take_shared_inside_(std::move(take_shared_inside)),
        guards_(guards_of_launch(kernel)) {
    if (kernel.threads == 0) complain("a workgroup of 0 threads");
    bool one_line = is_one_line(kernel.name) && is_one_line(kernel.why);
    for (const auto& [key, value] : kernel.config) {
      one_line = one_line && is_one_line(key) && is_one_line(value);
    }
    if (!one_line) complain("the kernel's name, config and reason must each stay on one line");
    for_each(kernel.body, [&](const Stmt& statement) {
      const auto* block = std::get_if<Titled>(&statement.value);
      if (block != nullptr && !block->function.empty()) functions_.insert(block->function);
    });
    for (const std::string& function : functions_) check_function_name(function);
    for (const PushConstant& argument : kernel.arguments) {
      const bool is_index = argument.type == ScalarType::u32;
      if (is_name_of_moves(argument.name)) {
        complain("'{}' cannot be the name of an argument: copies use it{}", argument.name,
                 kNamesOfMoves);
      }
      define(argument.name, variable(argument.name, is_index ? kIndex : element(argument.type)),
             Divergence::none);
    }
    for (const Array& array : kernel.arrays) {
      if (array.addressing == Addressing::descriptor) continue;
      const std::string name = address_name(array.name);
      define(name, variable(name, element(ScalarType::u64)), Divergence::none);
      if (!array.is_buffer()) complain("{} is no buffer: it has no address", array.name);
    }
    for (const Assumption& one : kernel.assumptions) {
      check_one_line(one.why);
      if (kernel.find(one.array) != nullptr) continue;
      complain("an assumption is about the array '{}', which is not declared: {}", one.array,
               one.why);
    }
    check_declarations(
        kernel, [&](const std::string& reason) { complain("{}", reason); },
        [&](const Expr& e, const std::string& where) { use(e, where); });
    walk(kernel.body, Divergence::none, {});
  }

  std::vector<std::string> reasons() && { return std::move(reasons_).take(); }

 private:
  struct Name {
    Expr value;  // has the type, bound and alignment that every use may rely on
    Divergence divergence;
  };

  template <class... Args>
  void complain(fmt::format_string<Args...> format, Args&&... args) {
    reasons_.add((function_.empty() ? "" : fmt::format("in the function {}: ", function_)) +
                 fmt::format(format, std::forward<Args>(args)...));
  }

  // Values cannot have the name of a function: see define().
  void check_function_name(const std::string& name) {
    if (const std::string reason = reason_against_name(name); !reason.empty()) {
      complain("'{}' cannot be the name of a function: {}", name, reason);
    } else if (is_name_of_moves(name)) {
      complain("'{}' cannot be the name of a function: copies use it{}", name, kNamesOfMoves);
    }
    for (const Array& array : kernel_.arrays) {
      if (name != array.name && (!array.is_buffer() || name != block_name(array.name))) continue;
      complain("'{}' is the name of a function, and of the array {}", name, array.name);
    }
  }

  void check_parameters(const Titled& call) {
    for (std::size_t i = 0; i < call.parameters; ++i) {
      const auto* let = i < call.body.size() ? std::get_if<Let>(&call.body[i].value) : nullptr;
      if (let != nullptr && let->value->type == kIndex) continue;
      complain("the function {} has {} parameters, but statement {} of its body names no index",
               call.function, call.parameters, i);
    }
  }

  void define(const std::string& name, const Expr& value, Divergence divergence) {
    if (functions_.contains(name)) {
      complain("'{}' is the name of a function, and of a value", name);
    }
    if (const std::string reason = reason_against_name(name); !reason.empty()) {
      complain("'{}' cannot be a name: {}", name, reason);
    }
    if (kernel_.find(name) != nullptr) {
      complain("'{}' is the name of an array, and of a value{}", name,
               is_name_of_builder(name) ? " that the Builder defines" : "");
    }
    if (!names_.emplace(name, Name{value, divergence}).second) {
      complain("'{}' is defined twice{}", name, who_else_defines(name));
    }
  }

  // Who else defines `name`, for names that the author did not write.
  std::string who_else_defines(const std::string& name) const {
    if (is_name_of_builder(name)) return ": the Builder has defined it";
    if (is_name_of_moves(name)) return fmt::format(": copies use it{}", kNamesOfMoves);
    for (const Array& array : kernel_.arrays) {
      for (const Axis& axis : array.axes) {
        if (!name.starts_with(fmt::format("{}_{}", array.name, axis.coordinate))) continue;
        return fmt::format(": copies use this name for the coordinate of {} along {}", array.name,
                           axis.coordinate);
      }
    }
    return "";
  }

  // Checks the names and types in `e`; returns how far its value may differ.
  Divergence use(const Expr& e, const std::string& where) {
    seen_.clear();
    if (const auto dimension = grid_dimension_of(e)) complain_of_group(*dimension, where);
    return use_node(e, where);
  }

  // Each node once, however often it is shared.
  Divergence use_node(const Expr& e, const std::string& where) {
    const auto found = seen_.find(&*e);
    if (found != seen_.end()) return found->second;
    const Divergence divergence = check_node(e, where);
    return seen_.emplace(&*e, divergence).first->second;
  }

  Divergence check_node(const Expr& e, const std::string& where) {
    if (e->op == Op::builtin) return check_builtin(*e, where);
    if (e->op == Op::variable) return use_name(e, where);
    Divergence divergence = Divergence::none;
    for (const Expr& operand : e->operands)
      divergence = std::max(divergence, use_node(operand, where));
    if (const auto error = type_error(*e)) complain("{}: {}", where, *error);
    check_group(*e, where);
    if (is_subgroup_uniform(*e, kernel_, definitions_)) {
      divergence = within_workgroup(kernel_, std::min(divergence, Divergence::between_subgroups));
    }
    for (const std::string& reason : undefined_arithmetic(*e, guards_, definitions_)) {
      complain("{} {}", where, reason);
    }
    return divergence;
  }

  // A launch may be split into pieces, each of which counts its workgroups from 0.
  void check_group(const Node& node, const std::string& where) {
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const auto dimension = grid_dimension_of(node.operands[i]);
      if (!dimension) continue;
      const bool is_sum = node.op == Op::add && node.operands[1 - i]->op == Op::variable &&
                          node.operands[1 - i]->name == kFirstGroup[*dimension];
      if (!is_sum) complain_of_group(*dimension, where);
    }
  }
  void complain_of_group(std::size_t dimension, const std::string& where) {
    // Without the argument, a launch that would have to be split is refused.
    const bool is_split =
        std::any_of(kernel_.arguments.begin(), kernel_.arguments.end(),
                    [&](const auto& one) { return one.name == kFirstGroup[dimension]; });
    if (!is_split) return;
    complain(
        "{} uses the number of a workgroup without adding {}, so it is wrong when a launch is "
        "split; use block_x(), block_y() or block_z() of the Builder",
        where, kFirstGroup[dimension]);
  }

  Divergence check_builtin(const Node& node, const std::string& where) {
    const auto require = [&](const char* what, std::uint64_t min_bound) {
      if (node.bound >= min_bound) return;
      complain("{} assumes that {} is below {}, but it may be {}", where, what, node.bound,
               min_bound - 1);
    };
    const std::uint32_t lanes = kernel_.subgroup_size;
    switch (node.builtin) {
      case Builtin::group_x:
      case Builtin::group_y:
      case Builtin::group_z: require("the workgroup", kUnbounded); return Divergence::none;
      case Builtin::thread: require("the thread", kernel_.threads); break;
      case Builtin::lane: require("the lane", lanes == 0 ? kUnbounded : lanes); break;
      case Builtin::subgroup:
        require("the subgroup", lanes == 0 ? kUnbounded : (kernel_.threads + lanes - 1) / lanes);
        return within_workgroup(kernel_, Divergence::between_subgroups);
    }
    return Divergence::within_subgroups;
  }

  Divergence use_name(const Expr& e, const std::string& where) {
    const auto found = names_.find(e->name);
    if (found == names_.end()) {
      complain("{} uses '{}', which is not defined there", where, e->name);
      return Divergence::none;
    }
    const Expr& known = found->second.value;
    if (!(known->type == e->type)) {
      complain("{} uses '{}' as {}, it is {}", where, e->name, name_of(e->type),
               name_of(known->type));
    }
    if (e->bound < known->bound || e->alignment > known->alignment) {
      complain(
          "{} assumes that '{}' is a multiple of {} below {}, but it is only known to be a "
          "multiple of {} below {}",
          where, e->name, e->alignment, e->bound, known->alignment, known->bound);
    }
    return found->second.divergence;
  }

  void check(const StatementAccess& access) {
    const Element& element = *access.element;
    const Array* array = kernel_.find(element.array);
    if (array == nullptr) {
      complain("'{}' touches the array {}, which is not declared", element.source_text,
               element.array);
      return;
    }
    const auto allow = [&](bool does, Access without, const char* verb) {
      if (!does || array->access != without) return;
      complain("'{}' {} {}, which is declared for {} only", element.source_text, verb, array->name,
               to_string(array->access));
    };
    allow(access.writes, Access::read, "writes");
    allow(access.reads, Access::write, "reads");
    if (const std::string reason = reason_against(element, *array); !reason.empty()) {
      complain("'{}' {}", element.source_text, reason);
      return;
    }
    if (array->axes.empty()) return;
    const std::vector<Axis> axes = axes_of(element, *array);
    if (!is_width(array->type, element.width) ||
        (element.width > 1 && !is_constant(axes[0].stride, 1))) {
      complain(
          "'{}' accesses {} elements of {} at once, but a vector has a power of two of elements, "
          "at most 16 bytes, along a contiguous axis",
          element.source_text, element.width, array->name);
    }
    if (array->is_registers()) {
      if (element.width != array->vector) {
        complain(
            "'{}' touches {} elements of the registers {} at once: they are {}",
            element.source_text, element.width, array->name,
            array->vector == 1 ? "single elements" : fmt::format("vectors of {}", array->vector));
      } else if (!is_multiple(element.coordinates[0], element.width, guards_)) {
        complain("'{}' touches {} elements of the registers {} at once, not from a multiple of {}",
                 element.source_text, element.width, array->name, element.width);
      }
    }
    if (array->is_buffer()) check_alignment(element, axes);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      // Shared arrays are checked exactly, address by address, in races.cpp, unless data say which element it is.
      const bool is_shared = array->is_shared();
      if (is_shared && (!take_shared_inside_ || element.width != 1)) continue;
      const bool is_inside =
          prove_in_range(element.coordinates[i], axes[i], guards_, definitions_).has_value();
      if (is_shared) {
        if (is_inside) take_shared_inside_(element);
      } else if (!is_inside) {
        complain(
            "'{}' accesses {} at a coordinate along {} that is not proved to be below {}; add a "
            "condition or a minimum",
            element.source_text, array->name, axes[i].coordinate, to_string(axes[i].extent));
      }
    }
  }

  // A vector begins at a multiple of its width: along axis 0, and by the step of every other axis.
  // Its last element is inside, by itself or because the extent is such a multiple as well.
  void check_alignment(const Element& element, const std::vector<Axis>& axes) {
    if (element.width == 1) return;
    const auto require_multiple = [&](const Expr& value, const std::string& what) {
      if (is_multiple(value, element.width, guards_)) return;
      complain(
          "'{}' touches {} elements of {} at once, but nothing says that {} is a multiple of {}",
          element.source_text, element.width, element.array, what, element.width);
    };
    const Axis& first = axes[0];
    require_multiple(element.coordinates[0], "its coordinate");
    if (!prove_in_range(element.coordinates[0] + (element.width - 1), first, guards_,
                        definitions_)) {
      require_multiple(extent_of(first), to_string(first.extent));
    }
    for (std::size_t i = 1; i < axes.size(); ++i) {
      const Axis& axis = axes[i];
      require_multiple(axis.stride, fmt::format("the step along {}, {},", axis.coordinate,
                                                text_of_stride(axis.stride)));
    }
  }

  // Whether all of the scope's invocations come to a statement, or none.
  static bool all_come(ExecutionScope scope, Divergence path) {
    if (scope == ExecutionScope::workgroup) return path == Divergence::none;
    return scope == ExecutionScope::invocation || path != Divergence::within_subgroups;
  }

  void walk(const Body& body, Divergence path, const std::vector<Definition>& inside) {
    const auto names = names_;
    const auto definitions = definitions_;
    const std::size_t guards = guards_.size();
    for (const Definition& d : inside) define(d.name, d.value, Divergence::none);
    for (const Stmt& statement : body) visit(statement, path);
    names_ = names;
    definitions_ = definitions;
    guards_.resize(guards, Expr(0));
  }

  void visit(const Stmt& statement, Divergence path) {
    const Effects effects = effects_of(statement, kernel_);
    const std::string where = place_of(effects);
    for (const std::string& reason : effects.reasons) complain("{}", reason);
    Divergence divergence = path;
    for (const Expr* e : effects.uses) divergence = std::max(divergence, use(*e, where));
    for (const Expr* e : effects.must_be_uniform) {
      if (use(*e, where) != Divergence::within_subgroups) continue;
      const bool is_broadcast = std::string_view(effects.operation) == "a subgroup operation";
      if (is_broadcast) {
        complain("the lane of {} must be the same for all lanes; use a shuffle if it differs",
                 where);
      } else {
        complain(
            "{} needs the same place, number or value in all lanes, but it may differ between "
            "lanes",
            effects.operation);
      }
    }
    for (const StatementAccess& access : effects.accesses) check(access);
    const auto* block = std::get_if<Titled>(&statement.value);
    const std::string outside = function_;
    if (block != nullptr && !block->function.empty()) {
      check_parameters(*block);
      function_ = block->function;
    }
    if (const auto* s = std::get_if<Subgroup>(&statement.value)) check_last_subgroup(*s, where);
    if (effects.all_must_arrive && !all_come(effects.scope, path)) {
      complain("some {} may not reach {}",
               effects.scope == ExecutionScope::workgroup ? "threads of the workgroup"
                                                          : "lanes of the subgroup",
               effects.scope == ExecutionScope::workgroup ? "a barrier" : where);
    }
    for (const NestedBody& inner : effects.nested) {
      const std::size_t guards = guards_.size();
      add_guards(guards_, inner);
      walk(*inner.body, inner.condition != nullptr ? divergence : path, inner.defines);
      guards_.resize(guards, Expr(0));
    }
    function_ = outside;
    for (const Definition& d : effects.defines) {
      define(d.name, d.value,
             d.is_data ? divergence_of_data(statement, kernel_, divergence) : divergence);
      if (!d.is_data) add_definition(definitions_, d.name, d.value);
    }
    for (const Expr* condition : effects.assumes) add_guards(guards_, *condition);
    if (const auto* s = std::get_if<Assume>(&statement.value)) check_one_line(s->why);
  }

  void check_one_line(const std::string& why) {
    if (is_one_line(why)) return;
    complain("the reason of an assumption must stay on one line: '{}'", why);
  }

  // The last subgroup has fewer lanes where they do not divide the threads.
  void check_last_subgroup(const Subgroup& s, const std::string& where) {
    const std::uint32_t last =
        kernel_.subgroup_size == 0 ? 0 : kernel_.threads % kernel_.subgroup_size;
    if (last == 0) return;
    const bool is_step = s.kind == Subgroup::Kind::shuffle_xor;
    if (!is_step && s.kind != Subgroup::Kind::broadcast && s.kind != Subgroup::Kind::shuffle)
      return;
    // A step stays among the first lanes, as many as the largest power of two that divides them all.
    const std::uint64_t lanes = is_step ? last & (~last + 1) : last;
    if (s.lane->bound <= lanes) return;
    complain(
        "{} takes the value of a lane that the last subgroup may not have: of {} threads in "
        "subgroups of {} it has {}",
        where, kernel_.threads, kernel_.subgroup_size, last);
  }

  // How messages call a statement.
  static std::string place_of(const Effects& effects) {
    if (!effects.accesses.empty()) return "'" + effects.accesses[0].element->source_text + "'";
    if (!effects.defines.empty()) return "'" + effects.defines[0].name + "'";
    for (const NestedBody& inner : effects.nested) {
      if (!inner.defines.empty()) return "the end of loop '" + inner.defines[0].name + "'";
    }
    return effects.assumes.empty() ? "a condition" : "an assumption";
  }

  const Kernel& kernel_;
  const TakeElement take_shared_inside_;
  Reasons reasons_;
  std::set<std::string> functions_;  // their names
  std::string function_;             // the one that is being checked; empty outside all
  std::unordered_map<const Node*, Divergence> seen_;
  std::map<std::string, Name> names_;
  Guards guards_;
  Definitions definitions_;
};

}  // namespace

std::vector<std::string> check_scope(const Kernel& kernel) {
  return ScopeChecker(kernel).reasons();
}

std::set<const ir::Element*> shared_elements_inside(const Kernel& kernel) {
  std::set<const Element*> inside;
  ScopeChecker(kernel, [&](const Element& element) { inside.insert(&element); });
  return inside;
}

}  // namespace vkmoye::gen
