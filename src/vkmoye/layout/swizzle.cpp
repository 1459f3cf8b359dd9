// SPDX-License-Identifier: MIT
#include "vkmoye/layout/swizzle.hpp"

#include <fmt/format.h>

#include "vkmoye/layout/text.hpp"

namespace vkmoye {

std::string to_string(const Swizzle& swizzle) {
  return fmt::format("Swizzle<{},{},{}>", swizzle.bits(), swizzle.base(), swizzle.shift());
}

std::string to_string(const ComposedLayout& layout) {
  return fmt::format("{} o {} o {}", to_string(layout.swizzle), layout.offset,
                     to_string(layout.layout));
}

std::string to_string(const OffsetLayout& layout) {
  return fmt::format("{} + {}", layout.offset, to_string(layout.layout));
}

}  // namespace vkmoye
