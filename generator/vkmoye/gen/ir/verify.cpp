#include "vkmoye/gen/ir/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/gen/ir/names.hpp"
#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/gen/ir/shared_memory.hpp"

namespace vkmoye::gen::ir {
namespace {

// Walks the statements in order with the names in scope and the guards that hold.
class ScopeChecker {
 public:
  explicit ScopeChecker(const Kernel& kernel) : kernel_(kernel) {
    if (kernel.threads == 0) complain("a workgroup of 0 threads");
    const auto is_one_line = [](const std::string& text) {
      return text.find_first_of("\n\r\\") == std::string::npos;
    };
    bool one_line = is_one_line(kernel.name) && is_one_line(kernel.why);
    for (const auto& [key, value] : kernel.config) {
      one_line = one_line && is_one_line(key) && is_one_line(value);
    }
    if (!one_line) complain("the kernel's name, config and reason must each stay on one line");
    for (const PushConstant& argument : kernel.arguments) {
      const bool is_index = argument.type == ScalarType::u32;
      define(argument.name, variable(argument.name, is_index ? kIndex : element(argument.type)),
             false);
    }
    for (const GridDimension& dimension : kernel.grid) {
      if (dimension.tile < 1) complain("the grid has tiles of {}", dimension.tile);
      check_extent(dimension.extent, "the grid");
    }
    for (const Array& array : kernel.arrays) check_array(array);
    walk(kernel.body, /*divergent=*/false);
  }

  std::vector<std::string> reasons;

 private:
  struct Name {
    Expr value;      // of the type, bound and alignment that every use may rely on
    bool divergent;  // may differ between the threads of a workgroup
  };

  template <class... Args>
  void complain(fmt::format_string<Args...> format, Args&&... args) {
    std::string reason = fmt::format(format, std::forward<Args>(args)...);
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(std::move(reason));
    }
  }

  void check_extent(const Extent& extent, const std::string& whose) {
    if (extent.is_symbol()) {
      use(variable(extent.symbol), "extent of " + whose);
      if (!extent.times.empty()) use(variable(extent.times), "extent of " + whose);
    } else if (extent.value < 1 || extent.value > 0xffffffff) {
      complain("{} has an extent of {}, outside 1..2^32-1", whose, extent.value);
    }
  }

  void check_array(const Array& array) {
    if (!is_usable_name(array.name)) complain("'{}' cannot be the name of an array", array.name);
    for (const Array& other : kernel_.arrays) {
      if (array.name.empty() || other.name.empty()) continue;
      // A buffer's block is called like its array with a capital letter.
      const bool same_name = array.name.substr(1) == other.name.substr(1) &&
                             (array.name[0] | 32) == (other.name[0] | 32);
      if (&array < &other && same_name) {
        complain("arrays {} and {} have one name", array.name, other.name);
      }
    }
    for (const Axis& axis : array.axes) {
      check_extent(axis.extent, array.name);
      use(axis.stride, "stride of " + array.name);
    }
    if (array.axes.empty()) complain("array {} has no axis", array.name);
    if (array.space == Array::Space::buffer || array.axes.empty()) return;
    if (array.axes.size() != 1 || array.axes[0].extent.is_symbol() ||
        !is_constant(array.axes[0].stride, 1)) {
      complain("{} {} must have one axis, of stride 1 and an extent that is a number",
               array.space == Array::Space::shared ? "shared" : "registers", array.name);
    }
    if (array.space == Array::Space::registers) return;
    const auto widths = kernel_.widths_of(array.name);
    if (widths.size() > 2 || (widths.size() == 2 && widths[0] != 1)) {
      complain(
          "shared {} is touched in vectors of {} and of {} elements: one width beside 1 can "
          "be declared",
          array.name, widths[widths.size() - 2], widths.back());
    }
    if (widths.size() == 2 && is_packed(array.type, widths.back())) {
      complain("shared {} is touched one by one and in packed vectors of {} {}", array.name,
               widths.back(), to_string(array.type));
    }
  }

  void define(const std::string& name, const Expr& value, bool divergent) {
    if (!is_usable_name(name)) complain("'{}' cannot be a name", name);
    if (kernel_.find(name) != nullptr) complain("'{}' is the name of an array", name);
    if (!names_.emplace(name, Name{value, divergent}).second) {
      complain("'{}' is defined twice", name);
    }
  }

