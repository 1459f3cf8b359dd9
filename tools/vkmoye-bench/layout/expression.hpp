// SPDX-License-Identifier: MIT
#pragma once
// The expressions of `layout EXPR`: literals and operations of the layout algebra by their names.
//
//   composition((4,8):(8,1), 4:2)          -> (2,2):(16,1)
//   zipped_divide((4,8), [2, 4])           -> ((2,4),(2,2)):((1,4),(2,16))
//
// Every form that value.hpp prints is an expression too.

#include <string_view>

#include "layout/operations.hpp"

namespace vkmoye::bench {

/// Throws LayoutError pointing at the column of what cannot be read, or where the operation that
/// refused stands.
Value evaluate_layout_expression(std::string_view text);

}  // namespace vkmoye::bench
