// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen {

using ir::Expr;
using ir::Op;

namespace {

// Numbers up to this can be added to an element of an axis, and do not wrap: see kMaxExtent.
constexpr std::int64_t kMaxNumber = (std::int64_t{1} << 32) - 1 - kMaxExtent;

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

void add_terms_of(const Expr& e, std::vector<Expr>& terms) {
  if (e->op != Op::add) return terms.push_back(e);
  for (const Expr& operand : e->operands) add_terms_of(operand, terms);
}

bool is_first_group_of(const Expr& e, std::size_t dimension) {
  return e->op == Op::variable && e->name == kFirstGroup[dimension];
}

}  // namespace

Gates::Gates(const ir::Kernel& kernel) : kernel_(kernel) {}

// Whether arguments and the workgroup alone decide `e`, so that it has one value throughout.
bool Gates::is_of_launch(const Expr& e) const {
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

// The c of c * (group_x + first_group_x), if that is an element of an axis with an extent: below kMaxExtent. Else 0.
std::int64_t Gates::step_of_group(const Expr& term) const {
  const bool is_product = term->op == Op::multiply && is_constant(term->operands[0]);
  const std::int64_t factor = is_product ? static_cast<std::int64_t>(term->operands[0]->value) : 1;
  const Expr group = is_product ? Expr(term->operands[1]) : term;
  for (std::size_t i = 0; i < kernel_.grid.size(); ++i) {
    const auto is_group = [&](const Expr& e) { return grid_dimension_of(e) == i; };
    const bool is_sum =
        group->op == Op::add &&
        ((is_group(group->operands[0]) && is_first_group_of(group->operands[1], i)) ||
         (is_group(group->operands[1]) && is_first_group_of(group->operands[0], i)));
    if (!is_group(group) && !is_sum) continue;
    const GridDimension& dimension = kernel_.grid[i];
    const bool is_extent = dimension.extent.is_symbol() ? dimension.extent.times.empty()
                                                        : dimension.extent.value <= kMaxExtent;
    return is_extent && factor <= dimension.tile ? factor : 0;
  }
  return 0;
}

std::size_t Gates::bound_of(const std::string& key, const Bound& bound) {
  const auto [found, is_new] = numbers_.emplace(key, bounds_.size());
  if (is_new) bounds_.push_back(bound);
  return found->second;
}

const Gated& Gates::of(const Expr& condition, bool negated, const ir::Definitions& definitions) {
  const auto [found, is_new] = known_.try_emplace({&condition, negated});
  if (is_new) add(condition, negated, definitions, found->second);
  return found->second;
}

void Gates::add(const Expr& written, bool negated, const ir::Definitions& definitions, Gated& out) {
  const Expr e = written->op == Op::variable ? expand(written, definitions) : written;
  if (e->op == Op::logical_not) return add(e->operands[0], !negated, definitions, out);
  if (e->op == (negated ? Op::logical_or : Op::logical_and)) {
    add(e->operands[0], negated, definitions, out);
    return add(e->operands[1], negated, definitions, out);
  }
  const bool compares = e->op == Op::less || e->op == Op::equal || e->op == Op::not_equal;
  if (!compares || !(e->operands[0]->type == ir::kIndex)) {
    out.is_all = false;
    return;
  }
  const Expr a = expand(e->operands[0], definitions), b = expand(e->operands[1], definitions);
  if (!is_small(a) || !is_small(b)) {
    out.is_all = false;
    return;
  }
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
  if (e->op == Op::less && !negated && is_of_launch(b) && add_less(a, b, out)) return;
  out.others.push_back(negated ? logical_not(e) : e);
}

// base + number < limit; whether it is of that kind.
bool Gates::add_less(const Expr& low, const Expr& limit, Gated& out) {
  std::vector<Expr> terms;
  add_terms_of(low, terms);
  Expr number = 0;
  std::string base;
  Bound bound{key_of(limit)};
  if (is_constant(limit)) bound.constant = static_cast<std::int64_t>(limit->value);
  std::size_t groups = 0;
  for (const Expr& term : terms) {
    if (is_constant(term) || !is_of_launch(term)) {
      number = number + term;
      continue;
    }
    bound.step = step_of_group(term);
    base = key_of(term);
    ++groups;
  }
  // No more than the elements of an axis, and a number that is added to one: so the sum does not wrap.
  const bool is_plain = groups == 0 ? !is_constant(limit) : groups == 1 && bound.step != 0;
  if (!is_plain) return false;
  out.parts.push_back({bound_of(fmt::format("{} < {}", base, bound.limit), bound), number});
  return true;
}

GateSet Gates::both(const GateSet& a, const GateSet& b) {
  GateSet out = a;
  for (const Gate& gate : b) {
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const Gate& one) { return one.bound == gate.bound; });
    if (same == out.end()) {
      out.push_back(gate);
    } else {
      same->number = std::max(same->number, gate.number);
    }
  }
  return out;
}

namespace {

// The number of a gate; nothing where it is not known, or so large that the sum may wrap.
std::optional<std::int64_t> number_in(const GatesOnPath::Number& one, std::size_t lane,
                                      const Gates& gates) {
  const machine::Value& value = one.number.in(lane);
  if (!value) return std::nullopt;
  const auto number = static_cast<std::int64_t>(*value);
  if (gates.bound(one.bound).step != 0 && number > kMaxNumber) return std::nullopt;
  return number;
}

}  // namespace

bool GatesOnPath::imply(const GateSet& set, std::size_t lane, const Gates& gates) const {
  return std::all_of(set.begin(), set.end(), [&](const Gate& wanted) {
    return std::any_of(numbers.begin(), numbers.end(), [&](const Number& one) {
      if (one.bound != wanted.bound) return false;
      const auto known = number_in(one, lane, gates);
      if (!known) return false;
      std::int64_t number = *known;
      const Gates::Bound& bound = gates.bound(one.bound);
      const auto found = multiples.find(bound.limit);
      const std::int64_t multiple = found == multiples.end() ? bound.constant : found->second;
      // 8 group + 4 < n, and n is a multiple of 4: then 8 group + 7 < n.
      if (multiple != 0) number += std::gcd(std::gcd(number, bound.step), multiple) - 1;
      return number >= wanted.number;
    });
  });
}

std::optional<GateSet> GatesOnPath::in(std::size_t lane, const Gates& gates) const {
  if (!are_all) return std::nullopt;
  GateSet out;
  for (const Number& one : numbers) {
    if (!one.is_needed) continue;
    const auto number = number_in(one, lane, gates);
    if (!number) return std::nullopt;
    out = Gates::both(out, {{one.bound, *number}});
  }
  return out;
}

}  // namespace vkmoye::gen
