// SPDX-License-Identifier: MIT
#pragma once
// Paths as text. Text is UTF-8 on every system; std::filesystem::path alone would interpret it in the machine's code
// page on Windows.
//
//   path_of("größe.npy")  ->  L"größe.npy" on Windows, the same bytes on POSIX

#include <filesystem>
#include <string>
#include <string_view>

namespace vkmoye {

/// The path that `text` names. On Windows, throws ArgumentError if `text` is not UTF-8.
std::filesystem::path path_of(std::string_view text);

/// The text of `path`, as a user reads and types it.
std::string path_text(const std::filesystem::path& path);

}  // namespace vkmoye