  // Checks the names and types in `e`; says whether its value may differ between threads.
  bool use(const Expr& e, const std::string& where) {
    seen_.clear();
    return use_node(e, where);
  }

  // Each node once, however often it is shared.
  bool use_node(const Expr& e, const std::string& where) {
    const auto found = seen_.find(&*e);
    if (found != seen_.end()) return found->second;
    const bool divergent = check_node(e, where);
    return seen_.emplace(&*e, divergent).first->second;
  }

  bool check_node(const Expr& e, const std::string& where) {
    if (e->op == Op::builtin) {
      if (e->builtin == Builtin::thread && e->bound < kernel_.threads) {
        complain("{} takes the thread for less than {}, there are {}", where, e->bound,
                 kernel_.threads);
      }
      return e->builtin == Builtin::thread || e->builtin == Builtin::subgroup ||
             e->builtin == Builtin::lane;
    }
    if (e->op == Op::variable) return use_name(e, where);
    bool divergent = false;
    for (const Expr& operand : e->operands) divergent = use_node(operand, where) || divergent;
    if (const auto error = type_error(*e)) complain("{}: {}", where, *error);
    if ((e->op == Op::divide || e->op == Op::modulo) && is_constant(e->operands[1], 0)) {
      complain("{} divides by 0", where);
    }
    return divergent;
  }

  bool use_name(const Expr& e, const std::string& where) {
    const auto found = names_.find(e->name);
    if (found == names_.end()) {
      complain("{} uses '{}', which is not defined there", where, e->name);
      return false;
    }
    const Expr& known = found->second.value;
    if (!(known->type == e->type)) {
      complain("{} uses '{}' as {}, it is {}", where, e->name, name_of(e->type),
               name_of(known->type));
    }
    if (e->bound < known->bound || e->alignment > known->alignment) {
      complain("{} takes '{}' for a multiple of {} below {}, known is a multiple of {} below {}",
               where, e->name, e->alignment, e->bound, known->alignment, known->bound);
    }
    return found->second.divergent;
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
    if (array->axes.empty()) return array;
    if (!is_width(array->type, element.width) ||
        (element.width > 1 && !is_constant(array->axes[0].stride, 1))) {
      complain(
          "'{}' touches {} elements of {} at once: there are vectors of powers of two up to 16 "
          "bytes, along a contiguous axis",
          element.partition, element.width, array->name);
    }
    if (array->space == Array::Space::registers) check_registers(element, *array, writes);
    if (array->space == Array::Space::buffer) check_alignment(element, *array);
    for (std::size_t i = 0; i < array->axes.size(); ++i) {
      use(element.coordinates[i], element.partition);
      // Shared arrays are checked exactly, address by address, in shared_memory.cpp.
      if (array->space != Array::Space::shared &&
          !prove_in_range(element.coordinates[i], array->axes[i], guards_, definitions_)) {
        complain("'{}' touches {} at a coordinate along {} that nothing keeps below {}",
                 element.partition, array->name, array->axes[i].coordinate,
                 to_string(array->axes[i].extent));
      }
    }
    return array;
  }

  // A vector begins at a multiple of its width: along axis 0, and by the step of every other axis.
  // Its last element is inside, by itself or because the extent is such a multiple as well.
  void check_alignment(const Element& element, const Array& array) {
    if (element.width == 1) return;
    const auto require_multiple = [&](const Expr& value, const std::string& what) {
      if (is_multiple(value, element.width, guards_)) return;
      complain(
          "'{}' touches {} elements of {} at once, but nothing says that {} is a multiple of {}",
          element.partition, element.width, array.name, what, element.width);
    };
    const Axis& first = array.axes[0];
    require_multiple(element.coordinates[0], "its coordinate");
    if (!prove_in_range(element.coordinates[0] + (element.width - 1), first, guards_,
                        definitions_)) {
      require_multiple(extent_of(first), to_string(first.extent));
    }
    for (std::size_t i = 1; i < array.axes.size(); ++i) {
      const Axis& axis = array.axes[i];
      require_multiple(axis.stride, fmt::format("the step along {}, {},", axis.coordinate,
                                                text_of_step(axis.stride)));
    }
  }

