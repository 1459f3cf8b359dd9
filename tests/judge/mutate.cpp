// SPDX-License-Identifier: MIT
#include "judge/mutate.hpp"

#include "judge/changes.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::judge {
namespace {

using namespace gen::ir;

using Known = std::map<std::string, Expr>;

void learn(const Definition& definition, Known& known) {
  const Expr& value = definition.value;
  if (definition.is_data || value->type != kIndex) return;
  known.insert_or_assign(definition.name,
                         variable(definition.name, kIndex, value->bound, value->alignment));
}

Expr with_known(const Expr& e, const Known& known) {
  return with_nodes(e, [&](const Expr& node) -> const Expr* {
    const auto found = node->op == Op::variable ? known.find(node->name) : known.end();
    return found == known.end() ? nullptr : &found->second;
  });
}

Body with_known(const Body& body, Known known, const Kernel& kernel) {
  Body out;
  for (const Stmt& statement : body) {
    const Stmt changed = rewritten(
        statement, [&](const Expr& e) { return with_known(e, known); },
        [](const Body& inner) { return inner; });
    const Effects effects = effects_of(changed, kernel);
    std::size_t number = 0;
    out.push_back(rewritten(
        changed, [](const Expr& e) { return e; },
        [&](const Body& inner) {
          Known inside = known;
          for (const Definition& d : effects.nested[number++].defines) learn(d, inside);
          return with_known(inner, std::move(inside), kernel);
        }));
    for (const Definition& definition : effects.defines) learn(definition, known);
  }
  return out;
}

}  // namespace

Kernel with_known_bounds(Kernel kernel) {
  kernel.body = with_known(kernel.body, {}, kernel);
  return kernel;
}

std::vector<Mutant> mutants_of(const Kernel& kernel, std::size_t count, Draw& draw) {
  Changes changes;
  list_statement_changes(kernel, changes);
  list_expression_changes(kernel, changes);
  list_kernel_changes(kernel, changes);
  std::vector<Mutant> out;
  std::vector<std::string> left;
  while (out.size() < count && !changes.empty()) {
    if (left.empty()) {
      for (const auto& [kind, list] : changes) left.push_back(kind);
    }
    const std::size_t which = draw.below(left.size());
    const std::string kind = left[which];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(which));
    std::vector<Change>& list = changes.at(kind);
    const std::size_t number = draw.below(list.size());
    Kernel changed = kernel;
    list[number].apply(changed);
    out.push_back({kind, list[number].text, with_known_bounds(std::move(changed))});
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(number));
    if (list.empty()) changes.erase(kind);
  }
  return out;
}

}  // namespace vkmoye::judge
