#include "vkmoye/gen/ir/guards.hpp"

#include <algorithm>
#include <bit>

namespace vkmoye::gen::ir {

void add_guards(Guards& guards, const Expr& condition) {
  if (condition->op == Op::less || condition->op == Op::equal) guards.push_back(condition);
  if (condition->op == Op::logical_and) {
    add_guards(guards, condition->operands[0]);
    add_guards(guards, condition->operands[1]);
  }
}

bool is_multiple(const Expr& value, std::uint32_t factor, const Guards& guards) {
  if (value->alignment % factor == 0) return true;
  return std::any_of(guards.begin(), guards.end(), [&](const Expr& guard) {
    if (guard->op != Op::equal || !is_constant(guard->operands[1], 0)) return false;
    const Expr& remainder = guard->operands[0];
    return remainder->op == Op::modulo && is_constant(remainder->operands[1]) &&
           remainder->operands[1]->value % factor == 0 && same(remainder->operands[0], value);
  });
}

std::optional<RangeProof> prove_in_range(const Expr& coordinate, const Axis& axis,
                                         const Guards& guards) {
  if (!axis.extent.is_symbol() &&
      coordinate->bound <= static_cast<std::uint64_t>(axis.extent.value)) {
    return RangeProof{};
  }
  const Expr limit = extent_of(axis);
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
  if (found == guards.end()) return std::nullopt;
  return RangeProof{*found};
}

}  // namespace vkmoye::gen::ir
