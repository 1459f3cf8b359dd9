// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/ceil_div.hpp"

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

std::optional<CeilDiv> ceil_div_from(const Expr& e) {
  if (e->op != Op::add || e->operands[0]->op != Op::divide) return std::nullopt;
  const Expr &whole = e->operands[0]->operands[0], &size = e->operands[0]->operands[1];
  if (!is_constant(size) || size->value <= 1) return std::nullopt;
  if (!same(e, ceil_div(whole, static_cast<std::int64_t>(size->value)))) return std::nullopt;
  return CeilDiv{whole, static_cast<std::uint32_t>(size->value)};
}

}  // namespace vkmoye::gen::ir
