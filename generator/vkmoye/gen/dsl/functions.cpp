// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/functions.hpp"

namespace vkmoye::gen {

using ir::Expr;

Expr sign(const Expr& x) { return select(less(0, x), 1, select(less(x, 0), -1, x)); }

Expr erf(const Expr& x) {
  const Expr size = absolute(x);
  const Expr t = 1 / (1 + 0.3275911 * size);
  Expr sum = 1.061405429 * t - 1.453152027;
  for (const double next : {1.421413741, -0.284496736, 0.254829592}) sum = sum * t + next;
  const Expr result = 1 - sum * t * exp(-size * size);
  return select(less(x, 0), -result, result);
}

Expr bit_field(const Expr& word, std::uint32_t first, std::uint32_t count) {
  const std::uint32_t mask = count >= 32 ? ~0u : (1u << count) - 1;
  return bit_and(shift_right(word, first), mask);
}

}  // namespace vkmoye::gen
