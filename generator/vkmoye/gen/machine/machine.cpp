// SPDX-License-Identifier: MIT
#include "vkmoye/gen/machine/machine.hpp"

#include <algorithm>
#include <utility>

#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/machine/matrix.hpp"
#include "vkmoye/gen/machine/subgroup.hpp"

namespace vkmoye::gen::machine {

using ir::Expr;

namespace {

// The number of active invocations among first .. end-1.
std::size_t count_active(const ThreadSet& active, std::size_t first, std::size_t end) {
  std::size_t count = 0;
  for (std::size_t thread = first; thread < end; ++thread) count += active.has(thread) ? 1 : 0;
  return count;
}

}  // namespace

bool is_uniform_load(Machine& machine, const MemoryAccess& access) {
  const ir::Array& array = access.array;
  const ScalarType type = array.type;
  const bool is_integer = type == ScalarType::u32 || type == ScalarType::i32 ||
                          type == ScalarType::u16 || type == ScalarType::i16 ||
                          type == ScalarType::u8 || type == ScalarType::i8;
  const bool is_stable = array.is_shared()
                             ? !access.writes
                             : array.is_buffer() && array.access == vkmoye::Access::read;
  const auto& coordinates = access.element.coordinates;
  return is_integer && is_stable && !access.by_any_lane &&
         std::all_of(coordinates.begin(), coordinates.end(),
                     [&](const Expr& coordinate) { return machine(coordinate).is_same(); });
}

Values unknown_elements(Machine& machine, const MemoryAccess& access) {
  const std::size_t scalars = scalars_of(type_of(access.element, access.array));
  return is_uniform_load(machine, access) ? Values::same(std::vector<Value>(scalars))
                                          : Values::unknown(scalars);
}

Values Environment::load(Machine& machine, const MemoryAccess& access) {
  accessed(machine, access);
  return unknown_elements(machine, access);
}

Values Environment::combine(Machine& machine, const MemoryAccess& access, ir::Op, const Values&) {
  accessed(machine, access);
  return Values::unknown();
}

Machine::Machine(const ir::Kernel& kernel, const Workgroup& workgroup, Environment& environment,
                 Budget& budget)
    : kernel_(kernel),
      workgroup_(workgroup),
      environment_(environment),
      budget_(budget),
      values_(workgroup, budget) {
  for (const ir::Array& array : kernel.arrays) arrays_.emplace(array.name, &array);
}

void Machine::run() { run(kernel_.body, ThreadSet::all(workgroup_.threads)); }

void Machine::try_run(const ir::Body& body, const ThreadSet& active) {
  const bool was_sure = std::exchange(is_sure_, false);
  run(body, active);
  is_sure_ = was_sure;
}

void Machine::run(const ir::Body& body, ThreadSet active) {
  if (active.none()) return;
  for (const ir::Stmt& statement : body) {
    budget_.spend(1);
    if (const auto* assume = std::get_if<ir::Assume>(&statement.value)) {
      active = environment_.assumed(*this, *assume, active, is_sure_);
      if (active.none()) return;
      continue;
    }
    std::visit(
        [&](const auto& s) {
          if constexpr (is_step<std::decay_t<decltype(s)>>()) {
            step(s, active);
          } else {
            act(statement, active);
          }
        },
        statement.value);
  }
}

const Machine::CachedEffects& Machine::cached_effects(const ir::Stmt& statement) {
  const auto known = effects_.find(&statement);
  if (known != effects_.end()) return known->second;
  CachedEffects cached{effects_of(statement, kernel_), {}};
  for (const ir::StatementAccess& access : cached.effects.accesses) {
    cached.arrays.push_back(arrays_.at(access.element->array));
  }
  return effects_.emplace(&statement, std::move(cached)).first->second;
}

// Whether something in `body` must be followed; otherwise it is skipped.
bool Machine::follows(const ir::Body& body) {
  const auto found = is_followed_.find(&body);
  if (found != is_followed_.end()) return found->second;
  const bool concerned = std::any_of(body.begin(), body.end(), [&](const ir::Stmt& statement) {
    const CachedEffects& cached = cached_effects(statement);
    const ir::Effects& effects = cached.effects;
    if (!effects.assumes.empty() && environment_.needs_data()) return true;
    if (effects.all_must_arrive || effects.orders_shared) return true;
    const bool touches =
        std::any_of(cached.arrays.begin(), cached.arrays.end(),
                    [&](const ir::Array* array) { return environment_.follows(*array); });
    return touches ||
           std::any_of(effects.nested.begin(), effects.nested.end(),
                       [&](const ir::NestedBody& inner) { return follows(*inner.body); });
  });
  return is_followed_[&body] = concerned;
}

// --- statements with effects, as ir::effects_of says ---

void Machine::require_all(const ir::Effects& effects, const ThreadSet& active) {
  if (!effects.all_must_arrive) return;
  const bool of_subgroup = effects.scope == ir::ExecutionScope::subgroup;
  const std::size_t together = of_subgroup ? workgroup_.subgroup_size : workgroup_.threads;
  for (std::size_t first = 0; first < workgroup_.threads; first += together) {
    const std::size_t end = std::min(workgroup_.threads, first + together);
    const std::size_t arrived = count_active(active, first, end);
    if (arrived > 0 && arrived < end - first)
      return environment_.diverged(*this, effects.operation, active);
  }
}

Values Machine::found(const ir::StatementAccess& access, const ir::Array& array,
                      const ir::Stmt& statement, const ThreadSet& active) {
  const MemoryAccess in_memory{*access.element,   array,         active,
                               access.reads,      access.writes, access.atomic,
                               access.by_any_lane};
  if (!environment_.follows(array)) return unknown_elements(*this, in_memory);
  if (!access.atomic) return environment_.load(*this, in_memory);
  const auto& s = std::get<ir::Atomic>(statement.value);
  return environment_.combine(*this, in_memory, s.combine, values_(s.value));
}

// --- values of statements ---

struct Machine::Results {
  Machine& machine;
  const ThreadSet& active;
  std::vector<Values> found;

