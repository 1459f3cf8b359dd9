// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/index_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>

#include "vkmoye/gen/ir/assumptions.hpp"

namespace vkmoye::gen::proof {

using ir::Expr;
using ir::Op;

namespace {

constexpr int kMaxPieces = 64;  // of the facts at a statement

Factors factors_of(const Linear& value, const Variables& variables) {
  Factors factors;
  for (const auto& [variable, factor] : value.terms) factors[variables[variable].name] = factor;
  return factors;
}

}  // namespace

IndexValues::IndexValues(Solver& solver, Variables& variables, const ir::Kernel& kernel,
                         bool is_draft)
    : solver_(solver),
      variables_(variables),
      kernel_(kernel),
      is_draft_(is_draft),
      of_launch_(solver.everything()) {
  scopes_.push_back({solver.everything(), true, {}, {}, {}, {}});
  auto& names = scopes_.back().names;
  for (const PushConstant& argument : kernel.arguments) {
    Name name{{argument.name, SameIn::launch}, {}, {}, {}};
    if (argument.type == ScalarType::u32) {
      name.range = Range{0, ir::is_extent(argument.name, kernel) ? kMaxExtent : kWrap - 1};
    }
    names[argument.name] = std::move(name);
  }
  // What extents count the parts of is split as they need it, also where no index does.
  for (const ir::Array& array : kernel.arrays) {
    for (const ir::Axis& axis : array.axes) {
      if (axis.extent.per != 1) of(ir::extent_of(axis));
    }
  }
  // Before it is known that there is a workgroup: a launch may have none, and then writes nothing.
  for (const ir::Assume& assume : ir::assumptions_of_launch(kernel)) {
    const Set some = of_launch_ & where(assume.condition, /*negated=*/false).points;
    if (some.pieces() <= kMaxPieces) of_launch_ = some;
  }
  add_fact(of_launch_);
  introduce("thread", {0, std::max<std::int64_t>(1, kernel.threads) - 1}, SameIn::invocation);
  // A launch runs ceil(extent / tile) workgroups along a dimension, at most `max_groups`.
  for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
    const GridDimension& dimension = kernel.grid[i];
    const bool is_symbol = dimension.extent.is_symbol();
    const std::int64_t end = !is_symbol                       ? dimension.extent.value
                             : dimension.extent.times.empty() ? kMaxExtent
                                                              : kWrap;
    const std::int64_t parts = (end + dimension.extent.per - 1) / dimension.extent.per;
    std::int64_t workgroups =
        (parts + dimension.tile - 1) / std::max<std::int64_t>(1, dimension.tile);
    if (dimension.max_groups > 0) workgroups = std::min(workgroups, dimension.max_groups);
    const Linear workgroup = introduce(
        kGroupNames[i], {0, std::max<std::int64_t>(1, workgroups) - 1}, SameIn::invocation);
    if (is_symbol) {
      add_fact(less(workgroup * dimension.tile, of(ir::expression(dimension.extent)).value));
    }
  }
}

Set IndexValues::at_most(const Linear& a, const Linear& b) const {
  const Linear difference = variables_.expanded(b - a);
  return solver_.not_negative(factors_of(difference, variables_), difference.constant);
}
Set IndexValues::equal(const Linear& a, const Linear& b) const {
  const Linear difference = variables_.expanded(b - a);
  return solver_.zero(factors_of(difference, variables_), difference.constant);
}

Linear IndexValues::variable(const std::string& name) {
  const bool is_coordinate = name.starts_with("@");
  return variables_.value(
      variables_.add(name, {0, is_coordinate ? kWrap - 1 : 0}, SameIn::invocation));
}

