// SPDX-License-Identifier: MIT
#pragma once
// Where what was found out once is kept: pipelines by the runtime, tuned rows and facts by the tool.

#include <filesystem>

namespace vkmoye {

/// $VKMOYE_CACHE_DIR, else $XDG_CACHE_HOME/vkmoye, else $HOME/.cache/vkmoye, else empty.
std::filesystem::path default_cache_folder();

}  // namespace vkmoye
