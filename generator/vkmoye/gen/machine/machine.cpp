// SPDX-License-Identifier: MIT
#include "vkmoye/gen/machine/machine.hpp"

#include <algorithm>

#include "vkmoye/gen/machine/matrix.hpp"
#include "vkmoye/gen/machine/subgroup.hpp"

namespace vkmoye::gen::machine {

using ir::Expr;

namespace {

// How many of the invocations first .. end-1 are active.
std::size_t coming(const Lanes& active, std::size_t first, std::size_t end) {
  std::size_t come = 0;
  for (std::size_t lane = first; lane < end; ++lane) come += active.has(lane) ? 1 : 0;
  return come;
}

}  // namespace

Values unknown_elements(const MemoryAccess& access) {
  return Values::unknown(scalars_of(type_of(access.element, access.array)));
}

Values Guest::load(Machine& machine, const MemoryAccess& access) {
  accessed(machine, access);
  return unknown_elements(access);
}

Values Guest::combine(Machine& machine, const MemoryAccess& access, ir::Op, const Values&) {
  accessed(machine, access);
  return Values::unknown();
}

Machine::Machine(const ir::Kernel& kernel, const Workgroup& workgroup, Guest& guest, Budget& budget)
    : kernel_(kernel),
      workgroup_(workgroup),
      guest_(guest),
      budget_(budget),
      values_(workgroup, budget) {
  for (const ir::Array& array : kernel.arrays) arrays_.emplace(array.name, &array);
}

void Machine::run() { run(kernel_.body, Lanes(workgroup_.threads, true)); }

void Machine::run(const ir::Body& body, const Lanes& active) {
  if (active.none()) return;
  for (const ir::Stmt& statement : body) {
    budget_.spend(1);
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

const Machine::Account& Machine::account_of(const ir::Stmt& statement) {
  const auto known = accounts_.find(&statement);
  if (known != accounts_.end()) return known->second;
  Account account{effects_of(statement, kernel_), {}};
  for (const ir::Touch& touch : account.effects.touches) {
    account.arrays.push_back(arrays_.at(touch.element->array));
  }
  return accounts_.emplace(&statement, std::move(account)).first->second;
}

// Whether something in `body` has to be followed: else it is passed over.
bool Machine::concerns(const ir::Body& body) {
  const auto found = concerns_.find(&body);
  if (found != concerns_.end()) return found->second;
  const bool concerned = std::any_of(body.begin(), body.end(), [&](const ir::Stmt& statement) {
    const Account& account = account_of(statement);
    const ir::Effects& effects = account.effects;
    if (effects.all_must_come || effects.orders_shared) return true;
    const bool touches =
        std::any_of(account.arrays.begin(), account.arrays.end(),
                    [&](const ir::Array* array) { return guest_.concerns(*array); });
    return touches || std::any_of(effects.inner.begin(), effects.inner.end(),
                                  [&](const ir::Inner& inner) { return concerns(*inner.body); });
  });
  return concerns_[&body] = concerned;
}

// --- statements that act: as ir::effects_of says ---

void Machine::require_all(const ir::Effects& effects, const Lanes& active) {
  if (!effects.all_must_come) return;
  const bool of_subgroup = effects.agent == ir::Agent::subgroup;
  const std::size_t together = of_subgroup ? workgroup_.subgroup : workgroup_.threads;
  for (std::size_t first = 0; first < workgroup_.threads; first += together) {
    const std::size_t end = std::min(workgroup_.threads, first + together);
    const std::size_t come = coming(active, first, end);
    if (come > 0 && come < end - first) return guest_.diverged(*this, effects.act, active);
  }
}

Values Machine::found(const ir::Touch& touch, const ir::Array& array, const ir::Stmt& statement,
                      const Lanes& active) {
  const MemoryAccess access{*touch.element, array,        active,           touch.reads,
                            touch.writes,   touch.atomic, touch.by_any_lane};
  if (!guest_.concerns(array)) return unknown_elements(access);
  if (!touch.atomic) return guest_.load(*this, access);
  const auto& s = std::get<ir::Atomic>(statement.value);
  return guest_.combine(*this, access, s.combine, values_(s.value));
}

// --- what the values are ---

struct Machine::Results {
  Machine& machine;
  const Lanes& active;
  std::vector<Values> found;

  const Workgroup& workgroup() const { return machine.workgroup_; }
  ir::MatrixType::Use use_of(const ir::MatrixPart& part) const {
    return machine.array_of(part).matrix->use;
  }

  std::vector<Values> operator()(const ir::Load&) { return std::move(found); }
  std::vector<Values> operator()(const ir::Atomic&) { return std::move(found); }
  std::vector<Values> operator()(const ir::Barrier&) { return {}; }
  std::vector<Values> operator()(const ir::Store& s) { return {machine.values_(s.value)}; }
  std::vector<Values> operator()(const ir::MatrixLoad& s) {
    return held_from(s.from, found, use_of(s.to), workgroup());
  }
  std::vector<Values> operator()(const ir::MatrixStore& s) {
    return vectors_from(s.to, found, use_of(s.from), workgroup());
  }
  std::vector<Values> operator()(const ir::MatrixFill& s) {
    return Held(s.to.elements.size(), machine.values_(s.value));
  }
  std::vector<Values> operator()(const ir::MatrixMultiply& s) {
    auto next = found.begin();
    const auto held = [&](const ir::MatrixPart& part) {
      const auto first = next;
      next += static_cast<std::ptrdiff_t>(part.elements.size());
      return Held(first, next);
    };
    const Held a = held(s.a), b = held(s.b), c = held(s.c);
    const ir::Array& a_array = machine.array_of(s.a);
    machine.budget_.spend(workgroup().threads * c.size() * a_array.matrix->columns);
    return product(a_array, a, machine.array_of(s.b), b, machine.array_of(s.c), c, workgroup());
  }
  std::vector<Values> operator()(const ir::Subgroup& s) {
    const std::size_t threads = workgroup().threads;
    const std::size_t scalars = scalars_of(type_of(s));
    const Values value = machine.values_(s.value), from = machine.values_(s.lane);
    Values out = Values::different(threads, scalars);
    for (std::size_t first = 0; first < threads; first += workgroup().subgroup) {
      const std::size_t end = std::min(threads, first + workgroup().subgroup);
      if (coming(active, first, end) < end - first) continue;  // not known of a part of them
      machine.budget_.spend(end - first);
      const Values together = found_together(s, value, from, first, end);
      for (std::size_t lane = first; lane < end; ++lane) {
        for (std::size_t i = 0; i < scalars; ++i) out.set(lane, i, together.in(lane - first, i));
      }
    }
    return {std::move(out)};
  }
  // Those that steer or name have a step, and do not come here.
  template <class Statement>
  requires(is_step<Statement>()) std::vector<Values>
  operator()(const Statement&) { return {}; }
};

void Machine::act(const ir::Stmt& statement, const Lanes& active) {
  const Account& account = account_of(statement);
  const ir::Effects& effects = account.effects;
  require_all(effects, active);
  const auto lanes_of = [&](const ir::Touch& touch) {
    Lanes out = active;
    active.for_each([&](std::size_t lane) {
      if (lane % workgroup_.subgroup >= touch.lanes) out.set(lane, false);
    });
    return out;
  };
  const auto with_lanes = [&](const ir::Touch& touch, const auto& body) {
    const bool are_all = touch.lanes == 0 || touch.lanes == workgroup_.subgroup;
    return are_all ? body(active) : body(lanes_of(touch));
  };
  std::vector<Values> all_found;
  for (std::size_t i = 0; i < effects.touches.size(); ++i) {
    const ir::Touch& touch = effects.touches[i];
    if (!touch.reads) continue;
    all_found.push_back(with_lanes(touch, [&](const Lanes& lanes) {
      return found(touch, *account.arrays[i], statement, lanes);
    }));
  }
  // Without data, what is stored is not known; what is named always has a value.
  const bool has_data = guest_.needs_data();
  std::vector<Values> made;
  if (has_data || !effects.defines.empty()) {
    made = std::visit(Results{*this, active, std::move(all_found)}, statement.value);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < effects.touches.size(); ++i) {
    const ir::Touch& touch = effects.touches[i];
    if (!touch.writes || touch.atomic) continue;
    const ir::Array& array = *account.arrays[i];
    const Values value = has_data ? std::move(made.at(next++)) : Values::unknown();
    if (!guest_.concerns(array)) continue;
    with_lanes(touch, [&](const Lanes& lanes) {
      guest_.store(*this, {*touch.element, array, lanes, false, true, false, touch.by_any_lane},
                   value);
    });
  }
  for (const ir::Definition& name : effects.defines)
    values_.define(name.name, std::move(made.at(0)));
  if (effects.orders_shared) guest_.barrier(*this, active);
}

void Machine::step(const ir::Let& s, const Lanes&) {
  guest_.named(*this, s.name, s.value);
  const bool is_data = s.value->type.kind == ir::Type::Kind::element;
  values_.define(s.name, is_data && !guest_.needs_data()
                             ? Values::unknown(scalars_of(s.value->type))
                             : Values(values_(s.value)));
}

void Machine::step(const ir::Block& s, const Lanes& active) { run(s.body, active); }

// Invocations of which it is known go their way. Where it is not known for some, it may hold for all
// of these or for none: two paths; and, if they may differ, for any of them: a third, on which
// each of them goes both ways.
void Machine::step(const ir::If& s, const Lanes& active) {
  if (!concerns(s.body) && !concerns(s.otherwise)) return;
  const Values condition = guest_.can_rely_on(*this, s.condition) ? values_(s.condition)
                           : values_(s.condition).is_same()       ? Values()
                                                                  : Values::unknown();
  Lanes holds(active.count()), fails(active.count());
  active.for_each([&](std::size_t lane) {
    const Value& value = condition.in(lane);
    holds.set(lane, value && *value != 0);
    fails.set(lane, value && *value == 0);
  });
  const Lanes perhaps = active - fails, perhaps_not = active - holds;
  if (!guest_.forks() || perhaps == holds) {
    run(s.body, perhaps);
    run(s.otherwise, perhaps_not);
    return;
  }
  const std::any before = guest_.save();
  run(s.body, perhaps);
  run(s.otherwise, fails);
  std::any after = guest_.save();
  guest_.restore(before);
  run(s.body, holds);
  run(s.otherwise, perhaps_not);
  guest_.join(after);
  if (condition.is_same() || !concerns(s.body) || !concerns(s.otherwise)) return;
  after = guest_.save();
  guest_.restore(before);
  run(s.body, perhaps);
  run(s.otherwise, perhaps_not);
  guest_.join(after);
}

void Machine::step(const ir::For& s, const Lanes& active) {
  if (!concerns(s.body)) return;
  const Values ends = guest_.can_rely_on(*this, s.end) ? values_(s.end) : Values();
  std::optional<std::uint32_t> known;
  if (ends.is_known(active)) {
    known = 0;
    active.for_each([&](std::size_t lane) {
      known = std::max(*known, static_cast<std::uint32_t>(*ends.in(lane)));
    });
  }
  const Rounds plan = guest_.enter(*this, s, known);
  std::any exits = plan.open && guest_.forks() ? guest_.save() : std::any();  // before any round
  rounds_.emplace_back(s.variable, 0);
  for (std::uint32_t round = 0; round < plan.count; ++round) {
    Lanes inside = active;
    if (!plan.open) {
      active.for_each([&](std::size_t lane) {
        const Value& end = ends.in(lane);
        if (end && *end <= round) inside.set(lane, false);
      });
    }
    rounds_.back().second = round;
    values_.define(s.variable, Values::same(round));
    run(s.body, inside);
    if (!plan.open || !guest_.forks()) continue;
    const std::any after = guest_.save();
    guest_.join(exits);
    exits = guest_.save();
    guest_.restore(after);
  }
  if (exits.has_value()) guest_.restore(exits);
  rounds_.pop_back();
  guest_.leave(*this, s);
}

}  // namespace vkmoye::gen::machine