// A coordinate 8 workgroup + 4 a + b, with a in 0..1 and b in 0..3, has the digits b, a and workgroup: the variable is
// split into such digits, which are equal to them one by one. That is the same set, in terms that isl need not search.
// Of vectors of 4 that begin at multiples of 4, the digits below 4 may be any.
Set IndexValues::among(const std::string& name, const Linear& first, std::int64_t count) {
  std::set<std::int64_t> units;
  bool is_multiple = first.constant % count == 0;
  for (const auto& [part, factor] : variables_.expanded(first).terms) {
    units.insert(std::abs(factor));
    is_multiple = is_multiple && factor % count == 0;
  }
  if (is_multiple) units.insert(count);
  for (const std::int64_t unit : units) variables_.quotient(variable(name), unit);
  const Linear at = variable(name);
  std::map<std::int64_t, std::size_t> digits;  // by unit
  for (const auto& [part, factor] : at.terms) digits[factor] = part;
  for (const auto& [part, factor] : variables_.expanded(first).terms) {
    const auto next = digits.upper_bound(factor);
    if (factor <= 0 || next == digits.end() || next->first % factor != 0) continue;
    variables_.quotient(variables_.value(part), next->first / factor);
  }
  const Linear value = variables_.expanded(first);
  const auto without_digits = [&] { return at_most(value, at) & less(at, value + count); };
  Set all = solver_.everything();
  for (auto digit = digits.begin(); digit != digits.end(); ++digit) {
    const auto next = std::next(digit);
    const std::int64_t unit = digit->first, end = next == digits.end() ? kFar : next->first;
    if (is_multiple && unit < count) {
      if (end > count) return without_digits();
      all = all & in_range(variables_.value(digit->second), variables_[digit->second].range);
      continue;
    }
    Linear here = value.constant % end / unit;
    for (const auto& [part, factor] : value.terms) {
      if (factor < unit || factor >= end) continue;
      if (factor % unit != 0) return without_digits();
      here.terms[part] = factor / unit;
    }
    const std::int64_t width = unit == 1 && !is_multiple ? count : 1;
    const Range range = variables_.range(here);
    if (value.constant < 0 || range.min < 0 || range.max + width > end / unit) {
      return without_digits();
    }
    const Linear one = variables_.value(digit->second);
    all = all & (width == 1 ? equal(one, here) : at_most(here, one) & less(one, here + width));
  }
  for (const auto& [part, factor] : value.terms) {
    if (factor < 0) return without_digits();
  }
  return all;
}

Linear IndexValues::introduce(const std::string& name, Range range, SameIn same_in) {
  const std::size_t variable = variables_.add(name, range, same_in);
  const Linear value = variables_.value(variable);
  add_fact(in_range(value, range));
  return value;
}

Linear IndexValues::argument(const std::string& name, Range range) {
  const Linear value = variables_.value(variables_.add(name, range, SameIn::launch));
  if (is_draft_) return value;
  const Set points = in_range(value, range);
  for (Scope& scope : scopes_) scope.facts = scope.facts & points;
  return value;
}

Set IndexValues::in_range(const Linear& value, Range range) const {
  Set points = solver_.everything();
  for (const auto& [part, factor] : value.terms) {
    const Linear one = variables_.value(part);
    points = points & at_most(variables_[part].range.min, one) &
             at_most(one, variables_[part].range.max);
  }
  return variables_.range(value).max > range.max ? points & at_most(value, range.max) : points;
}

void IndexValues::tie(const std::string& name, const Set& points, SameIn same_in) {
  add_fact(points);
  const auto is_it = [&](const auto& known) { return known.first == name; };
  if (is_draft_ || same_in != SameIn::launch || std::any_of(ties_.begin(), ties_.end(), is_it))
    return;
  ties_.emplace_back(name, points);
}

