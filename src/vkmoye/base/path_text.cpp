// SPDX-License-Identifier: MIT
#include "vkmoye/base/path_text.hpp"

#include <system_error>

#include "vkmoye/base/error.hpp"

namespace vkmoye {

std::filesystem::path path_of(std::string_view text) {
  try {
    return std::u8string(text.begin(), text.end());
  } catch (const std::system_error&) {
    throw ArgumentError(std::string(text) + ": the name of this file is not UTF-8");
  }
}

std::string path_text(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

}  // namespace vkmoye
