// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/written_before_read.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "vkmoye/gen/machine/evaluator.hpp"
#include "vkmoye/gen/verify/effects_cache.hpp"
#include "vkmoye/gen/verify/open_loops.hpp"
#include "vkmoye/gen/verify/written_facts.hpp"
#include "vkmoye/gen/verify/written_state.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using machine::ThreadSet;
using machine::Values;

constexpr std::uint64_t kMaxStepsOfWrites = std::uint64_t{1} << 24;
constexpr std::uint32_t kFewRoundsOfWrites = 32;
// First all rounds of loops whose number is known, then, if these are too many steps, those of short loops.
constexpr std::uint32_t kRoundLimits[] = {std::numeric_limits<std::uint32_t>::max(), 64};

class WriteFollower {
 public:
  // `tile`: follows this instead of shared memory and registers. `max_rounds`: loops with more are followed as if the
  // number of their rounds was unknown.
  WriteFollower(const ir::Kernel& kernel, std::uint32_t max_rounds, const Tile* tile = nullptr)
      : kernel_(kernel),
        tile_(tile),
        max_rounds_(max_rounds),
        budget_(kMaxStepsOfWrites),
        values_({kernel.threads, std::max(1u, kernel.subgroup_size)}, budget_),
        loops_(
            kernel, [this](const ir::Array& array) { return is_followed(array); },
            tile == nullptr ? nullptr : &tile->places),
        size_conditions_(kernel),
        state_(kernel, size_conditions_, tile),
        effects_(kernel, [this](const ir::Array& array) { return is_followed(array); }) {}

  std::set<std::string> follow() {
    run();
    std::set<std::string> out;
    for (const ir::Array& array : kernel_.arrays) {
      const bool is_shown = is_followed(array) && !unshown_.contains(array.name);
      if (is_shown && !is_assumed(array)) out.insert(array.name);
    }
    return out;
  }

  // Whether the whole tile is written, where its elements are inside.
  bool follow_tile() {
    run();
    PathConditions inside;
    for (std::size_t i = 0; i < tile_->axes.size(); ++i) {
      const auto bound = size_conditions_.bound_below(tile_->bases[i], extent_of(tile_->axes[i]));
      if (!bound) continue;
      Values at = Values::different(tile_->elements);
      for (std::uint32_t e = 0; e < tile_->elements; ++e) at.set(e, tile_->coordinate(i, e));
      inside.numbers.push_back({*bound, std::move(at), false});
    }
    for (std::uint32_t at = 0; at < tile_->elements; ++at) {
      if (!state_.is_written_where(*tile_->array, at, inside)) return false;
    }
    return true;
  }

 private:
  using Path = WrittenState::Path;
  using When = WrittenFact::When;

  bool is_followed(const ir::Array& array) const {
    return tile_ == nullptr ? !array.is_buffer() : array.name == tile_->array->name;
  }

  void run() {
    run(kernel_.body, {ThreadSet::all(kernel_.threads), ThreadSet(kernel_.threads),
                       std::make_shared<const PathConditions>()});
  }

  bool is_assumed(const ir::Array& array) const {
    return std::any_of(
        kernel_.assumptions.begin(), kernel_.assumptions.end(), [&](const ir::Assumption& one) {
          return one.array == array.name && one.kind == ir::Assumption::Kind::written;
        });
  }

  // `see`: what is called for each fact that is known at the end of `body`, and forgotten there.
  void run(
      const ir::Body& body, const Path& path,
      const std::function<void(const WrittenFact&)>& see = [](const WrittenFact&) {}) {
    if (path.active.none()) return;
    const std::size_t known = facts_.count();
    for (const ir::Stmt& statement : body) visit(statement, path);
    facts_.forget(known, see);
  }

  void visit(const ir::Stmt& statement, const Path& path) {
    budget_.spend(1);
    const ir::Effects& effects = effects_.of(statement);
    if (const auto* loop = std::get_if<ir::For>(&statement.value)) return repeat(*loop, path);
    if (const auto* branches = std::get_if<ir::If>(&statement.value))
      return choose(*branches, path);
    for (const ir::NestedBody& inner : effects.nested) run(*inner.body, path);
    for (const ir::StatementAccess& access : effects.accesses) {
      if (access.reads) follow_access(access, path, /*reads=*/true);
    }
    for (const ir::StatementAccess& access : effects.accesses) {
      if (access.writes) follow_access(access, path, /*reads=*/false);
    }
    for (const ir::Definition& d : effects.defines) define(statement, d);
  }

