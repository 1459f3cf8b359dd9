// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/written_facts.hpp"

#include <algorithm>

namespace vkmoye::gen {

using ir::Expr;
using ir::Op;

namespace {

// `condition` without a negation, and whether that holds or fails.
std::pair<Expr, WrittenFact::When> positive(const Expr& condition, WrittenFact::When when) {
  using When = WrittenFact::When;
  if (when == When::has_a_round) return {condition, when};
  Expr e = condition;
  bool holds = when == When::holds;
  for (; e->op == Op::logical_not; holds = !holds) e = Expr(e->operands[0]);
  if (e->op == Op::not_equal) {
    e = ir::equal(e->operands[0], e->operands[1]);
    holds = !holds;
  }
  return {e, holds ? When::holds : When::fails};
}

}  // namespace

void WrittenFacts::remember(const Expr& of, When when, WrittenState::Written written) {
  const auto [condition, how] = positive(of, when);
  list_.push_back({condition, how, std::move(written)});
}

void WrittenFacts::recall(const Expr& of, When when, WrittenState& state) const {
  const auto [condition, how] = positive(of, when);
  for (const WrittenFact& fact : list_) {
    if (fact.when == how && same(fact.of, condition)) state.add(fact.written);
  }
}

void WrittenFacts::recall_for(const ir::For& loop, std::uint64_t round, WrittenState& state) const {
  recall(ir::less(static_cast<std::uint32_t>(round), loop.end), When::holds, state);
  if (round == 0) recall(ir::equal(loop.end, 0), When::fails, state);
}

void WrittenFacts::forget(std::size_t count, const std::function<void(const WrittenFact&)>& see) {
  const auto first = list_.begin() + static_cast<std::ptrdiff_t>(count);
  std::for_each(first, list_.end(), see);
  list_.erase(first, list_.end());
}

std::uint64_t rounds_ahead(const WrittenFact& fact, const ir::For& loop,
                           const ir::Definitions& definitions) {
  if (fact.when != WrittenFact::When::holds || fact.of->op != Op::less) return 0;
  if (!same(fact.of->operands[1], loop.end)) return 0;
  std::vector<LinearTerm> terms;
  add_linear_terms(expand(fact.of->operands[0], definitions), 1, terms);
  std::uint64_t ahead = 0;
  bool has_round = false;
  for (const LinearTerm& one : terms) {
    if (is_constant(one.term)) {
      ahead += one.factor;
    } else if (one.factor == 1 && one.term->name == loop.variable && !has_round) {
      has_round = true;
    } else {
      return 0;
    }
  }
  return has_round ? ahead : 0;
}

}  // namespace vkmoye::gen
