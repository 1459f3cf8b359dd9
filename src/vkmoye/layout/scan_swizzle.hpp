// SPDX-License-Identifier: MIT
#pragma once
// Reading a swizzle within a longer text, as parse_composed_layout and the layout tool do.

#include "vkmoye/layout/text.hpp"

namespace vkmoye {

/// Parses the parameters after the word Swizzle, such as <5,0,5>. Throws LayoutError, with the column, if
/// they are not well formed, or if there is no such swizzle.
Swizzle scan_swizzle(Scanner& scan);

}  // namespace vkmoye