  void follow_access(const ir::StatementAccess& access, const Path& path, bool reads) {
    const ir::Element& element = *access.element;
    const ir::Array& array = *kernel_.find(element.array);
    if (!is_followed(array)) return;
    ThreadSet lanes = path.active;
    if (access.lanes != 0 && access.lanes < kernel_.subgroup_size) {
      path.active.for_each([&](std::size_t lane) {
        if (lane % kernel_.subgroup_size >= access.lanes) lanes.set(lane, false);
      });
    }
    if (tile_ != nullptr && reads) return;
    const Expr& index = loops_.index_of(element);
    const Values& at = values_(index);
    const bool is_known = loops_.repeats(index) && at.is_known(lanes);
    bool shown = true;
    if (!is_known) {
      // It may read any element that the bounds of the index allow, and may write none of them.
      if (reads) shown = are_written(array, element, lanes, path, access.by_any_lane);
    } else if (reads) {
      shown = state_.is_written(array, at, element.width, lanes, path, access.by_any_lane);
    } else {
      state_.write(array, at, element.width, lanes, path, access.by_any_lane);
    }
    budget_.spend(at.is_same() ? 1 : kernel_.threads);
    if (!shown) unshown_.insert(array.name);
  }

  // The same of all elements that may be meant: of a sum, those from its known terms on.
  bool are_written(const ir::Array& array, const ir::Element& element, const ThreadSet& lanes,
                   const Path& path, bool by_any) {
    const std::uint64_t end = element.coordinates[0]->bound + element.width - 1;
    if (state_.are_written(array, end, lanes, path, by_any)) return true;
    if (array.space != ir::Array::Space::shared) return false;
    Values first = Values::different(kernel_.threads);
    for (std::size_t lane = 0; lane < kernel_.threads; ++lane) first.set(lane, ir::Bits{0});
    std::uint64_t others = 0;
    const std::function<void(const Expr&)> add = [&](const Expr& e) {
      if (e->op == ir::Op::add) {
        for (const Expr& term : e->operands) add(term);
        return;
      }
      const Values& term = values_(e);
      if (!loops_.repeats(e) || !term.is_known(lanes)) {
        others += e->bound - 1;
        return;
      }
      lanes.for_each([&](std::size_t lane) { first.set(lane, *first.in(lane) + *term.in(lane)); });
    };
    add(element.coordinates[0]);
    const auto size = static_cast<std::uint64_t>(array.size());
    budget_.spend(std::min(others, size) * kernel_.threads);
    return others < size &&
           state_.is_written(array, first, static_cast<std::uint32_t>(others) + element.width,
                             lanes, path, by_any);
  }

  void define(const ir::Stmt& statement, const ir::Definition& d) {
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
    values_.define(d.name, is_uniform_load(statement)
                               ? Values::same(std::vector<ir::Value>(scalars))
                               : Values::unknown(scalars));
  }

  // Whether all invocations load the same: at one place, of what none of them can write meanwhile without a race.
  bool is_uniform_load(const ir::Stmt& statement) {
    const auto* load = std::get_if<ir::Load>(&statement.value);
    if (load == nullptr) return false;
    const ir::Array& array = *kernel_.find(load->from.array);
    const bool is_stable =
        array.space == ir::Array::Space::shared ||
        (array.space == ir::Array::Space::buffer && array.access == vkmoye::Access::read);
    const auto& at = load->from.coordinates;
    return is_stable &&
           std::all_of(at.begin(), at.end(), [&](const Expr& e) { return values_(e).is_same(); });
  }

  // The values of `e` where they are the same in all rounds that this path stands for.
  Values reliable(const Expr& e) {
    if (loops_.repeats(e)) return values_(e);
    return values_(e).is_same() ? Values() : Values::unknown();
  }

  // The number of a condition that grows with the rounds of a loop. An element that was written in a round that is
  // followed is written where that number is below the limit; in later rounds, a path has the same bound for a
  // larger one.
  Values growing(const SplitCondition::Part& part) {
    if (!loops_.repeats(part.rest)) return Values::unknown();
    const Values& rest = values_(part.rest);
    for (std::size_t lane = 0; lane < (rest.is_same() ? 1 : kernel_.threads); ++lane) {
      const ir::Value& value = rest.in(lane);
      if (value && *value > ir::Bits{kMaxConditionNumber}) return Values::unknown();
    }
    return values_(part.number);
  }

