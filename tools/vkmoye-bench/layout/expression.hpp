// SPDX-License-Identifier: MIT
#pragma once
// The expressions of `layout EXPR`: literals, and operations of the layout algebra by name.
//
//   composition((4,8):(8,1), 4:2)          -> (2,2):(16,1)
//   zipped_divide((4,8), [2, 4])           -> ((2,4),(2,2)):((1,4),(2,16))
//
// All output of value.hpp is a valid expression.

#include <string_view>

#include "layout/layout_operations.hpp"

namespace vkmoye::bench {

/// Throws LayoutError with the column of the syntax error, or of the operation that failed.
Value evaluate_layout_expression(std::string_view text);

}  // namespace vkmoye::bench
