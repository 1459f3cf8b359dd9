// SPDX-License-Identifier: MIT
#pragma once
// Text files as a whole; errors name the file.

#include <filesystem>
#include <string>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"

namespace vkmoye {

/// The whole file. Throws ArgumentError naming it.
std::string read_text_file(const std::filesystem::path& file);

/// Writes a temporary file and renames it once it is complete. Throws ArgumentError naming the file.
void write_text_file(const std::filesystem::path& file, const std::string& text);

/// The result of `parse` for its text. Throws ArgumentError naming the file, also if `parse` throws.
template <class Parse>
auto parse_text_file(const std::filesystem::path& file, Parse parse) {
  const std::string text = read_text_file(file);
  try {
    return parse(text);
  } catch (const ArgumentError& error) {
    throw ArgumentError(path_text(file) + ": " + error.what());
  }
}

}  // namespace vkmoye
