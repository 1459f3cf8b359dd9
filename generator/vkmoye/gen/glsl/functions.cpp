// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <variant>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen::glsl {
namespace {

using ir::Expr;
using ir::Stmt;

// Adds the names that `statement` and the bodies inside it define.
void add_defined(const Stmt& statement, const ir::Kernel& kernel, std::set<std::string>& names) {
  const ir::Effects effects = ir::effects_of(statement, kernel);
  for (const ir::Definition& name : effects.defines) names.insert(name.name);
  for (const ir::NestedBody& inner : effects.nested) {
    for (const ir::Definition& name : inner.defines) names.insert(name.name);
  }
}

}  // namespace

Functions::Functions(const ir::Kernel& kernel) : kernel_(kernel) {
  ir::for_each(kernel.body, [&](const Stmt& statement) {
    add_defined(statement, kernel, defined_);
    const auto* block = std::get_if<ir::Titled>(&statement.value);
    if (block == nullptr || block->function.empty()) return;
    ir::for_each(block->body, [&](const Stmt& inner) {
      for (const ir::StatementAccess& access : ir::effects_of(inner, kernel).accesses) {
        arrays_.insert(access.element->array);
      }
    });
  });
  taken_ = defined_;
  for (const ir::Array& array : kernel.arrays) taken_.insert(array.name);
  for (const PushConstant& argument : kernel.arguments) taken_.insert(argument.name);
}

std::vector<Functions::Parameter> Functions::parameters_of(const ir::Titled& call) const {
  std::vector<Expr> used;  // in order
  std::set<std::string> seen, own;
  ir::for_each(call.inside(), [&](const Stmt& statement) {
    add_defined(statement, kernel_, own);
    for (const Expr* e : ir::effects_of(statement, kernel_).uses) {
      ir::for_each_node(*e, [&](const ir::Node& node) {
        if (node.op != ir::Op::variable || !seen.insert(node.name).second) return;
        used.push_back(ir::variable(node.name, node.type, node.bound, node.alignment));
      });
    }
  });
  std::vector<Parameter> parameters;
  for (const Stmt& one : call.arguments()) {
    const auto& let = std::get<ir::Let>(one.value);
    own.insert(let.name);
    if (!seen.contains(let.name)) continue;
    parameters.push_back({ir::variable(let.name, let.value->type), let.value});
  }
  for (const Expr& name : used) {
    if (defined_.contains(name->name) && !own.contains(name->name)) {
      parameters.push_back({name, name});
    }
  }
  return parameters;
}

std::string Functions::named(const std::string& wanted, const std::string& before,
                             const std::string& after) {
  const auto [known, is_new] = names_.try_emplace({wanted, before + after}, wanted);
  if (!is_new) return known->second;
  std::string& name = known->second;
  for (int number = 2; !taken_.insert(name).second; ++number) {
    name = fmt::format("{}{}", wanted, number);
  }
  texts_.push_back(before + name + after);
  return name;
}

}  // namespace vkmoye::gen::glsl
