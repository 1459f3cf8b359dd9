// SPDX-License-Identifier: MIT
#pragma once
// Parts of an index that its text says twice, so that they get a name.
//
//   index   (8 * x + y) ^ ((8 * x + y & 56) >> 3)
//   part    8 * x + y
//   rest    flat ^ ((flat & 56) >> 3)               where flat is the name of the part

#include <optional>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::glsl {

/// The longest part of `index` that is spelled more than once; nothing if none is longer than a name.
std::optional<ir::Expr> repeated_part(const ir::Expr& index);

/// `index` with each part that is spelled like `part` replaced by `by`.
ir::Expr replaced(const ir::Expr& index, const ir::Expr& part, const ir::Expr& by);

}  // namespace vkmoye::gen::glsl
