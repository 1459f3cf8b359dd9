// SPDX-License-Identifier: MIT
// The values of indices and conditions: one function for each operation.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/gen/proof/index_values.hpp"

namespace vkmoye::gen::proof {

using ir::Expr;
using ir::Op;

namespace {

bool is_first_group(const Expr& e) {
  return e->op == Op::variable && vkmoye::is_first_group(e->name);
}

}  // namespace

template <class T>
T IndexValues::remembered(std::unordered_map<const ir::Node*, T> Scope::*known, const Expr& e,
                          T (IndexValues::*compute)(const Expr&)) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = ((*scope).*known).find(&*e);
    if (found != ((*scope).*known).end()) return found->second;
  }
  T value = (this->*compute)(e);
  (scopes_.back().*known).emplace(&*e, value);
  scopes_.back().kept.push_back(e);
  return value;
}

IndexValues::Index IndexValues::of(const Expr& e) {
  return remembered(&Scope::indices, e, &IndexValues::computed);
}

IndexValues::Identity IndexValues::identity_of(const Expr& e) {
  return remembered(&Scope::identities, e, &IndexValues::composed);
}

IndexValues::Index IndexValues::fitting(const Linear& value, bool is_exact) {
  const Range range = variables_.range(value);
  const auto never = [&](const Set& points) { return is_draft_ || (facts() & points).is_empty(); };
  const bool fits = (range.min >= 0 || never(less(value, 0))) &&
                    (range.max < kWrap || never(at_most(kWrap, value)));
  return fits ? Index{value, is_exact} : remainder({value, is_exact}, kWrap);
}

IndexValues::Index IndexValues::leaf(const Expr& e) {
  if (e->op == Op::constant) return {static_cast<std::int64_t>(e->value)};
  if (e->op == Op::variable) {
    Name* name = find(e->name);
    if (name == nullptr || !(e->type == ir::kIndex)) return unknown(e);
    if (name->meaning) return of(Expr(*name->meaning));
    if (name->range && !name->index) name->index = Index{argument(e->name, *name->range)};
    return {variables_.expanded(name->index->value), name->index->is_exact};
  }
  if (const auto dimension = grid_dimension_of(e)) return {variable(kGroupNames[*dimension])};
  const Index thread{variable("thread")};
  const std::int64_t lanes = std::max(1u, kernel_.subgroup_size);
  if (e->builtin == ir::Builtin::lane) return remainder(thread, lanes);
  if (e->builtin == ir::Builtin::subgroup) return quotient(thread, lanes);
  return thread;
}

IndexValues::Index IndexValues::computed(const Expr& e) {
  if (e->operands.empty()) return leaf(e);
  if (e->op == Op::select) return chosen(e);
  if (e->op == Op::convert) {  // of an element; of an index that was made one
    const Expr& from = e->operands[0];
    const bool was_index = from->op == Op::convert && from->operands[0]->type == ir::kIndex &&
                           from->type.element == ScalarType::u32;
    return was_index ? of(from->operands[0]) : unknown(e);
  }
  if (e->operands.size() != 2 || !(e->operands[0]->type == ir::kIndex)) return unknown(e);
  if (e->op == Op::add) {
    // A launch may be made in pieces, which count their workgroups from first_group_x on.
    for (const std::size_t i : {0, 1}) {
      if (grid_dimension_of(e->operands[i]) && is_first_group(e->operands[1 - i])) {
        return of(e->operands[i]);
      }
    }
  }
  return binary(e, of(e->operands[0]), of(e->operands[1]));
}

