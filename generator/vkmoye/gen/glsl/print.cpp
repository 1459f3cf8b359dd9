// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/glsl/conditions.hpp"
#include "vkmoye/gen/glsl/declarations.hpp"
#include "vkmoye/gen/glsl/expression.hpp"
#include "vkmoye/gen/glsl/functions.hpp"
#include "vkmoye/gen/glsl/in_place.hpp"
#include "vkmoye/gen/glsl/lines.hpp"
#include "vkmoye/gen/glsl/parts.hpp"
#include "vkmoye/gen/glsl/repeated.hpp"
#include "vkmoye/gen/glsl/scopes.hpp"
#include "vkmoye/gen/glsl/spelling.hpp"
#include "vkmoye/gen/glsl/titles.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/names.hpp"
#include "vkmoye/gen/ir/reduction_op.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen::glsl {
namespace {

using ir::Array;
using ir::Expr;
using ir::Op;

// The number of workgroups along a dimension.
Expr groups_along(const GridDimension& dimension) {
  const Expr tiles = ir::ceil_div(ir::expression(dimension.extent), dimension.tile);
  return dimension.max_groups == 0 ? tiles
                                   : ir::minimum(tiles, Expr(ir::to_index(dimension.max_groups)));
}

bool accesses_shared(const ir::Body& body, const ir::Kernel& kernel) {
  bool found = false;
  ir::for_each(body, [&](const ir::Stmt& statement) {
    for (const ir::StatementAccess& access : ir::effects_of(statement, kernel).accesses)
      found = found || kernel.find(access.element->array)->is_shared();
  });
  return found;
}

class Printer {
 public:
  explicit Printer(const ir::Kernel& kernel)
      : kernel_(kernel), functions_(kernel), scopes_(kernel) {
    ir::for_each_node(kernel, [this](const ir::Node& node) {
      if (node.op == Op::variable) used_.insert(node.name);
    });
    for (const Array& array : kernel.arrays) {
      if (array.is_shared()) {
        shared_widths_[array.name] = shared_width(kernel, array);
      }
    }
  }

  std::string print() {
    out_.line("void main() {");
    out_.indent();
    declare_registers(/*of_functions=*/false);
    body(kernel_.body);
    out_.outdent();
    out_.line("}");
    const std::string main = out_.take();
    out_ = {};
    print_declarations(kernel_, out_);
    declare_registers(/*of_functions=*/true);
    for (const std::string& function : functions_.texts()) {
      out_.apart();
      out_.add(function);
    }
    out_.apart();
    out_.add(main);
    return out_.take();
  }

 private:
  // A value for the next statement.
  struct Moved {
    std::string name;
    ir::Type type;
    std::string text;
  };

  // The registers that functions access, which are declared before them, or the others.
  void declare_registers(bool of_functions) {
    for (const Array& array : kernel_.arrays) {
      if (!array.is_registers() || functions_.access(array.name) != of_functions) continue;
      out_.line(register_declaration(array, kernel_.subgroup_size));
    }
  }

  std::string element(const ir::Element& element) {
    const Array& array = *kernel_.find(element.array);
    if (array.addressing == Addressing::pointer) {
      const std::string name =
          array_name(array.name, type_of(element, array).width, element.as_words);
      return fmt::format("{}({} + {}).{}", ir::block_name(name), address_name(array.name),
                         bytes_to(element, array), name);
    }
    const Expr address = address_of(element, array);
    if (array.matrix) {
      const auto held =
          static_cast<std::uint32_t>(elements_per_lane(*array.matrix, kernel_.subgroup_size));
      return subscript(subscript(array.name, address / held), address % held);
    }
    if (is_single(array)) return array.name;
    if (array.is_registers()) {
      return subscript(array.name, address / array.vector);
    }
    if (array.is_buffer()) {
      return subscript(array_name(array.name, type_of(element, array).width, element.as_words),
                       ir::divide_exactly(address, element.width));
    }
    const std::uint32_t width = shared_widths_.at(array.name);
    if (element.width == width) {
      return subscript(array.name, once(address / width, array.name));
    }
    // Named only if both contain the whole address: simplification may have shortened one of them.
    const Expr block = address / width, rest = address % width;
    const bool twice = is_long(address) && is_of(block, address) && is_of(rest, address);
    const Expr at = twice ? named(address, array.name, "at") : address;
    return subscript(subscript(array.name, at / width), at % width);
  }

  static bool is_long(const Expr& index) { return glsl::print(index).size() > 24; }
  // Whether `e` is an operation directly on `operand`.
  static bool is_of(const Expr& e, const Expr& operand) {
    return !e->operands.empty() && &*e->operands[0] == &*operand;
  }

