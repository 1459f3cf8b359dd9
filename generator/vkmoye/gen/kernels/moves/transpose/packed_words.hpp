// SPDX-License-Identifier: MIT
#pragma once
// Elements as words of 4 bytes: how arrays of elements of 1 and 2 bytes are moved, and whatever only moves.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

/// Those of so many elements of `tensor` from the one at `at` on. `whose`: for messages.
ir::Element words(const Tensor& tensor, std::vector<Expr> at, std::int64_t elements,
                  const char* whose);

/// Words of neighbouring rows, 1, 2 or 4 elements each and as many of them, as words that are each of a
/// column: 2x2 halves or 4x4 bytes change places. `name`: what values between are called.
std::vector<Expr> turned(Builder& k, const std::string& name, const std::vector<Expr>& rows);

}  // namespace vkmoye::gen
