#pragma once
// What enclosing conditions prove: that a coordinate stays below an extent, that a size is a
// multiple.
//
//   if (cols % 4 == 0 && col < cols)     guards: cols % 4 == 0, col < cols
//     src[col + 2]                       in range: col and cols are multiples of 4

#include <optional>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// Comparisons that hold where a statement stands.
using Guards = std::vector<Expr>;

/// Adds the comparisons that all hold where `condition` does.
void add_guards(Guards& guards, const Expr& condition);

/// Whether `value` is a multiple of `factor`, by itself or by a guard `value % n == 0`.
bool is_multiple(const Expr& value, std::uint32_t factor, const Guards& guards);

struct RangeProof {
  std::optional<Expr> guard;  // absent: the coordinate's own bound is small enough
};

/// Why `coordinate` stays below the extent of `axis`; nothing: it is not known to.
std::optional<RangeProof> prove_in_range(const Expr& coordinate, const Axis& axis,
                                         const Guards& guards);

}  // namespace vkmoye::gen::ir
