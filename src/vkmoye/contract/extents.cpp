// SPDX-License-Identifier: MIT
#include "vkmoye/contract/extents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace vkmoye {

std::int64_t number_of_elements(const Extents& extents) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return 0;
  std::int64_t out = 1;
  for (const std::int64_t extent : extents) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    out = out > kMax / extent ? kMax : out * extent;
  }
  return out;
}

std::string size_text(const Extents& extents) { return fmt::format("{}", fmt::join(extents, "x")); }

std::string shape_text(const Extents& extents) {
  return fmt::format("({}{})", fmt::join(extents, ", "), extents.size() == 1 ? "," : "");
}

Extents reversed(Extents shape) {
  std::reverse(shape.begin(), shape.end());
  return shape;
}

}  // namespace vkmoye
