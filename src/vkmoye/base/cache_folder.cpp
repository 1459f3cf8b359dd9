// SPDX-License-Identifier: MIT
#include "vkmoye/base/cache_folder.hpp"

#include <cstdlib>

namespace vkmoye {

std::filesystem::path default_cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value != nullptr ? value : "");
  };
  if (const auto own = variable("VKMOYE_CACHE_DIR"); !own.empty()) return own;
  // The XDG base directory specification: relative paths are to be ignored.
  if (const auto xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "vkmoye";
  if (const auto home = variable("HOME"); home.is_absolute()) return home / ".cache" / "vkmoye";
  return {};
}

}  // namespace vkmoye
