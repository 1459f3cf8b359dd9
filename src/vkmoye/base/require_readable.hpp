// SPDX-License-Identifier: MIT
#pragma once
// Files, with errors as exceptions where a user named them.

#include <filesystem>

#include "vkmoye/system/file.hpp"

namespace vkmoye {

/// Throws ArgumentError, "FILE: cannot be read: WHY", unless `path` is a regular file that can be opened.
void require_readable(const std::filesystem::path& path);

}  // namespace vkmoye
