// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/open_loops.hpp"

#include <algorithm>

#include "vkmoye/gen/ir/effects.hpp"

namespace vkmoye::gen {
namespace {

void take(LoopPattern& pattern, const ir::Recurrence& recurrence) {
  const auto both = combined(pattern.rounds, recurrence);
  if (both) pattern.rounds = *both;
  pattern.is_too_long = pattern.is_too_long || !both;
}

bool are_same(const std::optional<ir::Recurrence>& a, const std::optional<ir::Recurrence>& b) {
  if (!a || !b) return !a && !b;
  return a->period == b->period && a->step == b->step && a->first == b->first && a->min == b->min &&
         a->max == b->max;
}

}  // namespace

const LoopPattern& OpenLoops::pattern_of(const ir::For& loop) {
  const auto [found, is_new] = patterns_.try_emplace(&loop);
  if (is_new) look(loop.body, {{loop.variable, recurrence_of_rounds(loop.end)}}, found->second);
  return found->second;
}

void OpenLoops::look(const ir::Body& body, ir::Recurrences names, LoopPattern& pattern) const {
  for (const ir::Stmt& statement : body) {
    const ir::Effects effects = effects_of(statement, kernel_);
    for (const ir::Definition& d : effects.defines) {
      names[d.name] = d.is_data ? std::optional(ir::Recurrence{}) : recurrence_of(d.value, names);
    }
    for (const ir::StatementAccess& access : effects.accesses) {
      const ir::Array* array = kernel_.find(access.element->array);
      if (array == nullptr || !is_followed_(*array)) continue;
      const auto recurrence = recurrence_of(access.element->coordinates[0], names);
      pattern.grows = pattern.grows || !recurrence || recurrence->step != 0;
      if (recurrence) take(pattern, *recurrence);
    }
    for (const ir::NestedBody& inner : effects.nested) {
      ir::Recurrences around = names;
      for (const ir::Definition& d : inner.defines) around[d.name] = ir::Recurrence{};
      if (inner.condition != nullptr) {
        const auto recurrence = recurrence_of(*inner.condition, names);
        pattern.chooses = pattern.chooses || !recurrence || recurrence->step != 0;
        if (recurrence) take(pattern, *recurrence);
      }
      look(*inner.body, around, pattern);
    }
  }
}

void OpenLoops::enter(const ir::For& loop, bool is_open) {
  ir::Recurrences names;
  if (is_open) names[loop.variable] = recurrence_of_rounds(loop.end);
  loops_.push_back({is_open, &pattern_of(loop), std::move(names), {}});
}

void OpenLoops::named(const std::string& name, const ir::Expr& value) {
  for (Loop& loop : loops_) {
    if (!loop.is_open) continue;
    const auto recurrence = recurrence_of(value, loop.names);
    const auto [found, is_new] = loop.names.try_emplace(name, recurrence);
    if (!is_new && are_same(found->second, recurrence)) continue;
    found->second = recurrence;
    loop.known.clear();
  }
}

bool OpenLoops::repeats(const ir::Expr& e) {
  return std::all_of(loops_.begin(), loops_.end(), [&](Loop& loop) {
    if (!loop.is_open) return true;
    const auto [found, is_new] = loop.known.try_emplace(&*e, false);
    if (is_new) {
      // All of its values must be among those of the rounds that are followed.
      const auto recurrence = recurrence_of(e, loop.names);
      const LoopPattern& followed = *loop.pattern;
      found->second = recurrence && recurrence->step == 0 && !followed.is_too_long &&
                      followed.rounds.period % recurrence->period == 0 &&
                      recurrence->first <= followed.rounds.first;
    }
    return found->second;
  });
}

}  // namespace vkmoye::gen
