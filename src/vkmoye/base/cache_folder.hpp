// SPDX-License-Identifier: MIT
#pragma once
// The cache folder: the runtime keeps compiled pipelines in it, the tool tuned configurations and device facts.

#include <filesystem>

namespace vkmoye {

/// $VKMOYE_CACHE_DIR, else $XDG_CACHE_HOME/vkmoye, else $HOME/.cache/vkmoye, else empty. On Windows, the folder vkmoye
/// in %LOCALAPPDATA% instead of the latter two.
std::filesystem::path default_cache_folder();

}  // namespace vkmoye
