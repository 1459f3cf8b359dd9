// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/contracted.hpp"

#include <utility>
#include <vector>

namespace vkmoye::gen::ir {
namespace {

bool is_floating_number(const Expr& e) {
  return e->type.is_element() && is_floating(e->type.element);
}

// A term of a sum: a number, or a product of two.
struct Term {
  bool is_negative;
  std::vector<Expr> factors;

  Expr value() const { return factors.size() == 1 ? factors[0] : factors[0] * factors[1]; }
};

void add_terms(const Expr& e, bool is_negative, std::vector<Term>& terms) {
  switch (e->op) {
    case Op::add:
    case Op::subtract:
      add_terms(e->operands[0], is_negative, terms);
      add_terms(e->operands[1], is_negative != (e->op == Op::subtract), terms);
      break;
    case Op::multiply_add:
      terms.push_back({is_negative, {e->operands[0], e->operands[1]}});
      add_terms(e->operands[2], is_negative, terms);
      break;
    case Op::negate: add_terms(e->operands[0], !is_negative, terms); break;
    case Op::multiply: terms.push_back({is_negative, e->operands}); break;
    default: terms.push_back({is_negative, {e}});
  }
}

Expr sum_of(const std::vector<Term>& terms) {
  const Term& first = terms.front();
  Expr sum = first.is_negative ? -first.value() : first.value();
  for (std::size_t i = 1; i < terms.size(); ++i) {
    sum = terms[i].is_negative ? sum - terms[i].value() : sum + terms[i].value();
  }
  return sum;
}

// a * (b + c) for a * b + c * a; nullopt without an equal factor.
std::optional<Term> shared_factor(const Term& one, const Term& other) {
  if (one.factors.size() != 2 || other.factors.size() != 2) return std::nullopt;
  for (const std::size_t i : {0, 1}) {
    for (const std::size_t j : {0, 1}) {
      if (!same(one.factors[i], other.factors[j])) continue;
      const Expr &b = one.factors[1 - i], &c = other.factors[1 - j];
      return Term{one.is_negative,
                  {one.factors[i], one.is_negative == other.is_negative ? b + c : b - c}};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Expr> contracted(const Expr& e) {
  const bool is_sum = e->op == Op::add || e->op == Op::subtract;
  if (!is_sum || !is_floating_number(e)) return std::nullopt;
  const Expr &left = e->operands[0], &right = e->operands[1];
  const bool subtracts = e->op == Op::subtract;
  if (left->op == Op::multiply) {
    return multiply_add(left->operands[0], left->operands[1], subtracts ? -right : right);
  }
  if (right->op != Op::multiply) return std::nullopt;
  const Expr& a = right->operands[0];
  return multiply_add(subtracts ? -a : a, right->operands[1], left);
}

std::optional<Expr> rearranged(const Expr& e) {
  const bool is_sum = e->op == Op::add || e->op == Op::subtract || e->op == Op::multiply_add;
  if (!is_sum || !is_floating_number(e)) return std::nullopt;
  std::vector<Term> terms;
  add_terms(e, false, terms);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      const bool cancel =
          terms[i].is_negative != terms[j].is_negative && same(terms[i].value(), terms[j].value());
      const auto shared = cancel ? std::nullopt : shared_factor(terms[i], terms[j]);
      if (!cancel && !shared) continue;
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
      if (shared) {
        terms[i] = *shared;
      } else {
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
      }
      return terms.empty() ? number(e->type.element, 0) : sum_of(terms);
    }
  }
  return std::nullopt;
}

Expr as_computed(const Expr& e, const Arithmetic& arithmetic) {
  Expr out = e;
  if (arithmetic.rearranges_sums) {
    while (const auto next = rearranged(out)) out = *next;
  }
  if (arithmetic.multiply_add == MultiplyAdd::contracted) out = contracted(out).value_or(out);
  return out;
}

}  // namespace vkmoye::gen::ir
