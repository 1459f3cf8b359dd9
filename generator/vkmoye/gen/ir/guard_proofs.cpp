// SPDX-License-Identifier: MIT
// What guards prove: see guards.hpp.
#include <algorithm>
#include <bit>

#include "vkmoye/gen/ir/ceil_div.hpp"
#include "vkmoye/gen/ir/guards.hpp"

namespace vkmoye::gen::ir {
namespace {

// A sum: its terms and a constant.
struct Sum {
  std::vector<Expr> terms;
  std::uint64_t number = 0;
};

constexpr std::size_t kMaxTerms = 32;  // terms of a sum; longer ones are not analysed

void add_terms(const Expr& e, Sum& sum) {
  if (sum.terms.size() > kMaxTerms) return;
  if (is_constant(e)) {
    sum.number += e->value;
  } else if (e->op == Op::add) {
    add_terms(e->operands[0], sum);
    add_terms(e->operands[1], sum);
  } else {
    sum.terms.push_back(e);
  }
}

// The maximum that `e` adds to the terms of `base`; nullopt unless it has all of them. They are multiples of
// `alignment`.
struct Excess {
  std::uint64_t max = 0, alignment = std::uint64_t{1} << 32;
};
std::optional<Excess> excess_over(const Sum& base, const Expr& e) {
  Sum sum;
  add_terms(e, sum);
  if (base.terms.size() > kMaxTerms || sum.terms.size() > kMaxTerms) return std::nullopt;
  Excess excess;
  for (const Expr& common : base.terms) {
    const auto found = std::find_if(sum.terms.begin(), sum.terms.end(),
                                    [&](const Expr& term) { return same(term, common); });
    if (found == sum.terms.end()) return std::nullopt;
    sum.terms.erase(found);
    excess.alignment = std::min<std::uint64_t>(excess.alignment, common->alignment);
  }
  excess.max = sum.number;
  for (const Expr& term : sum.terms) excess.max += term->bound - 1;
  return excess;
}

// Whether e <= limit. Both have the terms of `limit`; to these, `limit` adds a constant below their alignment, so that
// it does not wrap, and `e` adds at most that constant.
bool is_at_most(const Expr& e, const Expr& limit) {
  Sum larger;
  add_terms(limit, larger);
  const auto excess = excess_over(larger, e);
  return excess && excess->max <= larger.number && larger.number < excess->alignment;
}

// Whether e < limit follows from base < limit: the base does not wrap, base and limit are multiples of a power of two,
// and `e` adds less than that power to the base.
bool is_in_last_step(const Expr& e, const Expr& base, const Expr& limit, const Guards& guards) {
  Sum terms;
  add_terms(base, terms);
  const auto excess = excess_over(terms, e);
  if (!excess || excess->max < terms.number || terms.number >= excess->alignment) return false;
  const std::uint64_t step = std::bit_ceil(excess->max - terms.number + 1);
  return step <= base->alignment && is_multiple(limit, static_cast<std::uint32_t>(step), guards);
}

// Whether e < limit follows from word < words: `e` is n * word plus less than n, and n * words <= limit, because words
// is limit / n or both are constants.
bool is_in_whole_word(const Expr& e, const Expr& word, const Expr& words, const Expr& limit) {
  Sum sum;
  add_terms(e, sum);
  for (const Expr& term : sum.terms) {
    if (term->op != Op::multiply || !is_constant(term->operands[0])) continue;
    const Expr& n = term->operands[0];
    if (is_constant(n, 0) || !same(term->operands[1], word)) continue;
    const bool fits = is_constant(words) && is_constant(limit)
                          ? words->value * n->value <= limit->value
                          : same(words, limit / n);
    Sum base;
    add_terms(term, base);
    const auto excess = excess_over(base, e);
    if (fits && excess && excess->max < n->value) return true;
  }
  return false;
}

// Whether e < limit because e is n * min(.., limit / n - 1) plus less than n.
bool is_clamped_word(const Expr& e, const Expr& limit, const Guards& guards,
                     const Definitions& definitions) {
  const bool is_sum = e->op == Op::add && is_constant(e->operands[1]);
  const Expr word = is_sum ? e->operands[0] : e;
  if (word->op != Op::multiply || !is_constant(word->operands[0])) return false;
  const Expr& n = word->operands[0];
  const Expr& number = word->operands[1];
  const Expr words = limit / n;
  return number->op == Op::minimum && same(number->operands[1], words - 1) &&
         is_positive(words, guards, definitions) && (!is_sum || e->operands[1]->value < n->value);
}

// Whether e < limit follows from `guard`, number < limit - base, and another guard, base < limit: `e` adds at most that
// number to the base, which does not wrap.
bool is_within(const Expr& e, const Expr& guard, const Expr& limit, const Guards& guards,
               const Definitions& definitions) {
  if (!is_constant(guard->operands[0])) return false;
  const Expr& distance = guard->operands[1];
  if (distance->op != Op::subtract || !same(distance->operands[0], limit)) return false;
  const Expr& base = distance->operands[1];
  const bool is_below = (is_constant(limit) && base->bound <= limit->value) ||
                        std::any_of(guards.begin(), guards.end(), [&](const Expr& other) {
                          return same(other, less(base, limit));
                        });
  if (!is_below) return false;
  Sum terms;
  add_terms(expand(base, definitions), terms);
  const auto excess = excess_over(terms, e);
  return excess && terms.number < excess->alignment && terms.number <= excess->max &&
         excess->max - terms.number <= guard->operands[0]->value;
}

// `end`, and what it is the minimum of: a value below `end` is below all of them.
void add_ends(const Expr& end, std::vector<Expr>& ends) {
  ends.push_back(end);
  if (end->op != Op::minimum) return;
  for (const Expr& one : end->operands) add_ends(one, ends);
}

// Whether e < limit follows from part < ceil(whole / size): `e` is the first element of that part, or less, and `limit`
// is `whole`, or what `whole` is the minimum of.
bool is_in_part(const Expr& e, const Expr& part, const Expr& parts, const Expr& limit) {
  const auto counted = ceil_div_from(parts);
  if (!counted || e->op != Op::multiply || !is_constant(e->operands[0])) return false;
  if (e->operands[0]->value > counted->size || !same(e->operands[1], part)) return false;
  std::vector<Expr> limits;
  add_ends(counted->whole, limits);
  return std::any_of(limits.begin(), limits.end(),
                     [&](const Expr& one) { return same(one, limit); });
}

// The i for which `e` is limit - 1 - i, which is below `limit` if i is; nullopt if there is none.
std::optional<Expr> counted_back_from(const Expr& e, const Expr& limit) {
  if (e->op != Op::subtract) return std::nullopt;
  if (same(e->operands[0], limit - 1)) return e->operands[1];
  const Expr& back = e->operands[1];  // limit - (i + 1)
  const bool is_next =
      same(e->operands[0], limit) && back->op == Op::add && is_constant(back->operands[1], 1);
  return is_next ? std::optional(back->operands[0]) : std::nullopt;
}

constexpr int kMaxChain = 2;  // of limits that are compared with each other

std::optional<RangeProof> prove_below(const Expr& coordinate, const Expr& limit,
                                      const Guards& guards, const Definitions& definitions,
                                      int chain);

// Whether e < limit because it is below something, or at most that, which a guard says is less than the limit, or at
// most that.
std::optional<RangeProof> prove_by_chain(const Expr& e, const Expr& limit, const Guards& guards,
                                         const Definitions& definitions, int chain) {
  if (chain == 0) return std::nullopt;
  const auto is_below = [&](const Expr& below, const Expr& end) {
    return prove_below(below, end, guards, definitions, chain - 1).has_value();
  };
  for (const Expr& guard : guards) {
    const bool is_negated = guard->op == Op::logical_not && guard->operands[0]->op == Op::less;
    if (!is_negated && guard->op != Op::less) continue;
    const auto& sides = is_negated ? guard->operands[0]->operands : guard->operands;
    if (!(sides[0]->type == kIndex)) continue;
    const Expr &end = sides[is_negated ? 0 : 1], &between = sides[is_negated ? 1 : 0];
    if (is_constant(between) || same(between, e)) continue;
    // What is less than limit + 1 is at most the limit; if that wraps, nothing is less than it.
    const bool is_at_most = is_negated ? same(end, limit) : same(end, limit + 1);
    if (!is_at_most && (is_negated || !same(end, limit))) continue;
    if (is_below(e, between)) return RangeProof{guard};
    // `e` is at most what is less than the limit.
    const bool is_next = e->op == Op::add && is_constant(e->operands[1], 1);
    if (!is_at_most && is_next && is_below(e->operands[0], between)) return RangeProof{guard};
  }
  return std::nullopt;
}

std::optional<RangeProof> prove_below(const Expr& coordinate, const Expr& limit,
                                      const Guards& guards, const Definitions& definitions,
                                      int chain) {
  const auto is_bounded = [&](const Expr& e) {
    return is_constant(limit) && e->bound <= limit->value;
  };
  if (is_bounded(coordinate)) return RangeProof{};
  const Expr whole = expand(coordinate, definitions);
  if (is_bounded(whole)) return RangeProof{};
  if (whole->op == Op::minimum && same(whole->operands[1], limit - 1) &&
      is_positive(limit, guards, definitions)) {
    return RangeProof{};
  }
  if (is_clamped_word(whole, limit, guards, definitions)) return RangeProof{};
  if (whole->op == Op::modulo && same(whole->operands[1], limit) &&
      is_positive(limit, guards, definitions)) {
    return RangeProof{};
  }
  if (whole->op == Op::select) {
    Guards where = guards, otherwise = guards;
    add_guards(where, whole->operands[0]);
    add_guards_of_failure(otherwise, whole->operands[0]);
    if (prove_below(whole->operands[1], limit, where, definitions, chain) &&
        prove_below(whole->operands[2], limit, otherwise, definitions, chain)) {
      return RangeProof{};
    }
  }
  if (const auto counted = counted_back_from(whole, limit)) {
    return prove_below(*counted, limit, guards, definitions, chain);
  }
  // For a name plus a constant, the alignment of the name may be enough, whatever its value.
  const bool is_sum = coordinate->op == Op::add && is_constant(coordinate->operands[1]);
  const Expr first = is_sum ? coordinate->operands[0] : coordinate;
  const auto covers = [&](const Expr& below, const Expr& end) {
    const Expr base = expand(below, definitions);
    if (is_in_whole_word(whole, base, end, limit) || is_in_part(whole, base, end, limit))
      return true;
    const bool is_limit =
        same(end, limit) || (is_constant(end) && is_constant(limit) && end->value < limit->value);
    return is_limit && (same(below, coordinate) || is_at_most(whole, base) ||
                        is_in_last_step(whole, base, end, guards) ||
                        (same(below, first) && is_in_last_step(coordinate, first, end, guards)));
  };
  for (const Expr& guard : guards) {
    if (guard->op != Op::less || !(guard->operands[0]->type == kIndex)) continue;
    std::vector<Expr> ends = {guard->operands[1]};
    const Expr end = expand(ends.front(), definitions);
    if (!same(end, ends.front()) || end->op == Op::minimum) add_ends(end, ends);
    const bool is_covered = std::any_of(
        ends.begin(), ends.end(), [&](const Expr& one) { return covers(guard->operands[0], one); });
    if (is_covered || is_within(whole, guard, limit, guards, definitions)) return RangeProof{guard};
  }
  return prove_by_chain(coordinate, limit, guards, definitions, chain);
}

}  // namespace

bool is_implied(const Expr& condition, const Guards& guards, const Definitions& definitions) {
  const auto is_part_implied = [&](std::size_t i) {
    return is_implied(condition->operands[i], guards, definitions);
  };
  if (condition->op == Op::logical_and) return is_part_implied(0) && is_part_implied(1);
  if (std::any_of(guards.begin(), guards.end(),
                  [&](const Expr& guard) { return same(guard, condition); })) {
    return true;
  }
  if (condition->op == Op::logical_or) return is_part_implied(0) || is_part_implied(1);
  return condition->op == Op::less && condition->operands[0]->type == kIndex &&
         prove_below(condition->operands[0], condition->operands[1], guards, definitions, kMaxChain)
             .has_value();
}

std::optional<RangeProof> prove_in_range(const Expr& coordinate, const Axis& axis,
                                         const Guards& guards, const Definitions& definitions) {
  return prove_below(coordinate, extent_of(axis), guards, definitions, kMaxChain);
}

}  // namespace vkmoye::gen::ir
