// SPDX-License-Identifier: MIT
#include "vkmoye/layout/analysis.hpp"

#include "vkmoye/layout/text.hpp"

namespace vkmoye {

std::string why_no_storage(const Layout& layout) {
  const auto collision = find_collision(layout);
  if (!collision) return {};
  return to_string(collision->first) + " and " + to_string(collision->second) + " share offset " +
         std::to_string(collision->offset);
}

}  // namespace vkmoye
