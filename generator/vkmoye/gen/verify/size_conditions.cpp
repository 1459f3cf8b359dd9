// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/size_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/ceil_div.hpp"
#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen {

using ir::Expr;
using ir::Op;

namespace {

// Equal for equal expressions.
std::string key_of(const Expr& e) {
  std::string key = fmt::format("{}.{}.{}.{}.{}(", static_cast<int>(e->op), e->value,
                                static_cast<int>(e->builtin), e->name, name_of(e->type));
  for (const Expr& operand : e->operands) key += key_of(operand) + ",";
  return key + ")";
}

constexpr std::size_t kMaxSize = 64;  // nodes of a condition; larger ones are not looked at

bool is_small(const Expr& e) {
  std::size_t nodes = 0;
  const std::function<void(const Expr&)> count = [&](const Expr& part) {
    if (++nodes > kMaxSize) return;
    for (const Expr& operand : part->operands) count(operand);
  };
  count(e);
  return nodes <= kMaxSize;
}

}  // namespace

void add_linear_terms(const Expr& e, std::uint32_t factor, std::vector<LinearTerm>& terms) {
  const bool is_index = e->type == ir::kIndex;
  if (is_index && is_constant(e)) {
    terms.push_back({1, factor * static_cast<std::uint32_t>(e->value)});
  } else if (is_index && e->op == Op::add) {
    for (const Expr& operand : e->operands) add_linear_terms(operand, factor, terms);
  } else if (is_index && e->op == Op::multiply && is_constant(e->operands[0])) {
    add_linear_terms(e->operands[1], factor * static_cast<std::uint32_t>(e->operands[0]->value),
                     terms);
  } else if (is_index && e->op == Op::multiply && is_constant(e->operands[1])) {
    add_linear_terms(e->operands[0], factor * static_cast<std::uint32_t>(e->operands[1]->value),
                     terms);
  } else {
    terms.push_back({e, factor});
  }
}

SizeConditionTable::SizeConditionTable(const ir::Kernel& kernel) : kernel_(kernel) {}

// Whether arguments and the workgroup alone decide `e`, so that it has one value throughout.
bool SizeConditionTable::is_of_launch(const Expr& e) const {
  bool is = true;
  ir::for_each_node(e, [&](const ir::Node& node) {
    if (node.op == Op::builtin) {
      is = is && (node.builtin == ir::Builtin::group_x || node.builtin == ir::Builtin::group_y ||
                  node.builtin == ir::Builtin::group_z);
    }
    if (node.op != Op::variable) return;
    is = is && std::any_of(kernel_.arguments.begin(), kernel_.arguments.end(),
                           [&](const PushConstant& one) { return one.name == node.name; });
  });
  return is;
}

std::optional<std::size_t> dimension_of_workgroup(const Expr& e) {
  if (const auto dimension = grid_dimension_of(e)) return dimension;
  if (e->op != Op::variable) return std::nullopt;
  const auto* first = std::find(std::begin(kFirstGroup), std::end(kFirstGroup), e->name);
  if (first == std::end(kFirstGroup)) return std::nullopt;
  return static_cast<std::size_t>(first - std::begin(kFirstGroup));
}

// What is known of a sum of multiples of the workgroup's coordinates, and of other values of the launch, whose bounds
// count; false if it may wrap. By one coordinate at most, it grows with an extent: 64 * group_x is below n where the
// grid counts tiles of 64 or more along n.
bool SizeConditionTable::add_base(const std::map<std::string, LinearTerm>& base,
                                  Bound& bound) const {
  bool has_extent = false;
  std::int64_t others = 0;  // that are added to it, at most
  for (const auto& [key, part] : base) {
    if (dimension_of_workgroup(part.term)) continue;
    if (part.factor == 0) continue;  // a multiple of 2^32
    const auto max = static_cast<std::int64_t>(part.term->bound) - 1;
    if (max > kMaxConditionNumber / part.factor) return false;
    others += max * part.factor;
    bound.step = std::gcd(bound.step, std::int64_t{part.factor});
  }
  for (std::size_t i = 0; i < kernel_.grid.size(); ++i) {
    const GridDimension& dimension = kernel_.grid[i];
    std::int64_t factor = 0, first = 0;
    for (const auto& [key, part] : base) {
      if (grid_dimension_of(part.term) == i) factor = part.factor;
      if (part.term->op == Op::variable && part.term->name == kFirstGroup[i]) first = part.factor;
    }
    if (first != 0 && first != factor) return false;
    if (factor == 0) continue;
    bound.step = std::gcd(bound.step, factor);
    const Extent& extent = dimension.extent;
    std::int64_t workgroups = dimension.max_groups;  // at most; 0: as many as the extent has tiles
    if (!extent.is_symbol()) {
      const std::int64_t all = (extent.value + dimension.tile - 1) / dimension.tile;
      workgroups = workgroups == 0 ? std::max<std::int64_t>(1, all) : std::min(workgroups, all);
    }
    if (workgroups > 0 && (workgroups - 1) <= kMaxConditionNumber / factor) {
      others += (workgroups - 1) * factor;
      continue;
    }
    const bool is_element =
        factor <= dimension.tile &&
        (extent.is_symbol() ? extent.times.empty() : extent.value <= kMaxExtent);
    if (!is_element || has_extent) return false;
    has_extent = true;
  }
  bound.max = kMaxConditionNumber - others;
  return others <= kMaxConditionNumber;
}

