// SPDX-License-Identifier: MIT
#include "vkmoye/base/require_readable.hpp"

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"

namespace vkmoye {

void require_readable(const std::filesystem::path& path) {
  const std::string why = system::reason_against_reading(path);
  if (!why.empty()) throw ArgumentError(path_text(path) + ": cannot be read: " + why);
}

}  // namespace vkmoye
