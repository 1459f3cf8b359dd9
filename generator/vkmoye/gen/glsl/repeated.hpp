// SPDX-License-Identifier: MIT
#pragma once
// Finds parts that occur more than once in the text of an index, so that they can be named.
//
//   index   (8 * x + y) ^ ((8 * x + y & 56) >> 3)
//   part    8 * x + y
//   rest    flat ^ ((flat & 56) >> 3)               where flat is the name of the part

#include <optional>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::glsl {

/// The longest part of `index` that occurs more than once in its text; nullopt if none is longer than a name.
std::optional<ir::Expr> repeated_part(const ir::Expr& index);

/// `index` with each part that has the same text as `part` replaced by `by`.
ir::Expr replaced(const ir::Expr& index, const ir::Expr& part, const ir::Expr& by);

}  // namespace vkmoye::gen::glsl