IndexValues::Index IndexValues::binary(const Expr& e, const Index& a, const Index& b) {
  const bool are_exact = a.is_exact && b.is_exact, is_number = b.value.is_number();
  const std::int64_t number = b.value.constant;
  const std::int64_t power = is_number && number < 32 ? std::int64_t{1} << number : 0;
  switch (e->op) {
    case Op::add: return fitting(a.value + b.value, are_exact);
    case Op::subtract: return fitting(a.value - b.value, are_exact);
    case Op::multiply: return product(e, a, b);
    case Op::minimum:
    case Op::maximum: return extreme(e, a, b);
    case Op::divide:
      if (is_number && number > 0) return quotient(a, number);
      break;
    case Op::modulo:
      if (is_number && number > 0) return remainder(a, number);
      break;
    case Op::bit_and:
      if (is_number) return masked(e, a, static_cast<std::uint64_t>(number));
      if (a.value.is_number()) return masked(e, b, static_cast<std::uint64_t>(a.value.constant));
      break;
    case Op::shift_left:
      if (power != 0) return fitting(a.value * power, a.is_exact);
      break;
    case Op::shift_right:
      if (power != 0) return quotient(a, power);
      break;
    default: break;
  }
  const Index any = unknown(e);
  // A quotient, a remainder and a mask are no more than what they are of.
  const bool is_part = e->op == Op::divide || e->op == Op::modulo || e->op == Op::bit_and ||
                       e->op == Op::shift_right;
  if (is_part) add_fact(at_most(any.value, a.value));
  if (e->op == Op::modulo) add_fact(less(any.value, b.value));
  if (e->op == Op::bit_and) add_fact(at_most(any.value, b.value));
  return any;
}

IndexValues::Index IndexValues::product(const Expr& e, const Index& a, const Index& b) {
  if (a.value.is_number()) return fitting(b.value * a.value.constant, b.is_exact);
  if (b.value.is_number()) return fitting(a.value * b.value.constant, a.is_exact);
  return unknown(e);
}

IndexValues::Index IndexValues::quotient(const Index& index, std::int64_t divisor) {
  if (const auto value = variables_.quotient(index.value, divisor)) return {*value, index.is_exact};
  const Range all = range(index);
  std::string name = fmt::format("{}/{}", index.value.constant, divisor);
  for (const auto& [variable, factor] : index.value.terms) {
    name += fmt::format("+{}{}", factor, variables_[variable].name);
  }
  const auto rounded_down = [&](std::int64_t number) {
    return number / divisor - (number % divisor < 0 ? 1 : 0);
  };
  const SameIn same_in = variables_.same_in(index.value);
  const Linear value = introduce(name, {rounded_down(all.min), rounded_down(all.max)}, same_in);
  tie(name, at_most(value * divisor, index.value) & less(index.value, value * divisor + divisor),
      same_in);
  return {value, index.is_exact};
}

IndexValues::Index IndexValues::remainder(const Index& index, std::int64_t divisor) {
  const Linear multiple = quotient(index, divisor).value * divisor;
  return {variables_.expanded(index.value) - variables_.expanded(multiple), index.is_exact};
}

// `value` & `mask`, whose bits stand side by side: (value / 2^low mod 2^count) * 2^low.
IndexValues::Index IndexValues::masked(const Expr& e, const Index& value, std::uint64_t mask) {
  if (mask == 0) return {0};
  const int low = std::countr_zero(mask), count = std::popcount(mask);
  if (mask >> low != (std::uint64_t{1} << count) - 1) {
    const Index any = unknown(e);
    add_fact(at_most(any.value, value.value));
    return any;
  }
  const Index upper = quotient(value, std::int64_t{1} << low);
  const Index bits = remainder(upper, std::int64_t{1} << count);
  return {bits.value * (std::int64_t{1} << low), bits.is_exact};
}

IndexValues::Index IndexValues::either(const std::string& name, const Set& holds, const Index& a,
                                       const Index& b, SameIn same_in) {
  const Range one = range(a), other = range(b);
  const Linear value =
      introduce(name, {std::min(one.min, other.min), std::max(one.max, other.max)}, same_in);
  tie(name, (holds & equal(value, a.value)) | (holds.complement() & equal(value, b.value)),
      same_in);
  return {value, a.is_exact && b.is_exact};
}

