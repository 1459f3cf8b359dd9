// SPDX-License-Identifier: MIT
#include "vkmoye/gen/machine/subgroup.hpp"

#include <algorithm>

#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/ir/reduction_op.hpp"

namespace vkmoye::gen::machine {
namespace {

// The neutral element of `combine`.
ir::Bits neutral(ir::Op combine, const ir::Type& type) {
  const ScalarType element = type == ir::kIndex ? ScalarType::u32 : type.element;
  return bits_of(element, ir::reduction_op(combine)->neutral(element));
}

}  // namespace

Values subgroup_result(const ir::Subgroup& s, const Values& value, const Values& from,
                       std::size_t first, std::size_t end, const ir::Arithmetic& arithmetic) {
  using Kind = ir::Subgroup::Kind;
  const std::size_t scalars = scalars_of(type_of(s));
  Values out = Values::different(end - first, scalars);
  const ir::Expr left = ir::variable("a", s.value->type);
  ir::Node reduction;
  reduction.op = s.combine;
  reduction.type = s.value->type;
  reduction.operands = {left, left};
  const auto combined = [&](const Value& a, const Value& b) -> Value {
    if (!a || !b) return std::nullopt;
    const ir::Bits both[] = {*a, *b};
    return ir::evaluate(reduction, both, arithmetic);
  };
  Value running = s.kind == Kind::elect || s.kind == Kind::ballot
                      ? Value(0)
                      : Value(neutral(s.combine, s.value->type));
  for (std::size_t lane = first; lane < end; ++lane) {
    const std::size_t mine = lane - first;
    switch (s.kind) {
      case Kind::elect: out.set(mine, lane == first ? 1 : 0); break;
      case Kind::broadcast:
      case Kind::shuffle: {
        const Value& wanted = from.in(lane);
        if (wanted && *wanted < end - first) out.set(mine, value.in(first + *wanted));
        break;
      }
      case Kind::shuffle_xor: {
        const Value& step = from.in(lane);
        if (step && (mine ^ *step) < end - first) out.set(mine, value.in(first + (mine ^ *step)));
        break;
      }
      case Kind::exclusive_scan:
        out.set(mine, running);
        running = combined(running, value.in(lane));
        break;
      case Kind::inclusive_scan:
      case Kind::reduce:
        running = combined(running, value.in(lane));
        out.set(mine, running);
        break;
      case Kind::ballot: break;
    }
  }
  for (std::size_t mine = 0; mine < end - first; ++mine) {
    if (s.kind == Kind::reduce) out.set(mine, running);
    for (std::size_t word = 0; s.kind == Kind::ballot && word < scalars; ++word) {
      Value bits = 0;
      for (std::size_t lane = 32 * word; lane < std::min(end - first, 32 * word + 32); ++lane) {
        const Value& vote = value.in(first + lane);
        bits = bits && vote ? Value(*bits | (*vote & 1) << (lane % 32)) : std::nullopt;
      }
      out.set(mine, word, bits);
    }
  }
  return out;
}

}  // namespace vkmoye::gen::machine