  void choose(const ir::If& s, const Path& path) {
    if (!effects_.any_followed(s.body) && !effects_.any_followed(s.otherwise)) return;
    const Values condition = reliable(s.condition);
    const ThreadSet nobody(path.active.count());
    WrittenState::Choice choice{path.active, nobody, nobody, path.uncertain, condition.is_same()};
    path.active.for_each([&](std::size_t lane) {
      const ir::Value& value = condition.in(lane);
      choice.holds.set(lane, value && *value != 0);
      choice.fails.set(lane, value && *value == 0);
    });
    const ThreadSet open = path.active - choice.holds - choice.fails;
    choice.is_same = choice.is_same && !open.none();
    const auto taken = [&](const ir::Body& body, bool holds, std::optional<SizeConditions>& why) {
      Path inside = path;
      inside.active -= holds ? choice.fails : choice.holds;
      inside.uncertain -= holds ? choice.fails : choice.holds;
      if (!open.none()) {
        if (!choice.is_same) inside.uncertain |= open;
        inside.conditions =
            with(*path.conditions, size_conditions_.split(s.condition, !holds, definitions_),
                 inside.active, choice.is_same, why);
      }
      const WrittenState::Mark before = state_.mark();
      const When when = holds ? When::holds : When::fails;
      if (!open.none()) facts_.recall(s.condition, when, state_);
      run(body, inside);
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

  // The conditions of a path and those into which one that holds on it was split. `is_same`: all take the path, if
  // these hold; `why` is then what decides, if they do.
  std::shared_ptr<const PathConditions> with(const PathConditions& path,
                                             const SplitCondition& split, const ThreadSet& active,
                                             bool is_same, std::optional<SizeConditions>& why) {
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

  void repeat(const ir::For& s, const Path& path) {
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
    std::multimap<std::uint64_t, WrittenState::Written>
        ahead;  // what is written if a round happens
    for (std::uint64_t r = 0; r < (are_few ? s.end->bound - 1 : enough); ++r) {
      values_.define(s.variable, Values::same(r));
      facts_.recall_for(s, r, state_);
      const auto [from, to] = ahead.equal_range(r);
      for (auto it = from; it != to; ++it) state_.add(it->second);
      // if (r + 2 < n) { tile[..] = x } counts two rounds later.
      run(s.body, inside, [&](const WrittenFact& fact) {
        const std::uint64_t by = rounds_ahead(fact, s, definitions_);
        if (by != 0) ahead.emplace(r + by, fact.written);
      });
      if (r == 0 && !known && ends.is_same()) first = state_.since(before);
    }
    loops_.leave();
    size_conditions_.leave(s.variable);
    if (known) return;
    // It may have had no round.
    state_.take_back(before);
    facts_.remember(s.end, When::has_a_round, std::move(first));
  }

  void give_up(const ir::Body& body) {
    for (const ir::Stmt& statement : body) {
      const ir::Effects& effects = effects_.of(statement);
      for (const ir::StatementAccess& access : effects.accesses)
        unshown_.insert(access.element->array);
      for (const ir::NestedBody& inner : effects.nested) give_up(*inner.body);
    }
  }

  const ir::Kernel& kernel_;
  const Tile* tile_;
  std::uint32_t max_rounds_;
  machine::Budget budget_;
  machine::Evaluator values_;
  OpenLoops loops_;
  SizeConditionTable size_conditions_;
  WrittenState state_;
  WrittenFacts facts_;
  ir::Definitions definitions_;
  std::set<std::string> unshown_;
  EffectsCache effects_;
};

}  // namespace

std::set<std::string> arrays_written_before_read(const ir::Kernel& kernel) {
  for (const std::uint32_t max_rounds : kRoundLimits) {
    try {
      return WriteFollower(kernel, max_rounds).follow();
    } catch (const machine::Budget::Exceeded&) {
    }
  }
  return {};
}

bool is_tile_written(const ir::Kernel& kernel, const Tile& tile) {
  for (const std::uint32_t max_rounds : kRoundLimits) {
    try {
      return WriteFollower(kernel, max_rounds, &tile).follow_tile();
    } catch (const machine::Budget::Exceeded&) {
    }
  }
  return false;
}

}  // namespace vkmoye::gen