IndexValues::Index IndexValues::extreme(const Expr& e, const Index& a, const Index& b) {
  const bool is_minimum = e->op == Op::minimum;
  if (variables_.range(a.value - b.value).max <= 0) return is_minimum ? a : b;
  if (variables_.range(b.value - a.value).max <= 0) return is_minimum ? b : a;
  const Set is_less = at_most(a.value, b.value);
  const std::string name = "!" + identity_of(e).key;
  const SameIn same_in = std::max(variables_.same_in(a.value), variables_.same_in(b.value));
  return is_minimum ? either(name, is_less, a, b, same_in) : either(name, is_less, b, a, same_in);
}

IndexValues::Index IndexValues::chosen(const Expr& e) {
  const Condition condition = where(e->operands[0], /*negated=*/false);
  const Index a = of(e->operands[1]), b = of(e->operands[2]);
  if (condition.is_exact)
    return either("!" + identity_of(e).key, condition.points, a, b, SameIn::invocation);
  const Index any = unknown(e);
  add_fact(equal(any.value, a.value) | equal(any.value, b.value));
  return any;
}

IndexValues::Index IndexValues::unknown(const Expr& e) {
  const Identity identity = identity_of(e);
  const std::int64_t max = static_cast<std::int64_t>(std::min(e->bound, ir::kUnbounded)) - 1;
  const Linear value = introduce("?" + identity.key, {0, max}, identity.same_in);
  if (e->alignment > 1 && !ir::is_constant(e)) {
    add_fact(equal(remainder({value}, e->alignment).value, 0));
  }
  return {value, identity.same_in == SameIn::launch};
}

IndexValues::Identity IndexValues::composed(const Expr& e) {
  if (e->op == Op::constant)
    return {fmt::format("{}{}", e->value, e->type == ir::kIndex ? std::string() : name_of(e->type)),
            SameIn::launch};
  if (e->op == Op::builtin)
    return {fmt::format("$b{}", static_cast<int>(e->builtin)),
            grid_dimension_of(e) ? SameIn::workgroup : SameIn::invocation};
  if (e->op == Op::variable) {
    const Name* name = find(e->name);
    return name == nullptr ? Identity{e->name} : name->identity;
  }
  Identity whole{fmt::format("{}.{}.{}(", static_cast<int>(e->op), e->value, name_of(e->type)),
                 SameIn::launch};
  for (const Expr& operand : e->operands) {
    const Identity part = identity_of(operand);
    whole.key += part.key + ",";
    whole.same_in = std::max(whole.same_in, part.same_in);
  }
  whole.key = variables_.short_key(whole.key);
  return whole;
}

// --- conditions ---

IndexValues::Condition IndexValues::where(const Expr& e, bool negated) {
  switch (e->op) {
    case Op::logical_not: return where(e->operands[0], !negated);
    case Op::logical_and:
    case Op::logical_or: {
      const Condition a = where(e->operands[0], negated), b = where(e->operands[1], negated);
      const bool both = (e->op == Op::logical_and) != negated;
      return {both ? a.points & b.points : a.points | b.points, a.is_exact && b.is_exact};
    }
    case Op::variable: {
      const Name* name = find(e->name);
      if (name != nullptr && name->meaning) return where(Expr(*name->meaning), negated);
      break;
    }
    case Op::less:
    case Op::equal:
    case Op::not_equal:
      if (e->operands[0]->type == ir::kIndex) return compared(*e, negated);
      break;
    default: break;
  }
  // By a variable, 0 or 1, that is the same for equal conditions.
  const Identity condition = identity_of(e);
  const Linear holds = introduce("?" + condition.key, {0, 1}, condition.same_in);
  return {equal(holds, negated ? 0 : 1), condition.same_in == SameIn::launch};
}

IndexValues::Condition IndexValues::compared(const ir::Node& e, bool negated) {
  const Index a = of(e.operands[0]), b = of(e.operands[1]);
  const bool is_exact = a.is_exact && b.is_exact;
  if (e.op == Op::less) {
    return {negated ? at_most(b.value, a.value) : less(a.value, b.value), is_exact};
  }
  const bool are_equal = (e.op == Op::equal) != negated;
  return {are_equal ? equal(a.value, b.value) : less(a.value, b.value) | less(b.value, a.value),
          is_exact};
}

}  // namespace vkmoye::gen::proof
