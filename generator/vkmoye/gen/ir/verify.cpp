#include "vkmoye/gen/ir/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "vkmoye/gen/ir/shared_memory.hpp"

namespace vkmoye::gen::ir {
namespace {

std::string name_of(const Type& type) {
  switch (type.kind) {
    case Type::Kind::index: return "index";
    case Type::Kind::boolean: return "boolean";
    case Type::Kind::element: return std::string(to_string(type.element));
  }
  return "?";
}

// Walks the statements in order with the names in scope and the guards that hold.
class ScopeChecker {
 public:
  explicit ScopeChecker(const Kernel& kernel) : kernel_(kernel) {
    for (const std::string& argument : kernel.arguments) define(argument, kIndex, false);
    for (const Array& array : kernel.arrays) {
      if (std::count_if(kernel.arrays.begin(), kernel.arrays.end(),
                        [&](const Array& other) { return other.name == array.name; }) > 1) {
        complain("array {} is declared more than once", array.name);
      }
      for (const Axis& axis : array.axes) {
        if (axis.extent.is_symbol()) use(variable(axis.extent.symbol), "extent of " + array.name);
        use(axis.stride, "stride of " + array.name);
      }
    }
    walk(kernel.body, /*divergent=*/false);
  }

  std::vector<std::string> reasons;

 private:
  struct Name {
    Type type;
    bool divergent;  // may differ between the threads of a workgroup
  };

  template <class... Args>
  void complain(fmt::format_string<Args...> format, Args&&... args) {
    std::string reason = fmt::format(format, std::forward<Args>(args)...);
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(std::move(reason));
    }
  }

  void define(const std::string& name, Type type, bool divergent) {
    if (!names_.emplace(name, Name{type, divergent}).second) {
      complain("'{}' is defined twice", name);
    }
  }

  // Checks the names and types in `e`; says whether its value may differ between threads.
  bool use(const Expr& e, const std::string& where) {
    if (e->op == Op::builtin) return e->builtin == Builtin::thread;
    if (e->op == Op::variable) {
      const auto found = names_.find(e->name);
      if (found == names_.end()) {
        complain("{} uses '{}', which is not defined there", where, e->name);
        return false;
      }
      if (!(found->second.type == e->type)) {
        complain("{} uses '{}' as {}, it is {}", where, e->name, name_of(e->type),
                 name_of(found->second.type));
      }
      return found->second.divergent;
    }
    bool divergent = false;
    for (const Expr& operand : e->operands) {
      const Type wanted = e->op == Op::logical_and ? kBoolean : kIndex;
      if (!(operand->type == wanted)) {
        complain("{} has an operand of type {} where {} is needed", where, name_of(operand->type),
                 name_of(wanted));
      }
      divergent = use(operand, where) || divergent;
    }
    return divergent;
  }

  const Array* check(const Element& element, bool writes) {
    const Array* array = kernel_.find(element.array);
    if (array == nullptr) {
      complain("'{}' touches the array {}, which is not declared", element.partition,
               element.array);
      return nullptr;
    }
    if (array->access == (writes ? Access::read : Access::write)) {
      complain("'{}' {} {}, which is declared for {} only", element.partition,
               writes ? "writes" : "reads", array->name, to_string(array->access));
    }
    if (element.coordinates.size() != array->axes.size()) {
      complain("'{}' gives {} coordinates to {}, which has {} axes", element.partition,
               element.coordinates.size(), array->name, array->axes.size());
      return array;
    }
    for (std::size_t i = 0; i < array->axes.size(); ++i) {
      use(element.coordinates[i], element.partition);
      // Shared arrays are checked exactly, address by address, in shared_memory.cpp.
      if (array->space == Array::Space::buffer &&
          !in_range(element.coordinates[i], array->axes[i])) {
        complain("'{}' touches {} at a coordinate along {} that nothing keeps below {}",
                 element.partition, array->name, array->axes[i].coordinate,
                 to_string(array->axes[i].extent));
      }
    }
    return array;
  }

  bool in_range(const Expr& coordinate, const Axis& axis) const {
    if (!axis.extent.is_symbol() &&
        coordinate->bound <= static_cast<std::uint64_t>(axis.extent.value)) {
      return true;
    }
    const Expr limit = axis.extent.is_symbol()
                           ? variable(axis.extent.symbol)
                           : Expr(static_cast<std::uint32_t>(axis.extent.value));
    return std::any_of(guards_.begin(), guards_.end(), [&](const Expr& guard) {
      return same(guard->operands[0], coordinate) && same(guard->operands[1], limit);
    });
  }

  void push_guards(const Expr& condition) {
    if (condition->op == Op::less) guards_.push_back(condition);
    if (condition->op == Op::logical_and) {
      push_guards(condition->operands[0]);
      push_guards(condition->operands[1]);
    }
  }

  void walk(const Body& body, bool divergent) {
    const auto names = names_;
    const std::size_t guards = guards_.size();
    for (const Stmt& statement : body) {
      std::visit([&](const auto& s) { visit(s, divergent); }, statement.value);
    }
    names_ = names;
    guards_.resize(guards, Expr(0));
  }

  void visit(const Let& s, bool divergent) {
    const bool differs = use(s.value, "'" + s.name + "'");
    define(s.name, s.value->type, differs || divergent);
  }
  void visit(const Load& s, bool) {
    const Array* array = check(s.from, /*writes=*/false);
    define(s.name, element(array ? array->type : ScalarType::u32), true);
  }
  void visit(const Store& s, bool) {
    const Array* array = check(s.to, /*writes=*/true);
    use(s.value, s.to.partition);
    if (array && !(s.value->type == element(array->type))) {
      complain("'{}' stores {} into {}, which holds {}", s.to.partition, name_of(s.value->type),
               array->name, to_string(array->type));
    }
  }
  void visit(const If& s, bool divergent) {
    if (!(s.condition->type == kBoolean)) complain("the condition of an if is not a boolean");
    const bool differs = use(s.condition, "a condition");
    const std::size_t guards = guards_.size();
    push_guards(s.condition);
    walk(s.body, divergent || differs);
    guards_.resize(guards, Expr(0));
  }
  void visit(const For& s, bool divergent) {
    const bool differs = use(s.end, "the end of loop '" + s.variable + "'");
    const auto names = names_;
    define(s.variable, kIndex, false);
    walk(s.body, divergent || differs);
    names_ = names;
  }
  void visit(const Barrier&, bool divergent) {
    if (divergent) complain("a barrier stands where not all threads of the workgroup may come by");
  }
  void visit(const Block& s, bool divergent) { walk(s.body, divergent); }

  const Kernel& kernel_;
  std::map<std::string, Name> names_;
  std::vector<Expr> guards_;
};

}  // namespace

std::vector<std::string> verify(const Kernel& kernel) {
  std::vector<std::string> reasons = ScopeChecker(kernel).reasons;
  // Following shared memory through a kernel with undefined names would only repeat the above.
  if (reasons.empty()) reasons = check_shared_memory(kernel);
  return reasons;
}

}  // namespace vkmoye::gen::ir
