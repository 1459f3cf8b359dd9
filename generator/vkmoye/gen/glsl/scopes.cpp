// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/scopes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen::glsl {

Scopes::Scopes(const ir::Kernel& kernel) : kernel_(kernel) {
  std::set<std::string> used, defined;
  ir::for_each_node(kernel, [&](const ir::Node& node) {
    if (node.op == ir::Op::variable) used.insert(node.name);
  });
  ir::for_each(kernel.body, [&](const ir::Stmt& statement) {
    const auto* block = std::get_if<ir::Titled>(&statement.value);
    if (block != nullptr && !block->function.empty()) outside_.insert(block->function);
    const ir::Effects effects = ir::effects_of(statement, kernel);
    for (const ir::Definition& name : effects.defines) defined.insert(name.name);
    for (const ir::NestedBody& inner : effects.nested) {
      for (const ir::Definition& name : inner.defines) defined.insert(name.name);
    }
  });
  std::set_difference(used.begin(), used.end(), defined.begin(), defined.end(),
                      std::inserter(outside_, outside_.end()));
  for (const ir::Array& array : kernel.arrays) outside_.insert(array.name);
  for (const PushConstant& argument : kernel.arguments) outside_.insert(argument.name);
}

void Scopes::open(const ir::Body& body) {
  Scope& scope = scopes_.emplace_back();
  for (const ir::Stmt& statement : body) {
    const ir::Effects effects = ir::effects_of(statement, kernel_);
    for (const ir::Definition& name : effects.defines) scope.names.insert(name.name);
  }
}

void Scopes::close() { scopes_.pop_back(); }

void Scopes::open_function(std::set<std::string> parameters) {
  callers_.push_back(std::exchange(scopes_, {}));
  scopes_.push_back({std::move(parameters), {}});
}

void Scopes::close_function() {
  scopes_ = std::move(callers_.back());
  callers_.pop_back();
}

bool Scopes::is_visible(const std::string& name) const {
  return outside_.contains(name) ||
         std::any_of(scopes_.begin(), scopes_.end(),
                     [&](const Scope& scope) { return scope.names.contains(name); });
}

Scopes::Named Scopes::named(const std::string& text, const std::string& wanted) {
  Scope& scope = scopes_.back();
  std::string& name = scope.values[text];
  if (!name.empty()) return {name, false};
  name = wanted;
  for (int number = 2; is_visible(name); ++number) name = fmt::format("{}{}", wanted, number);
  scope.names.insert(name);
  return {name, true};
}

}  // namespace vkmoye::gen::glsl