  // `index` of `array`, in which a repeated part has a name.
  Expr once(const Expr& index, const std::string& array) {
    const std::optional<Expr> part = repeated_part(index);
    return part ? replaced(index, *part, named(*part, array, "linear")) : index;
  }

  // A variable with the value of `index`, declared on the line before, or already in an open scope.
  Expr named(const Expr& index, const std::string& array, const char* what) {
    const std::string text = glsl::print(once(index, array));
    const auto [name, is_new] = scopes_.named(text, fmt::format("{}_{}", array, what));
    if (is_new) declare(ir::kIndex, name, text);
    return ir::variable(name, ir::kIndex, index->bound, index->alignment);
  }

  // Returns whether it declares a name.
  bool body(const ir::Body& statements) {
    out_.not_apart();
    scopes_.open(statements);
    const InPlace here = in_place(statements, kernel_);
    const auto outer_values = values_;
    const bool outer_declares = std::exchange(declares_, false);
    for (const ir::Stmt& statement : statements) {
      const bool is_compound = std::holds_alternative<ir::If>(statement.value) ||
                               std::holds_alternative<ir::For>(statement.value) ||
                               std::holds_alternative<ir::GridLoop>(statement.value);
      // Names at the top are many; what they are for begins after them.
      if (is_compound && scopes_.is_outermost()) out_.apart();
      step(statement, here);
      if (is_compound) out_.apart();
    }
    values_ = outer_values;
    scopes_.close();
    return std::exchange(declares_, outer_declares);
  }

  void scope(const ir::Body& statements) {
    out_.indent();
    body(statements);
    out_.outdent();
    out_.line("}");
  }

  // Prints a statement, unless its value is written where it is used.
  void step(const ir::Stmt& original, const InPlace& here) {
    const bool is_final = values_.empty() && below_.empty();
    const ir::Stmt statement = is_final ? original : with(original, values_);
    if (here.unchanged.contains(&original)) {
      const auto& load = std::get<ir::Load>(statement.value);
      values_.insert_or_assign(load.name, in_text(load_text(load), loaded_type(load)));
    } else if (here.moved.contains(&original)) {
      move(statement);
    } else if (here.once.contains(&original)) {
      const auto& let = std::get<ir::Let>(statement.value);
      values_.insert_or_assign(let.name, let.value);
    } else if (const auto vector = here.vectors.find(&original); vector != here.vectors.end()) {
      print_vectors(std::get<ir::Let>(statement.value), vector->second);
    } else {
      for (const ir::Definition& name : ir::effects_of(statement, kernel_).defines) {
        values_.erase(name.name);  // it hides one of an outer body
      }
      if (moved_.empty() || !print_with_moved(statement)) {
        std::visit([this](const auto& s) { visit(s); }, statement.value);
      }
    }
  }

  // `statement` with the values of names; bodies inside get theirs when they are printed.
  ir::Stmt with(const ir::Stmt& statement, const std::map<std::string, Expr>& values) const {
    return ir::rewritten(
        statement, [&](const Expr& e) { return simplified(with_values(e, values), below_); },
        [](const ir::Body& inner) { return inner; });
  }
  // A value that is printed as `text`.
  static Expr in_text(const std::string& text, const ir::Type& type) {
    return ir::variable(text, type);
  }

  static std::map<std::string, Expr> values_of(const std::vector<Moved>& moved) {
    std::map<std::string, Expr> values;
    for (const Moved& one : moved) values.insert_or_assign(one.name, in_text(one.text, one.type));
    return values;
  }

  // Keeps the text of a value for the statement that uses it.
  void move(ir::Stmt statement) {
    const auto* across = std::get_if<ir::Subgroup>(&statement.value);
    if (across == nullptr) {
      const auto& load = std::get<ir::Load>(statement.value);
      moved_.push_back({load.name, loaded_type(load), load_text(load)});
      return;
    }
    const auto inner = std::move(moved_);
    moved_.clear();
    statement = with(statement, values_of(inner));
    const auto& call = std::get<ir::Subgroup>(statement.value);
    moved_.push_back({call.name, ir::type_of(call), subgroup_call(call)});
  }

  // Prints a store or an operation of a subgroup with the texts of values; false, with a line for each value, if that
  // would be too long.
  bool print_with_moved(const ir::Stmt& statement) {
    constexpr std::size_t kMaxColumns = 108;
    const std::vector<Moved> moved = std::move(moved_);
    moved_.clear();
    const ir::Stmt whole = with(statement, values_of(moved));
    const auto* store = std::get_if<ir::Store>(&whole.value);
    const std::string line =
        store != nullptr ? store_text(*store) : subgroup_text(std::get<ir::Subgroup>(whole.value));
    if (out_.columns(line) > kMaxColumns) {
      for (const Moved& one : moved) declare(one.type, one.name, one.text);
      return false;
    }
    if (store == nullptr) declares_ = true;
    out_.line(line);
    return true;
  }

