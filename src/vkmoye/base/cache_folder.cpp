// SPDX-License-Identifier: MIT
#include "vkmoye/base/cache_folder.hpp"

#include "vkmoye/system/environment.hpp"

namespace vkmoye {

std::filesystem::path default_cache_folder() {
  if (const auto own = system::path_variable("VKMOYE_CACHE_DIR"); !own.empty()) return own;
  if (const auto home = system::cache_home(); !home.empty()) return home / "vkmoye";
  return {};
}

}  // namespace vkmoye
