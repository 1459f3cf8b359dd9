#pragma once
// The expressions of `layout EXPR`: literals and operations of the layout algebra by their names.
//
//   composition((4,8):(8,1), 4:2)          -> (2,2):(16,1)
//   zipped_divide((4,8), [2, 4])           -> ((2,4),(2,2)):((1,4),(2,16))

#include <string>
#include <string_view>
#include <variant>

#include "vkmoye/layout/layout.hpp"
#include "vkmoye/layout/tiler.hpp"

namespace vkmoye::bench {

/// A number or tuple, a layout, or a list that only a tiler can be.
using LayoutValue = std::variant<IntTuple, Layout, Tiler>;

/// Throws LayoutError pointing at the column of what cannot be read, or from the operation.
LayoutValue evaluate_layout_expression(std::string_view text);

}  // namespace vkmoye::bench