  // Registers have no address: each index becomes a number once the loops are unrolled.
  void check_registers(const Element& element, const Array& array, bool writes) {
    if (element.width != 1) {
      complain("'{}' touches {} elements of the registers {} at once: they are single elements",
               element.partition, element.width, array.name);
    }
    if (writes) {
      written_.insert(array.name);
    } else if (!written_.contains(array.name)) {
      complain("'{}' reads the registers {}, which nothing has written", element.partition,
               array.name);
    }
  }

  static std::string text_of_step(const Expr& stride) {
    if (is_constant(stride)) return std::to_string(stride->value);
    if (stride->op == Op::variable) return stride->name;
    return stride->op == Op::multiply ? fmt::format("{} * {}", text_of_step(stride->operands[0]),
                                                    text_of_step(stride->operands[1]))
                                      : "an expression";
  }

  void walk(const Body& body, bool divergent) {
    const auto names = names_;
    const auto definitions = definitions_;
    const std::size_t guards = guards_.size();
    for (const Stmt& statement : body) {
      std::visit([&](const auto& s) { visit(s, divergent); }, statement.value);
    }
    names_ = names;
    definitions_ = definitions;
    guards_.resize(guards, Expr(0));
  }

  void visit(const Let& s, bool divergent) {
    const bool differs = use(s.value, "'" + s.name + "'");
    define(s.name, s.value, differs || divergent);
    definitions_.insert_or_assign(s.name, expand(s.value, definitions_));
  }
  void visit(const Load& s, bool) {
    const Array* array = check(s.from, /*writes=*/false);
    define(s.name, variable(s.name, element(array ? array->type : ScalarType::u32, s.from.width)),
           true);
  }
  void visit(const Store& s, bool) {
    const Array* array = check(s.to, /*writes=*/true);
    use(s.value, s.to.partition);
    if (array && !(s.value->type == element(array->type, s.to.width))) {
      complain("'{}' stores {} into {}, which takes {} there", s.to.partition,
               name_of(s.value->type), array->name, name_of(element(array->type, s.to.width)));
    }
  }
  void visit(const If& s, bool divergent) {
    if (!(s.condition->type == kBoolean)) complain("the condition of an if is not a boolean");
    const bool differs = use(s.condition, "a condition");
    const std::size_t guards = guards_.size();
    add_guards(guards_, s.condition);
    const std::set<std::string> written = written_;
    walk(s.body, divergent || differs);
    guards_.resize(guards, Expr(0));
    const std::set<std::string> by_body = std::exchange(written_, written);
    walk(s.otherwise, divergent || differs);
    // Written for sure is what both wrote.
    std::erase_if(written_, [&](const std::string& name) { return !by_body.contains(name); });
  }
  void visit(const For& s, bool divergent) {
    const bool differs = use(s.end, "the end of loop '" + s.variable + "'");
    if (!(s.end->type == kIndex)) complain("the end of loop '{}' is no index", s.variable);
    const auto names = names_;
    define(s.variable, variable(s.variable, kIndex, s.end->bound - 1), false);
    const std::set<std::string> written = written_;
    walk(s.body, divergent || differs);
    if (!is_constant(s.end) || is_constant(s.end, 0)) written_ = written;  // perhaps no round
    names_ = names;
  }
  void visit(const Subgroup& s, bool divergent) {
    use(s.value, "'" + s.name + "'");
    use(s.lane, "'" + s.name + "'");
    if (divergent)
      complain("subgroup operation '{}' stands where not all lanes may come by", s.name);
    define(s.name, variable(s.name, type_of(s)), true);
  }
  void visit(const Atomic& s, bool) {
    const Array* array = check(s.to, /*writes=*/true);
    use(s.value, s.to.partition);
    define(s.name, variable(s.name, element(array ? array->type : ScalarType::u32)), true);
  }
  void visit(const Barrier&, bool divergent) {
    if (divergent) complain("a barrier stands where not all threads of the workgroup may come by");
  }
  void visit(const Block& s, bool divergent) { walk(s.body, divergent); }

  const Kernel& kernel_;
  std::unordered_map<const Node*, bool> seen_;
  std::map<std::string, Name> names_;
  Guards guards_;
  std::set<std::string> written_;  // registers
  Definitions definitions_;
};

}  // namespace

std::vector<std::string> verify(const Kernel& kernel) {
  std::vector<std::string> reasons = ScopeChecker(kernel).reasons;
  // Following shared memory through a kernel with undefined names would only repeat the above.
  if (reasons.empty()) reasons = check_shared_memory(kernel);
  return reasons;
}

}  // namespace vkmoye::gen::ir
