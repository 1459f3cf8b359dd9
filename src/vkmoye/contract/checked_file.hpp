// SPDX-License-Identifier: MIT
#pragma once
// JSON in a file with its format and version, and a checksum against damage.
//
//   {
//     "format": "vkmoye kernel",
//     "version": 1,
//     "checksum": "0123456789abcdef",     XXH64, seed 0, of "kernel" without spaces and line ends
//     "kernel": ..
//   }

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/json.hpp"

namespace vkmoye {

/// "vkmoye kernel" is the format of `what` "kernel".
struct FileKind {
  const char* what;
  int version;
};

std::string checked_text(const FileKind& kind, Json content);

/// The content of `text`. Throws ArgumentError: not JSON, another format or version, a checksum that does not match.
Json checked_content(const FileKind& kind, std::string_view text);

/// Throws ArgumentError: "kernel file: ", then the reasons.
[[noreturn]] void refuse_file(const FileKind& kind, const std::vector<std::string>& reasons);

/// The whole file. Throws ArgumentError naming it.
std::string text_of(const std::filesystem::path& file);

/// Writes a temporary file and renames it once it is complete. Throws ArgumentError naming the file.
void write_text_file(const std::filesystem::path& file, const std::string& text);

/// The result of `parse` for its text. Throws ArgumentError naming the file, also if `parse` throws.
template <class Parse>
auto read_text_file(const std::filesystem::path& file, Parse parse) {
  const std::string text = text_of(file);
  try {
    return parse(text);
  } catch (const ArgumentError& error) {
    throw ArgumentError(file.string() + ": " + error.what());
  }
}

}  // namespace vkmoye