Set IndexValues::in_launch(Set points) const {
  points = points & of_launch_;
  std::vector<bool> is_added(ties_.size(), false);
  for (bool any = true; any;) {
    any = false;
    const std::vector<std::string> used = points.variables();
    for (std::size_t i = 0; i < ties_.size(); ++i) {
      const auto is_part = [&](const std::string& variable) {
        return variable == ties_[i].first || variable.starts_with(ties_[i].first + ".");
      };
      if (is_added[i] || std::none_of(used.begin(), used.end(), is_part)) continue;
      points = points & ties_[i].second;
      is_added[i] = any = true;
    }
  }
  return points;
}

void IndexValues::enter() {
  const Scope& outer = scopes_.back();
  scopes_.push_back({outer.facts, outer.is_exact, {}, {}, {}, {}});
}
void IndexValues::leave() { scopes_.pop_back(); }
void IndexValues::add_fact(const Set& points) {
  if (is_draft_) return;
  Set& facts = scopes_.back().facts;
  facts = facts & points;
  if (facts.pieces() > kMaxPieces) throw GaveUp{};
}

void IndexValues::assume(const Expr& condition) {
  const Set points = where(condition, /*negated=*/false).points;
  if ((facts() & points).pieces() <= kMaxPieces) add_fact(points);
}

IndexValues::Name* IndexValues::find(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) return &found->second;
  }
  return nullptr;
}

IndexValues::Identity IndexValues::identity_of_load(const ir::Element& from) {
  Identity identity{fmt::format("load {} {} {}(", from.array, from.width, from.as_words),
                    SameIn::launch};
  for (const Expr& coordinate : from.coordinates) {
    const Identity part = identity_of(coordinate);
    identity.key += part.key + ",";
    identity.same_in = std::max(identity.same_in, part.same_in);
  }
  identity.key = variables_.short_key(identity.key);
  return identity;
}

void IndexValues::define(const ir::Definition& definition, const ir::Element* from) {
  Name name;
  const Expr& value = definition.value;
  if (definition.is_data) {
    const ir::Array* array = from == nullptr ? nullptr : kernel_.find(from->array);
    const bool is_input =
        array != nullptr && array->is_buffer() && array->access == vkmoye::Access::read;
    name.identity = is_input ? identity_of_load(*from) : Identity{fmt::format("$data{}", data_++)};
    if (value->type == ir::kIndex) {
      const auto max = static_cast<std::int64_t>(value->bound) - 1;
      name.index = Index{introduce("?" + name.identity.key, {0, max}, SameIn::invocation), false};
    }
  } else {
    name.identity = identity_of(value);
    name.meaning = value;
  }
  scopes_.back().names.insert_or_assign(definition.name, std::move(name));
}

std::optional<Set> IndexValues::add(const ir::NestedBody& inner) {
  if (inner.condition == nullptr) return std::nullopt;
  Scope& scope = scopes_.back();
  if (!inner.repeats) {
    const Condition condition = where(*inner.condition, !inner.holds);
    scope.is_exact = scope.is_exact && condition.is_exact;
    const std::vector<std::string> used = condition.points.variables();
    const bool is_of_launch = std::all_of(used.begin(), used.end(), [&](const std::string& name) {
      return variables_.same_in(variable(name)) == SameIn::launch;
    });
    const bool splits = (facts() & condition.points).pieces() > facts().pieces();
    if (!is_of_launch || !splits) add_fact(condition.points);
    return is_of_launch ? std::optional(condition.points) : std::nullopt;
  }
  const Index end = of(*inner.condition);
  const std::string& name = inner.defines.front().name;
  const std::string variable = fmt::format("{}#{}", name, counters_++);
  const auto max = std::min(static_cast<std::int64_t>(inner.defines.front().value->bound) - 1,
                            std::max<std::int64_t>(0, range(end).max - 1));
  const Linear round = introduce(variable, {0, max}, SameIn::invocation);
  add_fact(less(round, end.value));
  scope.is_exact = scope.is_exact && end.is_exact;
  scope.names[name] = {{variable, SameIn::workgroup}, {}, Index{round}, {}};
  return std::nullopt;
}

}  // namespace vkmoye::gen::proof