std::size_t SizeConditionTable::bound_of(const std::string& key, const Bound& bound) {
  const auto [found, is_new] = numbers_.emplace(key, bounds_.size());
  if (is_new) bounds_.push_back(bound);
  return found->second;
}

const SplitCondition& SizeConditionTable::split(const Expr& condition, bool negated,
                                                const ir::Definitions& definitions) {
  const auto [found, is_new] = split_.try_emplace({&condition, negated});
  if (is_new) add(condition, negated, definitions, found->second);
  return found->second;
}

void SizeConditionTable::add(const Expr& written, bool negated, const ir::Definitions& definitions,
                             SplitCondition& out) {
  const Expr e = written->op == Op::variable ? expand(written, definitions) : written;
  if (e->op == Op::logical_not) return add(e->operands[0], !negated, definitions, out);
  if (e->op == (negated ? Op::logical_or : Op::logical_and)) {
    add(e->operands[0], negated, definitions, out);
    return add(e->operands[1], negated, definitions, out);
  }
  const bool compares = e->op == Op::less || e->op == Op::equal || e->op == Op::not_equal;
  if (!compares || !(e->operands[0]->type == ir::kIndex)) {
    out.is_complete = false;
    return;
  }
  const Expr a = expand(e->operands[0], definitions), b = expand(e->operands[1], definitions);
  if (!is_small(a) || !is_small(b)) {
    out.is_complete = false;
    return;
  }
  if (e->op == Op::less && !negated && is_of_launch(b) && add_less(a, b, out)) return;
  if (is_of_launch(a) && is_of_launch(b)) {
    const std::string key = fmt::format("{}{} {} {}", negated ? "!" : "", static_cast<int>(e->op),
                                        key_of(a), key_of(b));
    out.parts.push_back({bound_of(key, {}), 0});
    // n % 4 == 0, or n & 3 == 0
    const bool are_equal = e->op == (negated ? Op::not_equal : Op::equal);
    if (!are_equal || !is_constant(b, 0) || a->operands.size() != 2) return;
    for (const std::size_t i : {0, 1}) {
      const Expr& number = a->operands[1 - i];
      if (!is_constant(number)) continue;
      const std::uint64_t value = number->value + (a->op == Op::bit_and ? 1 : 0);
      const bool is_remainder =
          (a->op == Op::modulo && i == 0) || (a->op == Op::bit_and && std::has_single_bit(value));
      if (is_remainder && value > 0 && value <= kMaxSize) {
        out.multiples[key_of(a->operands[i])] = static_cast<std::int64_t>(value);
      }
    }
    return;
  }
  out.others.push_back(negated ? logical_not(e) : e);
}

// base + number < limit; whether it is of that kind.
bool SizeConditionTable::add_less(const Expr& low, const Expr& limit, SplitCondition& out) {
  std::vector<LinearTerm> terms;
  add_linear_terms(low, 1, terms);
  Expr number = 0, rest = 0;
  std::int64_t step = 0;
  std::map<std::string, LinearTerm> base;
  Bound bound{key_of(limit)};
  if (is_constant(limit)) bound.constant = static_cast<std::int64_t>(limit->value);
  for (const LinearTerm& one : terms) {
    if (is_constant(one.term) || !is_of_launch(one.term)) {
      number = number + ir::to_index(one.factor) * one.term;
      const auto loop = tiled_loops_.find(one.term->op == Op::variable ? one.term->name : "");
      const bool is_tiled = loop != tiled_loops_.end() && step == 0 &&
                            one.factor <= loop->second.tile &&
                            (!loop->second.is_long_if_empty || loop->second.extent == bound.limit);
      if (is_tiled) {
        step = one.factor;
      } else {
        rest = rest + ir::to_index(one.factor) * one.term;
      }
      continue;
    }
    const auto [known, is_new] = base.emplace(key_of(one.term), one);
    if (!is_new) known->second.factor += one.factor;
  }
  std::string key;
  for (const auto& [name, part] : base) key += fmt::format("{} {} + ", part.factor, name);
  // No more than the elements of an axis, and a number that is added to one: so the sum does not wrap.
  if (base.empty() ? is_constant(limit) : !add_base(base, bound)) return false;
  if (!base.empty()) step = 0;  // the sum of both may wrap
  out.parts.push_back(
      {bound_of(fmt::format("{} < {}", key, bound.limit), bound), number, step, rest});
  return true;
}

