// SPDX-License-Identifier: MIT
#pragma once
// Whether a file that the user named can be read.

#include <filesystem>

#include "vkmoye/system/file.hpp"

namespace vkmoye {

/// Throws ArgumentError, "FILE: cannot be read: WHY", unless `path` is a regular file that can be opened.
void require_readable(const std::filesystem::path& path);

}  // namespace vkmoye
