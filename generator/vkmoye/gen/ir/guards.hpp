// SPDX-License-Identifier: MIT
#pragma once
// What enclosing conditions prove: that a coordinate stays below an extent, that a size is a
// multiple.
//
//   if (cols % 4 == 0 && col < cols)     guards: cols % 4 == 0, col < cols
//     src[col + 2]                       in range: col and cols are multiples of 4
//   if (32 * block + 31 < cols)          a whole tile is inside
//     src[32 * block + thread % 32]      in range: thread % 32 is at most 31
//   if (96 * block < cols && 95 < cols - 96 * block)    likewise, where a sum might wrap
//   if (word < n / 4)
//     src[4 * word + 3]                  in range of n elements; so is 4 * min(word, n / 4 - 1) + 3
//                                        where n / 4 is not 0
//   dst[16 * block + lane % 16]          in range of 64 where block is the group in a grid of 64 / 16
//   src[min(col, cols - 1)]              in range where something is below cols, so that it is not 0:
//                                        a guard, or the grid that counts tiles along it

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// Comparisons that hold where a statement stands.
using Guards = std::vector<Expr>;

/// Those that hold in every launch that runs anything: 0 < each extent that the grid counts tiles along,
/// and each factor of one.
Guards guards_of_launch(const Kernel& kernel);

/// Whether `value` cannot be 0: a number, or something is below it.
bool is_positive(const Expr& value, const Guards& guards);

/// Adds the comparisons that all hold where `condition` does.
void add_guards(Guards& guards, const Expr& condition);

/// Whether `value` is a multiple of `factor`, by itself or by a guard `value % n == 0`.
bool is_multiple(const Expr& value, std::uint32_t factor, const Guards& guards);

/// What names stand for, in terms of names that stand for nothing else.
using Definitions = std::map<std::string, Expr>;

/// `e` with every defined name replaced.
Expr expand(const Expr& e, const Definitions& definitions);

/// Adds what `name` stands for from here on, which stays below the bound of `value`.
void add_definition(Definitions& definitions, const std::string& name, const Expr& value);

struct RangeProof {
  /// Absent: the bound of the coordinate, or of what its names stand for, is small enough.
  std::optional<Expr> guard;
};

/// Why `coordinate` stays below the extent of `axis`; nothing: it is not known to.
std::optional<RangeProof> prove_in_range(const Expr& coordinate, const Axis& axis,
                                         const Guards& guards, const Definitions& definitions = {});

}  // namespace vkmoye::gen::ir
