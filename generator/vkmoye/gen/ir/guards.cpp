#include "vkmoye/gen/ir/guards.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace vkmoye::gen::ir {

void add_guards(Guards& guards, const Expr& condition) {
  if (condition->op == Op::less || condition->op == Op::equal) guards.push_back(condition);
  if (condition->op == Op::not_equal && condition->operands[0]->type == kIndex &&
      is_constant(condition->operands[1], 0)) {
    guards.push_back(less(0, condition->operands[0]));
  }
  if (condition->op == Op::logical_and) {
    add_guards(guards, condition->operands[0]);
    add_guards(guards, condition->operands[1]);
  }
}

Guards guards_of_launch(const Kernel& kernel) {
  Guards guards;
  for (const GridDimension& dimension : kernel.grid) {
    const Extent& extent = dimension.extent;
    if (!extent.is_symbol()) continue;
    guards.push_back(less(0, variable(extent.symbol)));
    if (extent.times.empty()) continue;
    guards.push_back(less(0, variable(extent.times)));
    guards.push_back(less(0, expression(extent)));  // which a launch keeps from wrapping around
  }
  return guards;
}

bool is_positive(const Expr& value, const Guards& guards) {
  if (is_constant(value)) return value->value != 0;
  return std::any_of(guards.begin(), guards.end(), [&](const Expr& guard) {
    return guard->op == Op::less && same(guard->operands[1], value);
  });
}

bool is_multiple(const Expr& value, std::uint32_t factor, const Guards& guards) {
  if (value->alignment % factor == 0) return true;
  // A product is such a multiple where a factor is.
  if (value->op == Op::multiply && std::has_single_bit(factor) &&
      std::any_of(value->operands.begin(), value->operands.end(),
                  [&](const Expr& part) { return is_multiple(part, factor, guards); })) {
    return true;
  }
  return std::any_of(guards.begin(), guards.end(), [&](const Expr& guard) {
    if (guard->op != Op::equal || !is_constant(guard->operands[1], 0)) return false;
    const Expr& remainder = guard->operands[0];
    return remainder->op == Op::modulo && is_constant(remainder->operands[1]) &&
           remainder->operands[1]->value % factor == 0 && same(remainder->operands[0], value);
  });
}

namespace {

Expr expand(const Expr& e, const Definitions& definitions,
            std::unordered_map<const Node*, Expr>& done) {
  if (const auto found = done.find(&*e); found != done.end()) return found->second;
  Expr result = e;
  if (e->op == Op::variable) {
    const auto name = definitions.find(e->name);
    if (name != definitions.end()) result = name->second;
  } else if (e->type.kind == Type::Kind::index && !e->operands.empty()) {
    std::vector<Expr> operands;
    for (const Expr& operand : e->operands) operands.push_back(expand(operand, definitions, done));
    result = with_operands(e, operands);
  }
  done.emplace(&*e, result);
  return result;
}

// A sum as its terms and the number beside them.
struct Sum {
  std::vector<Expr> terms;
  std::uint64_t number = 0;
};

constexpr std::size_t kMostTerms = 32;  // of a sum that a proof looks into

void add_terms(const Expr& e, Sum& sum) {
  if (sum.terms.size() > kMostTerms) return;
  if (is_constant(e)) {
    sum.number += e->value;
  } else if (e->op == Op::add) {
    add_terms(e->operands[0], sum);
    add_terms(e->operands[1], sum);
  } else {
    sum.terms.push_back(e);
  }
}

// Whether e <= most, without wrapping: both have `common` terms in common, of which `most` adds a
// number below their alignment, and `e` terms that stay at or below that number.
bool is_at_most(const Expr& e, const Expr& most) {
  Sum larger, smaller;
  add_terms(most, larger);
  add_terms(e, smaller);
  if (larger.terms.size() > kMostTerms || smaller.terms.size() > kMostTerms) return false;
  std::uint64_t alignment = std::uint64_t{1} << 32;
  for (const Expr& common : larger.terms) {
    const auto found = std::find_if(smaller.terms.begin(), smaller.terms.end(),
                                    [&](const Expr& term) { return same(term, common); });
    if (found == smaller.terms.end()) return false;
    smaller.terms.erase(found);
    alignment = std::min<std::uint64_t>(alignment, common->alignment);
  }
  std::uint64_t reach = smaller.number;
  for (const Expr& term : smaller.terms) reach += term->bound - 1;
  return reach <= larger.number && larger.number < alignment;
}

}  // namespace

Expr expand(const Expr& e, const Definitions& definitions) {
  std::unordered_map<const Node*, Expr> done;
  return expand(e, definitions, done);
}

std::optional<RangeProof> prove_in_range(const Expr& coordinate, const Axis& axis,
                                         const Guards& guards, const Definitions& definitions) {
  if (!axis.extent.is_symbol() &&
      coordinate->bound <= static_cast<std::uint64_t>(axis.extent.value)) {
    return RangeProof{};
  }
  const Expr limit = extent_of(axis);
  const Expr whole = expand(coordinate, definitions);
  if (whole->op == Op::minimum && same(whole->operands[1], limit - 1) &&
      is_positive(limit, guards)) {
    return RangeProof{};
  }
  // base + k < limit follows from base < limit where both are multiples of more than k.
  const bool is_sum = coordinate->op == Op::add && is_constant(coordinate->operands[1]);
  const Expr base = is_sum ? coordinate->operands[0] : coordinate;
  const std::uint32_t step = is_sum ? coordinate->operands[1]->value : 0;
  const bool covered =
      step == 0 || (step < base->alignment && is_multiple(limit, std::bit_ceil(step + 1), guards));
  const auto found = std::find_if(guards.begin(), guards.end(), [&](const Expr& guard) {
    if (guard->op != Op::less || !same(guard->operands[1], limit)) return false;
    return same(guard->operands[0], coordinate) || (covered && same(guard->operands[0], base));
  });
  if (found != guards.end()) return RangeProof{*found};

  for (const Expr& guard : guards) {
    if (guard->op == Op::less && same(guard->operands[1], limit) &&
        is_at_most(whole, expand(guard->operands[0], definitions))) {
      return RangeProof{guard};
    }
  }
  return std::nullopt;
}

}  // namespace vkmoye::gen::ir
