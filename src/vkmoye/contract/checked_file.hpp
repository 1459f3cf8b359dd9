// SPDX-License-Identifier: MIT
#pragma once
// JSON in a file that says what it is and notices damage.
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

/// What stands in `text`. Throws ArgumentError: no JSON, another format or version, a checksum that does not
/// match.
Json checked_content(const FileKind& kind, std::string_view text);

/// Throws ArgumentError: "kernel file: ", then the reasons.
[[noreturn]] void refuse_file(const FileKind& kind, const std::vector<std::string>& reasons);

/// All of it. Throws ArgumentError naming it.
std::string text_of(const std::filesystem::path& file);

/// The file appears under its name once it is whole. Throws ArgumentError naming it.
void write_text_file(const std::filesystem::path& file, const std::string& text);

/// `parse` of its text. Throws ArgumentError naming the file, also for what `parse` throws.
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
