// SPDX-License-Identifier: MIT
#pragma once
// What the enclosing conditions prove: that a coordinate is below an extent, or that a size is a multiple of a number.
//
//   if (cols % 4 == 0 && col < cols)     guards: cols % 4 == 0, col < cols
//     src[col + 2]                       in range: col and cols are multiples of 4
//   if (32 * block + 31 < cols)          a whole tile is inside
//     src[32 * block + thread % 32]      in range: thread % 32 is at most 31
//   if (96 * block < cols && 95 < cols - 96 * block)    the same, if the sum might wrap
//   if (word < n / 4)
//     src[4 * word + 3]                  in range of n elements; so is 4 * min(word, n / 4 - 1) + 3
//                                        if n / 4 is not 0
//   dst[16 * block + lane % 16]          in range of 64 if block is the workgroup in a grid of 64 / 16
//   src[cols - 1 - col]                  in range if col < cols
//   src[i % cols]                        in range of cols if cols is not 0
//   src[select(c, i, j)]                 in range if i is wherever c holds, and j wherever it does not
//   begin[row + 1]                       in range of ends if row < rows and rows < ends; begin[row] also if
//                                        !(ends < rows), or rows < ends + 1
//   src[min(col, cols - 1)]              in range if cols is not 0: something is below it, by a guard
//                                        or because the grid counts tiles along cols
//   for (t < ceil(cols / 64))            src[64 * t] is in range; so it is if the end is the minimum
//                                        of that and others, or the parts of min(cols, others)

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// Comparisons that hold at a statement.
using Guards = std::vector<Expr>;

/// The guards that hold in every workgroup of a launch: its tile begins inside the extent along which the grid counts
/// tiles, so that this extent and its factors are not 0; and the conditions of assumptions_of_launch.
Guards guards_of_launch(const Kernel& kernel);

/// The values of names, in which only names without a definition occur.
using Definitions = std::map<std::string, Expr>;

/// Whether `value` cannot be 0: it is a number other than 0, or a guard says that some value is below it, or below an
/// expression that is 0 whenever it is 0; comparisons of data say nothing. A loop over `t < ceil_div(n, 256)` has a
/// round only if n is not 0. n / 4 is not 0 if n is a multiple of 4 other than 0, and max(x, 1) never is.
bool is_positive(const Expr& value, const Guards& guards, const Definitions& definitions = {});

/// Adds the comparisons that hold if `condition` holds; if it fails.
void add_guards(Guards& guards, const Expr& condition);
void add_guards_of_failure(Guards& guards, const Expr& condition);

/// Adds the comparisons that hold inside a body because of the condition or the loop around it.
struct NestedBody;
void add_guards(Guards& guards, const NestedBody& inner);

/// Whether `value` is a multiple of `factor`, by its alignment or by a guard `value % n == 0`.
bool is_multiple(const Expr& value, std::uint32_t factor, const Guards& guards);

/// `e` with every defined name replaced by its value.
Expr expand(const Expr& e, const Definitions& definitions);

/// Defines `name` as `value` from here on, with the bound of `value`.
void add_definition(Definitions& definitions, const std::string& name, const Expr& value);

struct RangeProof {
  /// The guard that was needed; nullopt if the bound of the coordinate, or of its expansion, is small enough.
  std::optional<Expr> guard;
};

/// Whether `condition` holds wherever `guards` do. False: that is not known.
bool is_implied(const Expr& condition, const Guards& guards, const Definitions& definitions = {});

/// A proof that `coordinate` is below the extent of `axis`; nullopt if none was found.
std::optional<RangeProof> prove_in_range(const Expr& coordinate, const Axis& axis,
                                         const Guards& guards, const Definitions& definitions = {});

}  // namespace vkmoye::gen::ir