void SizeConditionTable::enter(const std::string& variable, const Expr& end) {
  const bool is_next = end->op == Op::add && is_constant(end->operands[1], 1);
  const Expr parts = is_next ? Expr(end->operands[0]) : end;
  const bool is_quotient = parts->op == Op::divide && is_constant(parts->operands[1]);
  TiledLoop loop{"", is_quotient ? static_cast<std::int64_t>(parts->operands[1]->value) : 1, false};
  Expr extent = is_quotient ? Expr(parts->operands[0]) : parts;
  if (is_next) {
    if (!is_quotient || extent->op != Op::subtract || !is_constant(extent->operands[1], 1)) return;
    extent = Expr(extent->operands[0]);
    loop.is_long_if_empty = true;
  } else if (end->op == Op::add) {
    const auto counted = ir::ceil_div_from(end);
    if (!counted) return;
    loop.tile = counted->size;
    extent = counted->whole;
  }
  if (extent->op != Op::variable || !ir::is_extent(extent->name, kernel_)) return;
  loop.extent = key_of(extent);
  tiled_loops_.emplace(variable, loop);
}

SizeConditions union_of(const SizeConditions& a, const SizeConditions& b) {
  SizeConditions out = a;
  for (const SizeCondition& condition : b) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const SizeCondition& one) {
      return one.bound == condition.bound;
    });
    if (same == out.end()) {
      out.push_back(condition);
    } else {
      same->number = std::max(same->number, condition.number);
    }
  }
  return out;
}

namespace {

// The number of a condition; nullopt if it is not known, or so large that the sum may wrap.
std::optional<std::int64_t> number_in(const PathConditions::Number& one, std::size_t lane,
                                      const SizeConditionTable& table) {
  const machine::Value& value = one.number.in(lane);
  if (!value) return std::nullopt;
  const auto number = static_cast<std::int64_t>(*value);
  const SizeConditionTable::Bound& bound = table.bound(one.bound);
  if (bound.step != 0 && number > bound.max) return std::nullopt;
  return number;
}

}  // namespace

bool PathConditions::imply(const SizeConditions& set, std::size_t lane,
                           const SizeConditionTable& table) const {
  return std::all_of(set.begin(), set.end(), [&](const SizeCondition& wanted) {
    const SizeConditionTable::Bound& wanted_bound = table.bound(wanted.bound);
    return std::any_of(numbers.begin(), numbers.end(), [&](const Number& one) {
      // 8 workgroup + 4 < n: then 4 < n, too.
      const bool is_less = wanted_bound.step == 0 && !wanted_bound.limit.empty() &&
                           table.bound(one.bound).limit == wanted_bound.limit;
      if (one.bound != wanted.bound && !is_less) return false;
      const auto known = number_in(one, lane, table);
      if (!known) return false;
      std::int64_t number = *known;
      const SizeConditionTable::Bound& bound = table.bound(one.bound);
      const auto found = multiples.find(bound.limit);
      const std::int64_t multiple = found == multiples.end() ? bound.constant : found->second;
      // 8 workgroup + 4 < n, and n is a multiple of 4: then 8 workgroup + 7 < n.
      if (multiple != 0) {
        number += std::gcd(std::gcd(number, std::gcd(bound.step, one.step)), multiple) - 1;
      }
      return number >= wanted.number;
    });
  });
}

std::optional<SizeConditions> PathConditions::in(std::size_t lane,
                                                 const SizeConditionTable& table) const {
  if (!are_complete) return std::nullopt;
  SizeConditions out;
  for (const Number& one : numbers) {
    if (!one.is_needed) continue;
    const auto number = number_in(one, lane, table);
    if (!number) return std::nullopt;
    out = union_of(out, {{one.bound, *number}});
  }
  return out;
}

}  // namespace vkmoye::gen
