// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/assumptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>
#include <variant>

#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/ir/with_values.hpp"

namespace vkmoye::gen::ir {
namespace {

// How an operation on two operands is written, and how tightly it binds.
struct Infix {
  Op op;
  const char* symbol;
  int binds;
};
constexpr Infix kInfix[] = {
    {Op::multiply, "*", 10},    {Op::divide, "/", 10},      {Op::modulo, "%", 10},
    {Op::add, "+", 9},          {Op::subtract, "-", 9},     {Op::shift_left, "<<", 8},
    {Op::shift_right, ">>", 8}, {Op::bit_and, "&", 7},      {Op::bit_xor, "^", 6},
    {Op::bit_or, "|", 5},       {Op::less, "<", 4},         {Op::equal, "==", 4},
    {Op::not_equal, "!=", 4},   {Op::logical_and, "&&", 3}, {Op::logical_or, "||", 2}};
constexpr int kMaxNodes = 60;  // in a text
constexpr int kLeaf = 12, kLoosest = 0;
constexpr const char* kBuiltins[] = {"workgroup x", "workgroup y", "workgroup z",
                                     "thread",      "subgroup",    "lane"};

const Infix* infix_of(Op op) {
  const auto* found = std::find_if(std::begin(kInfix), std::end(kInfix),
                                   [&](const Infix& one) { return one.op == op; });
  return found == std::end(kInfix) ? nullptr : found;
}

std::string constant_text(const Node& e) {
  if (!e.type.is_element()) return std::to_string(e.value);
  switch (e.type.element) {
    case ScalarType::i64:
    case ScalarType::u64:
    case ScalarType::c64:
    case ScalarType::c128: return fmt::format("{:#x}", e.value);
    default: return fmt::format("{:g}", number_of(e.type.element, e.value));
  }
}

// `room`: how many more nodes are written; deeper ones, of which a long text would consist, are left out.
std::string text_in(const Expr& e, int around, int& room) {
  if (--room < 0) return "..";
  if (e->op == Op::constant) return constant_text(*e);
  if (e->op == Op::variable) return e->name;
  if (e->op == Op::builtin) return kBuiltins[static_cast<std::size_t>(e->builtin)];
  const auto operand = [&](std::size_t i, int binds) {
    return text_in(e->operands[i], binds, room);
  };
  if (e->op == Op::logical_not && e->operands[0]->op == Op::less) {
    const Expr& failed = e->operands[0];
    const std::string text =
        text_in(failed->operands[0], 5, room) + " >= " + text_in(failed->operands[1], 5, room);
    return around > 4 ? "(" + text + ")" : text;
  }
  if (e->op == Op::logical_not) return "!" + operand(0, kLeaf);
  if (e->op == Op::negate) return "-" + operand(0, kLeaf);
  if (e->op == Op::component) return fmt::format("{}[{}]", operand(0, kLeaf), e->value);
  if (e->op == Op::convert && e->type == kIndex) return operand(0, around);
  if (const Infix* infix = infix_of(e->op)) {
    const std::string text =
        operand(0, infix->binds) + " " + infix->symbol + " " + operand(1, infix->binds + 1);
    return infix->binds < around ? "(" + text + ")" : text;
  }
  std::vector<std::string> operands;
  for (const Expr& one : e->operands) operands.push_back(text_in(one, kLoosest, room));
  const std::string name = e->op == Op::convert ? name_of(e->type) : std::string(name_of(e->op));
  return fmt::format("{}({})", name, join(operands, ", "));
}

// Finds the assumptions that all invocations of a launch reach.
class LaunchFinder {
 public:
  explicit LaunchFinder(const Kernel& kernel) {
    for (const PushConstant& argument : kernel.arguments) {
      if (!is_first_group(argument.name)) arguments_.insert(argument.name);
    }
  }

  void collect(const Body& body, Values meanings) {
    for (const Stmt& statement : body) {
      if (const auto* let = std::get_if<Let>(&statement.value)) {
        if (is_of_launch(let->value, meanings)) {
          meanings.insert_or_assign(let->name, with_values(let->value, meanings));
        }
      } else if (const auto* block = std::get_if<Titled>(&statement.value)) {
        collect(block->body, meanings);
      } else if (const auto* assume = std::get_if<Assume>(&statement.value)) {
        if (!is_of_launch(assume->condition, meanings)) continue;
        list.push_back({with_values(assume->condition, meanings), assume->why});
      }
    }
  }

  std::vector<Assume> list;

 private:
  // Whether `e` has one value in a launch: it consists of arguments and numbers.
  bool is_of_launch(const Expr& e, const Values& meanings) const {
    bool is = true;
    for_each_node(e, [&](const Node& node) {
      const bool is_name = node.op == Op::variable;
      is = is && node.op != Op::builtin &&
           (!is_name || arguments_.contains(node.name) || meanings.contains(node.name));
    });
    return is;
  }
  std::set<std::string> arguments_;
};

bool has_assumption(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Stmt& statement) {
    const auto* block = std::get_if<Titled>(&statement.value);
    return std::holds_alternative<Assume>(statement.value) ||
           (block != nullptr && has_assumption(block->body));
  });
}

}  // namespace

std::string to_string(const Expr& e) {
  int room = kMaxNodes;
  return text_in(e, kLoosest, room);
}

std::string to_string(const Assume& assume) {
  return to_string(assume.condition) + ": " + assume.why;
}

std::vector<Assume> assumptions_of_launch(const Kernel& kernel) {
  if (!has_assumption(kernel.body)) return {};
  LaunchFinder finder(kernel);
  finder.collect(kernel.body, {});
  return std::move(finder.list);
}

bool is_extent(const std::string& argument, const Kernel& kernel) {
  const auto is_it = [&](const Extent& extent) {
    return extent.symbol == argument && extent.times.empty();
  };
  const auto has_it = [&](const Array& array) {
    return std::any_of(array.axes.begin(), array.axes.end(),
                       [&](const Axis& axis) { return is_it(axis.extent); });
  };
  return std::any_of(kernel.grid.begin(), kernel.grid.end(),
                     [&](const GridDimension& dimension) { return is_it(dimension.extent); }) ||
         std::any_of(kernel.arrays.begin(), kernel.arrays.end(), has_it);
}

std::vector<Expr> variables_of(const Expr& e) {
  std::vector<Expr> out;
  std::unordered_set<const Node*> seen;
  const auto look = [&](const auto& self, const Expr& part) -> void {
    if (!seen.insert(&*part).second) return;
    const auto is_it = [&](const Expr& known) { return same(known, part); };
    const bool is_variable = part->op == Op::variable || part->op == Op::builtin;
    if (is_variable && std::none_of(out.begin(), out.end(), is_it)) out.push_back(part);
    for (const Expr& operand : part->operands) self(self, operand);
  };
  look(look, e);
  return out;
}

}  // namespace vkmoye::gen::ir
