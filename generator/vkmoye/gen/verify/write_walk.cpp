// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/write_walk.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "vkmoye/gen/ir/assumptions.hpp"

namespace vkmoye::gen {

using ir::Expr;
using machine::ThreadSet;
using machine::Values;

namespace {

// 512 tiles of gemm/simt, whose loop has conditions of its edges, take 20 million.
constexpr std::uint64_t kMaxStepsOfWrites = std::uint64_t{1} << 25;
constexpr std::uint32_t kFewRoundsOfWrites = 32;

bool is_followed(const ir::Array& array) { return !array.is_buffer(); }

// What holds in each launch. An extent is so small that n + 1 does not wrap.
ir::Guards initial_guards(const ir::Kernel& kernel) {
  ir::Guards guards = ir::guards_of_launch(kernel);
  for (const PushConstant& argument : kernel.arguments) {
    if (!ir::is_extent(argument.name, kernel)) continue;
    guards.push_back(less(ir::variable(argument.name), ir::to_index(kMaxExtent + 1)));
  }
  return guards;
}

}  // namespace

WriteWalk::WriteWalk(const ir::Kernel& kernel, std::uint32_t max_rounds)
    : kernel_(kernel),
      max_rounds_(max_rounds),
      budget_(kMaxStepsOfWrites),
      values_({kernel.threads, std::max(1u, kernel.subgroup_size)}, budget_),
      loops_(kernel, is_followed),
      size_conditions_(kernel),
      state_(kernel, size_conditions_),
      guards_(initial_guards(kernel)),
      effects_(kernel, is_followed) {}

std::map<std::string, std::string> WriteWalk::unshown() {
  run(kernel_.body, {ThreadSet::all(kernel_.threads), ThreadSet(kernel_.threads),
                     std::make_shared<const PathConditions>()});
  return std::move(unshown_);
}

// `see`: what is called for each fact that is known at the end of `body`, and forgotten there.
void WriteWalk::run(const ir::Body& body, const Path& path,
                    const std::function<void(const WrittenFact&)>& see) {
  if (path.active.none()) return;
  const std::size_t known = facts_.count(), guards = guards_.size();
  for (const ir::Stmt& statement : body) visit(statement, path);
  facts_.forget(known, see);
  guards_.resize(guards, Expr(0));
}

void WriteWalk::visit(const ir::Stmt& statement, const Path& path) {
  budget_.spend(1);
  const ir::Effects& effects = effects_.of(statement);
  if (const auto* loop = std::get_if<ir::For>(&statement.value)) {
    const bool has_a_round = ir::is_positive(expand(loop->end, definitions_), guards_);
    ir::add_guards(guards_, effects.nested.front());
    repeat(*loop, path, has_a_round);
    return guards_.pop_back();
  }
  if (const auto* branches = std::get_if<ir::If>(&statement.value)) return choose(*branches, path);
  for (const ir::NestedBody& inner : effects.nested) run(*inner.body, path);
  const auto are_followed = [this](const ir::StatementAccess& access) {
    return is_followed(*kernel_.find(access.element->array));
  };
  for (const ir::StatementAccess& access : effects.accesses) {
    if (access.reads && are_followed(access)) read(access_of(access, path));
  }
  for (const ir::StatementAccess& access : effects.accesses) {
    if (access.writes && are_followed(access)) write(access_of(access, path));
  }
  for (const ir::Definition& d : effects.defines) define(statement, d);
  for (const Expr* condition : effects.assumes) ir::add_guards(guards_, *condition);
}

WriteWalk::Access WriteWalk::access_of(const ir::StatementAccess& access, const Path& path) const {
  ThreadSet lanes = path.active;
  if (access.lanes != 0 && access.lanes < kernel_.subgroup_size) {
    path.active.for_each([&](std::size_t lane) {
      if (lane % kernel_.subgroup_size >= access.lanes) lanes.set(lane, false);
    });
  }
  return {*kernel_.find(access.element->array), *access.element, std::move(lanes), path,
          access.by_any_lane};
}

WriteWalk::Index WriteWalk::index_of(const Access& access) {
  const Expr& index = access.element.coordinates[0];
  const Values& values = values_(index);
  return {values, loops_.repeats(index) && values.is_known(access.lanes)};
}

// With an unknown index, it may write none of the elements that are looked for.
void WriteWalk::write(const Access& access) {
  const Index at = index_of(access);
  if (at.is_known) {
    state_.write(access.array, at.values, access.element.width, access.lanes, access.path,
                 access.by_any_lane);
  }
  spend_for(at.values);
}

void WriteWalk::read(const Access& access) {
  const Index at = index_of(access);
  const bool shown = at.is_known ? state_.is_written(access.array, at.values, access.element.width,
                                                     access.lanes, access.path, access.by_any_lane)
                                 : may_only_read_written(access);
  spend_for(at.values);
  if (!shown) unshown_.emplace(access.array.name, access.element.source_text);
}

// The elements that the bounds of the index allow, and of a sum, those from its known terms on.
bool WriteWalk::may_only_read_written(const Access& access) {
  const Expr& index = access.element.coordinates[0];
  const std::uint64_t end = index->bound + access.element.width - 1;
  if (state_.are_written(access.array, end, access.lanes, access.path, access.by_any_lane)) {
    return true;
  }
  if (!access.array.is_shared()) return false;
  Values first = Values::different(kernel_.threads);
  for (std::size_t lane = 0; lane < kernel_.threads; ++lane) first.set(lane, ir::Bits{0});
  std::uint64_t others = 0;
  const std::function<void(const Expr&)> add = [&](const Expr& e) {
    if (e->op == ir::Op::add) {
      for (const Expr& term : e->operands) add(term);
      return;
    }
    const Values& term = values_(e);
    if (!loops_.repeats(e) || !term.is_known(access.lanes)) {
      others += e->bound - 1;
      return;
    }
    access.lanes.for_each(
        [&](std::size_t lane) { first.set(lane, *first.in(lane) + *term.in(lane)); });
  };
  add(index);
  const auto size = static_cast<std::uint64_t>(access.array.size());
  budget_.spend(std::min(others, size) * kernel_.threads);
  return others < size &&
         state_.is_written(access.array, first,
                           static_cast<std::uint32_t>(others) + access.element.width, access.lanes,
                           access.path, access.by_any_lane);
}

void WriteWalk::define(const ir::Stmt& statement, const ir::Definition& d) {
  const ir::Type& type = d.value->type;
  const std::size_t scalars = machine::scalars_of(type);
  if (!d.is_data) {
    ir::add_definition(definitions_, d.name, d.value);
    loops_.named(d.name, d.value);
    const bool is_index = !(type.kind == ir::Type::Kind::element) ||
                          type.element == ScalarType::u32 || type.element == ScalarType::i32;
    return values_.define(d.name, is_index ? Values(values_(d.value)) : Values::unknown(scalars));
  }
  definitions_.erase(d.name);
  loops_.named(d.name, 0);  // unknown, or the same in each round
  if (const auto* s = std::get_if<ir::Subgroup>(&statement.value)) {
    if (s->kind == ir::Subgroup::Kind::elect) {
      const Expr lane = ir::builtin(ir::Builtin::lane, std::max(1u, kernel_.subgroup_size));
      return values_.define(d.name, Values(values_(ir::equal(lane, 0))));
    }
  }
  values_.define(d.name, is_uniform_load(statement) ? Values::same(std::vector<ir::Value>(scalars))
                                                    : Values::unknown(scalars));
}

// Whether all invocations load the same: at one place, of what none of them can write meanwhile without a race.
bool WriteWalk::is_uniform_load(const ir::Stmt& statement) {
  const auto* load = std::get_if<ir::Load>(&statement.value);
  if (load == nullptr) return false;
  const ir::Array& array = *kernel_.find(load->from.array);
  const bool is_stable =
      array.is_shared() || (array.is_buffer() && array.access == vkmoye::Access::read);
  const auto& at = load->from.coordinates;
  return is_stable &&
         std::all_of(at.begin(), at.end(), [&](const Expr& e) { return values_(e).is_same(); });
}

// The values of `e` where they are the same in all rounds that this path stands for.
Values WriteWalk::reliable(const Expr& e) {
  if (loops_.repeats(e)) return values_(e);
  return values_(e).is_same() ? Values() : Values::unknown();
}

// The number of a condition that grows with the rounds of a loop. An element that was written in a round that is
// followed is written where that number is below the limit; in later rounds, a path has the same bound for a
// larger one.
Values WriteWalk::growing(const SplitCondition::Part& part) {
  if (!loops_.repeats(part.rest)) return Values::unknown();
  const Values& rest = values_(part.rest);
  for (std::size_t lane = 0; lane < (rest.is_same() ? 1 : kernel_.threads); ++lane) {
    const ir::Value& value = rest.in(lane);
    if (value && *value > ir::Bits{kMaxConditionNumber}) return Values::unknown();
  }
  return values_(part.number);
}

void WriteWalk::choose(const ir::If& s, const Path& path) {
  if (!effects_.any_followed(s.body) && !effects_.any_followed(s.otherwise)) return;
  const Values condition = reliable(s.condition);
  const ThreadSet nobody(path.active.count());
  WrittenState::Choice choice{path.active, nobody, nobody, path.uncertain, condition.is_same()};
  path.active.for_each([&](std::size_t lane) {
    const ir::Value& value = condition.in(lane);
    choice.holds.set(lane, value && *value != 0);
    choice.fails.set(lane, value && *value == 0);
  });
  ThreadSet open = path.active - choice.holds - choice.fails;
  const auto known = open.none() ? std::nullopt : implied(s);
  if (known) {
    (*known ? choice.holds : choice.fails) |= open;
    open = nobody;
  }
  choice.is_same = choice.is_same && !open.none();
  const auto taken = [&](const ir::Body& body, bool holds, std::optional<SizeConditions>& why) {
    Path inside = path;
    inside.active -= holds ? choice.fails : choice.holds;
    inside.uncertain -= holds ? choice.fails : choice.holds;
    const auto conditions = [&](bool is_same) {
      return with(*path.conditions, size_conditions_.split(s.condition, !holds, definitions_),
                  inside.active, is_same, why);
    };
    if (!open.none()) {
      if (!choice.is_same) inside.uncertain |= open;
      inside.conditions = conditions(choice.is_same);
    } else if (known == holds) {
      // The path takes no condition for it, but other conditions may have it as a part.
      inside.conditions = conditions(/*is_same=*/true);
      why.reset();
    }
    const WrittenState::Mark before = state_.mark();
    const When when = holds ? When::holds : When::fails;
    if (!open.none()) facts_.recall(s.condition, when, state_);
    const std::size_t guards = guards_.size();
    if (holds) {
      ir::add_guards(guards_, s.condition);
    } else {
      ir::add_guards_of_failure(guards_, s.condition);
    }
    run(body, inside);
    guards_.resize(guards, Expr(0));
    WrittenState::Written written = state_.take_back(before);
    return written;
  };
  const auto then = taken(s.body, /*holds=*/true, choice.first);
  const auto otherwise = taken(s.otherwise, /*holds=*/false, choice.second);
  state_.join(then, otherwise, choice);
  if (open.none()) return;
  facts_.remember(s.condition, When::holds, then);
  facts_.remember(s.condition, When::fails, otherwise);
}

std::optional<bool> WriteWalk::implied(const ir::If& s) {
  const auto [found, is_new] = implied_.try_emplace(&s);
  if (!is_new) return found->second;
  if (ir::is_implied(s.condition, guards_, definitions_)) {
    found->second = true;
  } else if (ir::is_implied(logical_not(s.condition), guards_, definitions_)) {
    found->second = false;
  }
  return found->second;
}

// The conditions of a path and those into which one that holds on it was split. `is_same`: all take the path, if
// these hold; `why` is then what decides, if they do.
std::shared_ptr<const PathConditions> WriteWalk::with(const PathConditions& path,
                                                      const SplitCondition& split,
                                                      const ThreadSet& active, bool is_same,
                                                      std::optional<SizeConditions>& why) {
  auto out = std::make_shared<PathConditions>(path);
  bool are_all = split.is_complete;
  for (const Expr& other : split.others) {  // that hold, in every round
    are_all = are_all && loops_.repeats(other);
    if (!are_all) break;
    const Values& holds = values_(other);
    active.for_each([&](std::size_t lane) {
      const ir::Value& value = holds.in(lane);
      are_all = are_all && value && *value != 0;
    });
  }
  SizeConditions set;
  for (const SplitCondition::Part& part : split.parts) {
    const bool grows = part.step != 0 && !loops_.repeats(part.number);
    const Values number = grows ? growing(part) : reliable(part.number);
    out->numbers.push_back({part.bound, number, !is_same, grows ? part.step : 0});
    are_all = are_all && number.is_known(active);
    if (is_same && are_all && number.is_same()) {
      set = union_of(set, {{part.bound, static_cast<std::int64_t>(*number.in(0))}});
    } else if (is_same) {
      are_all = false;
    }
  }
  for (const auto& [limit, number] : split.multiples) out->multiples[limit] = number;
  if (is_same && are_all) why = set;
  if (!is_same) out->are_complete = out->are_complete && are_all;
  return out;
}

void WriteWalk::repeat(const ir::For& s, const Path& path, bool has_a_round) {
  if (!effects_.any_followed(s.body)) return;
  const Values ends = reliable(s.end);
  std::optional<std::uint32_t> known;
  if (ends.is_known(path.active)) {
    known = 0;
    path.active.for_each([&](std::size_t lane) {
      known = std::max(*known, static_cast<std::uint32_t>(*ends.in(lane)));
    });
  }
  const LoopPattern& pattern = loops_.pattern_of(s);
  if (known && *known > max_rounds_ && ends.is_same()) known.reset();
  const std::uint64_t enough = pattern.rounds.first + pattern.rounds.period;
  if (known && !(pattern.stands_for_all() && ends.is_same() && *known > enough)) {
    definitions_.erase(s.variable);
    size_conditions_.enter(s.variable, expand(s.end, definitions_));
    loops_.enter(s, /*is_open=*/false);
    for (std::uint32_t r = 0; r < *known; ++r) {
      Path inside = path;
      path.active.for_each([&](std::size_t lane) {
        if (*ends.in(lane) > r) return;
        inside.active.set(lane, false);
        inside.uncertain.set(lane, false);
      });
      values_.define(s.variable, Values::same(r));
      run(s.body, inside);
    }
    loops_.leave();
    size_conditions_.leave(s.variable);
    return;
  }
  const bool are_few = !known && s.end->bound <= kFewRoundsOfWrites && !pattern.stands_for_all();
  if (!are_few && pattern.is_too_long) return give_up(s.body);
  Path inside = path;
  if (!ends.is_same()) {
    inside.uncertain |= path.active;
    auto conditions = std::make_shared<PathConditions>(*path.conditions);
    conditions->are_complete = false;
    inside.conditions = std::move(conditions);
  }
  const WrittenState::Mark before = state_.mark();
  definitions_.erase(s.variable);
  size_conditions_.enter(s.variable, expand(s.end, definitions_));
  loops_.enter(s, !are_few);
  if (!known) facts_.recall(s.end, When::has_a_round, state_);
  WrittenState::Written first;
  std::multimap<std::uint64_t, WrittenState::Written> ahead;  // what is written if a round happens
  for (std::uint64_t r = 0; r < (are_few ? s.end->bound - 1 : enough); ++r) {
    values_.define(s.variable, Values::same(r));
    facts_.recall_for(s, r, state_);
    const auto [from, to] = ahead.equal_range(r);
    for (auto it = from; it != to; ++it) state_.add(it->second);
    // if (r + 2 < n) { tile[..] = x } counts two rounds later.
    // The first round is as certain as the loop.
    run(s.body, r == 0 && has_a_round ? path : inside, [&](const WrittenFact& fact) {
      const std::uint64_t by = rounds_ahead(fact, s, definitions_);
      if (by != 0) ahead.emplace(r + by, fact.written);
    });
    if (r == 0 && !known && (has_a_round || ends.is_same())) first = state_.since(before);
  }
  loops_.leave();
  size_conditions_.leave(s.variable);
  if (known) return;
  // It may have had no round.
  state_.take_back(before);
  if (has_a_round) return state_.add(first);
  facts_.remember(s.end, When::has_a_round, std::move(first));
}

void WriteWalk::give_up(const ir::Body& body) {
  for (const ir::Stmt& statement : body) {
    const ir::Effects& effects = effects_.of(statement);
    for (const ir::StatementAccess& access : effects.accesses)
      unshown_.emplace(access.element->array, "");
    for (const ir::NestedBody& inner : effects.nested) give_up(*inner.body);
  }
}

}  // namespace vkmoye::gen