  void declare(const ir::Type& type, const std::string& name, const std::string& text) {
    declares_ = true;
    out_.line(fmt::format("{} {} = {};", spell_type(type), name, text));
  }
  void print_vectors(const ir::Let& s, std::uint32_t width) {
    if (used_.count(s.name) == 0) return;
    const Expr number = ir::divide_exactly(s.value, width);
    if (number->op == Op::variable) {  // the name would stand for another one
      values_.insert_or_assign(s.name, Expr(width) * number);
      return;
    }
    declare(s.value->type, s.name, glsl::print(number));
    values_.insert_or_assign(
        s.name, Expr(width) * ir::variable(s.name, ir::kIndex, number->bound, number->alignment));
  }

  ir::Type loaded_type(const ir::Load& s) const {
    return ir::type_of(s.from, *kernel_.find(s.from.array));
  }
  std::string load_text(const ir::Load& s) {
    const std::string from = element(s.from);
    return is_disguised(s.from) ? bits_of_half(from) : from;
  }
  std::string store_text(const ir::Store& s) {
    const std::string to = element(s.to);
    if (is_disguised(s.to)) return fmt::format("{} = {};", to, print_as_half(s.value));
    const std::string value = glsl::print(s.value);
    // "x += y" for "x = x + y".
    const char* sign = s.value->op == Op::add ? "+" : s.value->op == Op::multiply ? "*" : nullptr;
    if (sign != nullptr && glsl::print(s.value->operands[0]) == to) {
      return fmt::format("{} {}= {};", to, sign, value.substr(to.size() + 3));
    }
    return fmt::format("{} = {};", to, value);
  }
  static std::string subgroup_text(const ir::Subgroup& s) {
    return fmt::format("{} {} = {};", spell_type(ir::type_of(s)), s.name, subgroup_call(s));
  }

