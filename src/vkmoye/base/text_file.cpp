// SPDX-License-Identifier: MIT
#include "vkmoye/base/text_file.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <vector>

#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/require_readable.hpp"
#include "vkmoye/system/file.hpp"

namespace vkmoye {

std::string read_text_file(const std::filesystem::path& file) {
  require_readable(file);
  std::string reason;
  const std::vector<std::byte> bytes = system::read_file(file, reason);
  if (!reason.empty()) {
    throw ArgumentError(fmt::format("{}: cannot be read: {}", path_text(file), reason));
  }
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_text_file(const std::filesystem::path& file, const std::string& text) {
  const std::string reason =
      system::replace_file(file, std::as_bytes(std::span(text)), system::Permissions::preserved);
  if (reason.empty()) return;
  throw ArgumentError(fmt::format("{}: cannot be written: {}", path_text(file), reason));
}

}  // namespace vkmoye