  const Workgroup& workgroup() const { return machine.workgroup_; }
  ir::MatrixType::Use use_of(const ir::MatrixPart& part) const {
    return machine.array_of(part).matrix->use;
  }

  std::vector<Values> operator()(const ir::Load&) { return std::move(found); }
  std::vector<Values> operator()(const ir::Atomic&) { return std::move(found); }
  std::vector<Values> operator()(const ir::Barrier&) { return {}; }
  std::vector<Values> operator()(const ir::GridBarrier&) { return {}; }
  std::vector<Values> operator()(const ir::Assume&) { return {}; }  // does not come here
  std::vector<Values> operator()(const ir::Store& s) { return {machine.values_(s.value)}; }
  std::vector<Values> operator()(const ir::MatrixLoad& s) {
    return fragment_from_vectors(s.from, found, use_of(s.to), workgroup());
  }
  std::vector<Values> operator()(const ir::MatrixStore& s) {
    return vectors_from_fragment(s.to, found, use_of(s.from), workgroup());
  }
  std::vector<Values> operator()(const ir::MatrixFill& s) {
    return Fragment(s.to.elements.size(), machine.values_(s.value));
  }
  std::vector<Values> operator()(const ir::MatrixMultiply& s) {
    auto next = found.begin();
    const auto held = [&](const ir::MatrixPart& part) {
      const auto first = next;
      next += static_cast<std::ptrdiff_t>(part.elements.size());
      return Fragment(first, next);
    };
    const Fragment a = held(s.a), b = held(s.b), c = held(s.c);
    const ir::Array& a_array = machine.array_of(s.a);
    machine.budget_.spend(workgroup().threads * c.size() * a_array.matrix->columns);
    return product(a_array, a, machine.array_of(s.b), b, machine.array_of(s.c), c, workgroup());
  }
  std::vector<Values> operator()(const ir::Subgroup& s) {
    const std::size_t threads = workgroup().threads;
    const std::size_t scalars = scalars_of(type_of(s));
    const Values value = machine.values_(s.value), from = machine.values_(s.lane);
    Values out = Values::different(threads, scalars);
    for (std::size_t first = 0; first < threads; first += workgroup().subgroup_size) {
      const std::size_t end = std::min(threads, first + workgroup().subgroup_size);
      if (count_active(active, first, end) < end - first) continue;  // unknown if not all arrive
      machine.budget_.spend(end - first);
      const Values together = subgroup_result(s, value, from, first, end, workgroup().arithmetic);
      for (std::size_t thread = first; thread < end; ++thread) {
        for (std::size_t i = 0; i < scalars; ++i)
          out.set(thread, i, together.in(thread - first, i));
      }
    }
    return {std::move(out)};
  }
  // Statements with a step do not come here.
  template <class Statement>
  requires(is_step<Statement>()) std::vector<Values>
  operator()(const Statement&) { return {}; }
};

void Machine::act(const ir::Stmt& statement, const ThreadSet& active) {
  const CachedEffects& cached = cached_effects(statement);
  const ir::Effects& effects = cached.effects;
  require_all(effects, active);
  const auto lanes_of = [&](const ir::StatementAccess& access) {
    ThreadSet out = active;
    active.for_each([&](std::size_t thread) {
      if (thread % workgroup_.subgroup_size >= access.lanes) out.set(thread, false);
    });
    return out;
  };
  const auto with_lanes = [&](const ir::StatementAccess& access, const auto& body) {
    const bool are_all = access.lanes == 0 || access.lanes == workgroup_.subgroup_size;
    return are_all ? body(active) : body(lanes_of(access));
  };
  std::vector<Values> all_found;
  for (std::size_t i = 0; i < effects.accesses.size(); ++i) {
    const ir::StatementAccess& access = effects.accesses[i];
    if (!access.reads) continue;
    all_found.push_back(with_lanes(access, [&](const ThreadSet& lanes) {
      return found(access, *cached.arrays[i], statement, lanes);
    }));
  }
  // Without data, stored values are unknown; a name always gets a value.
  const bool has_data = environment_.needs_data();
  std::vector<Values> made;
  if (has_data || !effects.defines.empty()) {
    made = std::visit(Results{*this, active, std::move(all_found)}, statement.value);
    // Names of values that differ between rounds are not constant, whoever computed them.
    const auto* lanes = std::get_if<ir::Subgroup>(&statement.value);
    if (lanes != nullptr && !has_data &&
        !(environment_.can_rely_on(*this, lanes->value, active) &&
          environment_.can_rely_on(*this, lanes->lane, active))) {
      made.at(0) = Values::unknown(scalars_of(type_of(*lanes)));
    }
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < effects.accesses.size(); ++i) {
    const ir::StatementAccess& access = effects.accesses[i];
    if (!access.writes || access.atomic) continue;
    const ir::Array& array = *cached.arrays[i];
    const Values value = has_data ? std::move(made.at(next++)) : Values::unknown();
    if (!environment_.follows(array)) continue;
    with_lanes(access, [&](const ThreadSet& lanes) {
      environment_.store(*this,
                         {.element = *access.element,
                          .array = array,
                          .active = lanes,
                          .writes = true,
                          .by_any_lane = access.by_any_lane},
                         value);
    });
  }
  for (const ir::Definition& name : effects.defines)
    values_.define(name.name, std::move(made.at(0)));
  if (effects.orders_shared) environment_.barrier(*this, active);
}

void Machine::step(const ir::Let& s, const ThreadSet&) {
  environment_.named(*this, s.name, s.value);
  const ir::Type& type = s.value->type;
  const bool is_integer =
      type == ir::element(ScalarType::u32) || type == ir::element(ScalarType::i32);
  const bool is_data = type.is_element() && !is_integer;
  values_.define(s.name, is_data && !environment_.needs_data()
                             ? Values::unknown(scalars_of(s.value->type))
                             : Values(s.exact ? values_.exact(s.value) : values_(s.value)));
}

void Machine::step(const ir::Titled& s, const ThreadSet& active) { run(s.body, active); }

// The first block of this workgroup in a grid along x.
void Machine::step(const ir::GridLoop& s, const ThreadSet& active) {
  for (std::size_t i = 0; i < s.variables.size(); ++i)
    values_.define(s.variables[i], Values::same(workgroup_.group[i]));
  run(s.body, active);
}

// Invocations for which the condition is known take their branch. For the others it may hold in all of them or in none:
// these are two paths. If they may differ, it may hold in any of them: on a third path, each takes both branches.
void Machine::step(const ir::If& s, const ThreadSet& active) {
  if (!follows(s.body) && !follows(s.otherwise)) return;
  const Values condition = environment_.can_rely_on(*this, s.condition, active)
                               ? values_(s.condition)
                           : values_(s.condition).is_same() ? Values()
                                                            : Values::unknown();
  ThreadSet holds(active.count()), fails(active.count());
  active.for_each([&](std::size_t thread) {
    const Value& value = condition.in(thread);
    holds.set(thread, value && *value != 0);
    fails.set(thread, value && *value == 0);
  });
  const ThreadSet perhaps = active - fails, perhaps_not = active - holds;
  if (!environment_.forks() || perhaps == holds) {
    run(s.body, perhaps);
    run(s.otherwise, perhaps_not);
    return;
  }
  const bool may_differ = !condition.is_same() && follows(s.body) && follows(s.otherwise);
  const std::any before = environment_.save();
  if (may_differ && perhaps == perhaps_not && statements_in(s.otherwise) > statements_in(s.body)) {
    // The third path runs a branch once more: here the shorter one, or a chain of n branches would run 2^n times.
    try_run(s.otherwise, perhaps_not);
    const std::any otherwise = environment_.save();
    try_run(s.body, perhaps);
    const std::any both = environment_.save();
    environment_.restore(before);
    try_run(s.body, perhaps);
    environment_.join(otherwise);
    return environment_.join(both);
  }
  try_run(s.body, perhaps);
  const std::any then = environment_.save();
  try_run(s.otherwise, fails);
  std::any after = environment_.save();
  environment_.restore(before);
  try_run(s.body, holds);
  try_run(s.otherwise, perhaps_not);
  environment_.join(after);
  if (!may_differ) return;
  after = environment_.save();
  environment_.restore(then);
  try_run(s.otherwise, perhaps_not);
  environment_.join(after);
}

std::size_t Machine::statements_in(const ir::Body& body) {
  const auto entry = statements_in_.try_emplace(&body, 0);
  std::size_t& count = entry.first->second;
  if (entry.second) ir::for_each(body, [&](const ir::Stmt&) { ++count; });
  return count;
}

void Machine::step(const ir::For& s, const ThreadSet& active) {
  if (!follows(s.body)) return;
  const Values ends = environment_.can_rely_on(*this, s.end, active) ? values_(s.end) : Values();
  std::optional<std::uint32_t> known;
  if (ends.is_known(active)) {
    known = 0;
    active.for_each([&](std::size_t thread) {
      known = std::max(*known, static_cast<std::uint32_t>(*ends.in(thread)));
    });
  }
  const Rounds followed = environment_.enter(*this, s, known);
  // Before any round.
  std::any exits = followed.open && environment_.forks() ? environment_.save() : std::any();
  rounds_.emplace_back(s.variable, 0);
  for (std::uint32_t round = 0; round < followed.count; ++round) {
    ThreadSet inside = active;
    if (!followed.open) {
      active.for_each([&](std::size_t thread) {
        const Value& end = ends.in(thread);
        if (end && *end <= round) inside.set(thread, false);
      });
    }
    rounds_.back().second = round;
    values_.define(s.variable, Values::same(round));
    followed.open ? try_run(s.body, inside) : run(s.body, inside);
    if (!followed.open || !environment_.forks()) continue;
    const std::any after = environment_.save();
    environment_.join(exits);
    exits = environment_.save();
    environment_.restore(after);
  }
  if (exits.has_value()) environment_.restore(exits);
  rounds_.pop_back();
  environment_.leave(*this, s);
}

}  // namespace vkmoye::gen::machine