  void visit(const ir::Let& s) {
    if (used_.count(s.name) == 0) return;
    declares_ = true;
    out_.line(fmt::format("{}{} {} = {};{}", s.exact ? "precise " : "", spell_type(s.value->type),
                          s.name, glsl::print(s.value), comment_on_rounding_up(s.value)));
  }
  void visit(const ir::Load& s) { declare(loaded_type(s), s.name, load_text(s)); }
  void visit(const ir::Store& s) { out_.line(store_text(s)); }
  void visit(const ir::If& s) {
    const std::string both = title_of_both(s);
    comment(both);
    branches(s, "", both);
  }
  void branches(const ir::If& s, const char* before, const std::string& both = "") {
    out_.line(fmt::format("{}if ({}) {{", before, glsl::print(s.condition)));
    const auto outer = below_;
    for (Below& one : indices_below_numbers(s.condition)) below_.push_back(std::move(one));
    branch(s.body, both);
    below_ = outer;
    if (s.otherwise.empty()) return out_.line("}");
    const auto* other = std::get_if<ir::If>(&s.otherwise.front().value);
    if (s.otherwise.size() == 1 && other != nullptr) return branches(*other, "} else ");
    out_.line("} else {");
    branch(s.otherwise, both);
    out_.line("}");
  }
  // A block that is a whole branch has no braces of its own.
  void branch(const ir::Body& statements, const std::string& both) {
    const ir::Titled* block = only_block(statements);
    out_.indent();
    if (block != nullptr) {
      const std::size_t length = block->title.size();
      comment(both.empty() ? block->title : block->title.substr(0, length - both.size() - 2));
    }
    body(block != nullptr ? block->body : statements);
    out_.outdent();
  }
  void visit(const ir::For& s) {
    out_.line(fmt::format("{0}for (uint {1} = 0u; {2}; ++{1}) {{{3}", unroll_text(s.unroll),
                          s.variable, glsl::print(ir::less(ir::variable(s.variable), s.end)),
                          comment_on_rounding_up(s.end)));
    scopes_.define(s.variable);
    scope(s.body);
  }
  void visit(const ir::Assume& s) { out_.line("// assumed: " + to_string(s)); }
  void visit(const ir::Barrier&) { out_.line("barrier();"); }
  void visit(const ir::GridBarrier&) { out_.line("grid_barrier();"); }
  // for (uint block = gl_WorkGroupID.x; block < blocks; block += gl_NumWorkGroups.x), with the coordinates of a block.
  void visit(const ir::GridLoop& s) {
    const Expr x = groups_along(s.grid[0]), y = groups_along(s.grid[1]),
               z = groups_along(s.grid[2]);
    const bool is_row = ir::is_constant(y, 1) && ir::is_constant(z, 1);
    comment(s.title);
    const std::string number = is_row ? s.variables[0] : "number_of_block";
    out_.line(
        fmt::format("for (uint {0} = gl_WorkGroupID.x; {0} < {1}; {0} += gl_NumWorkGroups.x) {{",
                    number, glsl::print(x * y * z)));
    scopes_.define(number);
    out_.indent();
    if (!is_row) {
      const Expr block = ir::variable(number);
      const Expr coordinates[] = {block % x, block / x % y, block / (x * y)};
      for (std::size_t i = 0; i < 3; ++i)
        out_.line(fmt::format("uint {} = {};", s.variables[i], glsl::print(coordinates[i])));
    } else {
      for (std::size_t i : {1, 2}) {
        if (used_.contains(s.variables[i])) out_.line(fmt::format("uint {} = 0u;", s.variables[i]));
      }
    }
    body(s.body);
    if (accesses_shared(s.body, kernel_)) out_.line("barrier();");
    out_.outdent();
    out_.line("}");
  }
  void visit(const ir::Subgroup& s) {
    declares_ = true;
    out_.line(subgroup_text(s));
  }
  void visit(const ir::Atomic& s) {
    const char* combine = ir::reduction_op(s.combine)->glsl;
    const ir::Type type = ir::element(kernel_.find(s.to.array)->type);
    declare(type, s.name,
            fmt::format("atomic{}({}, {})", combine, element(s.to), glsl::print(s.value)));
  }
  // Whether it is an element of such a matrix; other elements of bfloat16 are printed as bits.
  bool is_disguised(const ir::Element& element) const {
    const Array& array = *kernel_.find(element.array);
    return array.matrix && array.type == ScalarType::bf16;
  }
  void visit(const ir::MatrixLoad& s) { out_.line(matrix_statement(s, kernel_)); }
  void visit(const ir::MatrixStore& s) { out_.line(matrix_statement(s, kernel_)); }
  void visit(const ir::MatrixFill& s) { out_.line(matrix_statement(s, kernel_)); }
  void visit(const ir::MatrixMultiply& s) { out_.line(matrix_statement(s, kernel_)); }
  // Prints a call, and its function unless that is known.
  void call(const ir::Titled& s) {
    std::vector<std::string> parameters, arguments;
    std::set<std::string> names;
    for (const auto& [name, argument] : functions_.parameters_of(s)) {
      parameters.push_back(fmt::format("{} {}", spell_type(name->type), name->name));
      arguments.push_back(glsl::print(simplified(with_values(argument, values_), below_)));
      names.insert(name->name);
    }
    // Nothing that holds around the call is known in the function.
    scopes_.open_function(std::move(names));
    const auto values = std::exchange(values_, {});
    const auto below = std::exchange(below_, {});
    Lines outside = std::exchange(out_, Lines());
    comment(s.title);
    const std::string title = out_.take();
    out_ = Lines();
    out_.indent();
    body(s.inside());
    const std::string function =
        fmt::format("({}) {{\n{}}}\n", join(parameters, ", "), out_.take());
    scopes_.close_function();
    values_ = values;
    below_ = below;
    out_ = std::move(outside);
    out_.line(fmt::format("{}({});", functions_.named(s.function, title + "void ", function),
                          join(arguments, ", ")));
  }

  // A block has braces if it declares a name.
  void visit(const ir::Titled& s) {
    if (!s.function.empty()) return call(s);
    if (!s.title.empty()) out_.apart();
    comment(s.title);
    Lines inner = out_.inside();
    std::swap(out_, inner);
    const bool declares = body(s.body);
    std::swap(out_, inner);
    if (declares) {
      out_.line("{");
      out_.add(inner.take());
      out_.line("}");
    } else {
      out_.add(moved_left(inner.take()));
    }
    if (!s.title.empty()) out_.apart();
  }
  void comment(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) out_.line(fmt::format("// {}", line));
  }

  const ir::Kernel& kernel_;
  Functions functions_;
  std::map<std::string, std::uint32_t> shared_widths_;  // of vectors, by the name of the array
  std::map<std::string, Expr> values_;  // of names that are replaced in the rest of the body
  std::vector<Moved> moved_;
  std::vector<Below> below_;    // by the conditions of the branches that are being printed
  bool declares_ = false;       // whether the body that is being printed has declared a name
  std::set<std::string> used_;  // names used in expressions
  Scopes scopes_;
  Lines out_;
};

}  // namespace

std::string print(const ir::Kernel& kernel) {
  return kernel.hand_written ? kernel.hand_written->glsl : Printer(kernel).print();
}

}  // namespace vkmoye::gen::glsl
