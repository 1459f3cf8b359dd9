// SPDX-License-Identifier: MIT
#pragma once
// Reading a swizzle within a longer text, as parse_composed_layout and the layout tool do.

#include "vkmoye/layout/text.hpp"

namespace vkmoye {

/// What stands behind the word Swizzle: <5,0,5>. LayoutError with the column otherwise, or where there
/// is no such swizzle.
Swizzle scan_swizzle(Scanner& scan);

}  // namespace vkmoye
