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
    std::visit([&](const auto& s) { step(s, active); }, statement.value);
  }
}

// Whether something in `body` has to be followed: else it is passed over.
bool Machine::concerns(const ir::Body& body) {
  const auto found = concerns_.find(&body);
  if (found != concerns_.end()) return found->second;
  const bool concerned = std::any_of(body.begin(), body.end(), [&](const ir::Stmt& statement) {
    const ir::Effects effects = effects_of(statement, kernel_);
    if (effects.all_must_come) return true;
    const bool touches = std::any_of(
        effects.touches.begin(), effects.touches.end(),
        [&](const ir::Touch& touch) { return guest_.concerns(array_of(*touch.element)); });
    return touches || std::any_of(effects.inner.begin(), effects.inner.end(),
                                  [&](const ir::Inner& inner) { return concerns(*inner.body); });
  });
  return concerns_[&body] = concerned;
}

void Machine::step(const ir::Let& s, const Lanes&) {
  guest_.named(*this, s.name, s.value);
  const bool is_data = s.value->type.kind == ir::Type::Kind::element;
  values_.define(s.name, is_data && !guest_.needs_data()
                             ? Values::unknown(scalars_of(s.value->type))
                             : Values(values_(s.value)));
}

Values Machine::read(const ir::Element& element, const Lanes& active, bool by_any_lane) {
  const MemoryAccess access{element, array_of(element), active, /*reads=*/true, false,
                            false,   by_any_lane};
  return guest_.concerns(access.array) ? guest_.load(*this, access) : unknown_elements(access);
}

void Machine::write(const ir::Element& element, const Lanes& active, const Values& values,
                    bool by_any_lane) {
  const MemoryAccess access{element, array_of(element), active, /*reads=*/false, /*writes=*/true,
                            false,   by_any_lane};
  if (guest_.concerns(access.array)) guest_.store(*this, access, values);
}

void Machine::step(const ir::Load& s, const Lanes& active) {
  values_.define(s.name, read(s.from, active));
}

void Machine::step(const ir::Store& s, const Lanes& active) {
  write(s.to, active, guest_.needs_data() ? values_(s.value) : Values::unknown());
}

void Machine::step(const ir::Atomic& s, const Lanes& active) {
  const MemoryAccess access{s.to, array_of(s.to), active, true, true, /*atomic=*/true};
  values_.define(s.name, guest_.concerns(access.array)
                             ? guest_.combine(*this, access, s.combine, values_(s.value))
                             : Values::unknown());
}

void Machine::step(const ir::Block& s, const Lanes& active) { run(s.body, active); }

void Machine::step(const ir::Barrier&, const Lanes& active) {
  if (!(active == Lanes(workgroup_.threads, true))) guest_.diverged(*this, "a barrier", active);
  guest_.barrier(*this, active);
}

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

// --- matrices ---

std::vector<Values> Machine::read(const std::vector<ir::Element>& elements, const Lanes& active,
                                  bool by_any_lane) {
  std::vector<Values> out;
  for (const ir::Element& element : elements) out.push_back(read(element, active, by_any_lane));
  return out;
}

void Machine::write(const std::vector<ir::Element>& elements, const Lanes& active,
                    const std::vector<Values>& values, bool by_any_lane) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    write(elements[i], active, guest_.needs_data() ? values[i] : Values::unknown(), by_any_lane);
  }
}

void Machine::require_whole_subgroups(const char* what, const Lanes& active) {
  for (std::size_t first = 0; first < workgroup_.threads; first += workgroup_.subgroup) {
    const std::size_t end = std::min(workgroup_.threads, first + workgroup_.subgroup);
    const std::size_t come = coming(active, first, end);
    if (come > 0 && come < end - first) return guest_.diverged(*this, what, active);
  }
}

Lanes Machine::moving(const ir::MatrixRegion& region, const Lanes& active) const {
  Lanes out = active;
  if (region.lanes == workgroup_.subgroup) return out;
  active.for_each([&](std::size_t lane) {
    if (lane % workgroup_.subgroup >= region.lanes) out.set(lane, false);
  });
  return out;
}

void Machine::step(const ir::MatrixLoad& s, const Lanes& active) {
  require_whole_subgroups("a load of a matrix", active);
  const std::vector<Values> vectors =
      read(s.from.vectors, moving(s.from, active), /*by_any_lane=*/true);
  write(s.to.elements, active,
        guest_.needs_data() ? held_from(s.from, vectors, array_of(s.to).matrix->use, workgroup_)
                            : vectors);
}

void Machine::step(const ir::MatrixStore& s, const Lanes& active) {
  require_whole_subgroups("a store of a matrix", active);
  const Held held = read(s.from.elements, active);
  write(s.to.vectors, moving(s.to, active),
        guest_.needs_data() ? vectors_from(s.to, held, array_of(s.from).matrix->use, workgroup_)
                            : held,
        /*by_any_lane=*/true);
}

void Machine::step(const ir::MatrixFill& s, const Lanes& active) {
  require_whole_subgroups("a matrix that is filled", active);
  write(s.to.elements, active, Held(s.to.elements.size(), values_(s.value)));
}

void Machine::step(const ir::MatrixMultiply& s, const Lanes& active) {
  require_whole_subgroups("a product of matrices", active);
  const Held a = read(s.a.elements, active), b = read(s.b.elements, active),
             c = read(s.c.elements, active);
  if (!guest_.needs_data()) return write(s.to.elements, active, {});
  budget_.spend(workgroup_.threads * c.size() * array_of(s.a).matrix->columns);
  write(s.to.elements, active,
        product(array_of(s.a), a, array_of(s.b), b, array_of(s.c), c, workgroup_));
}

// --- subgroups ---

void Machine::step(const ir::Subgroup& s, const Lanes& active) {
  const std::size_t threads = workgroup_.threads;
  const std::size_t scalars = scalars_of(type_of(s));
  const Values value = values_(s.value), from = values_(s.lane);
  Values out = Values::different(threads, scalars);
  for (std::size_t first = 0; first < threads; first += workgroup_.subgroup) {
    const std::size_t end = std::min(threads, first + workgroup_.subgroup);
    const std::size_t come = coming(active, first, end);
    if (come == 0) continue;
    if (come < end - first) {
      guest_.diverged(*this, "a subgroup operation", active);
      continue;
    }
    budget_.spend(end - first);
    const Values found = found_together(s, value, from, first, end);
    for (std::size_t lane = first; lane < end; ++lane) {
      for (std::size_t i = 0; i < scalars; ++i) out.set(lane, i, found.in(lane - first, i));
    }
  }
  values_.define(s.name, std::move(out));
}

}  // namespace vkmoye::gen::machine
