// SPDX-License-Identifier: MIT
#pragma once
// Recognises expressions that count parts: n / 64 + min(n % 64, 1) is ceil(n / 64), as `ceil_div` writes it.

#include <cstdint>
#include <optional>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

/// ceil(whole / size), with a size above 1.
struct CeilDiv {
  Expr whole;
  std::uint32_t size = 0;
};

/// `e` as a CeilDiv; nullopt if it is not written as ceil_div(whole, size).
std::optional<CeilDiv> ceil_div_from(const Expr& e);

}  // namespace vkmoye::gen::ir
