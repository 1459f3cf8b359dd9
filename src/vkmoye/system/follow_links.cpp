// SPDX-License-Identifier: MIT
#include "vkmoye/system/file.hpp"

namespace vkmoye::system {

std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int kMaxLinks = 40;  // as many as Linux follows
  std::error_code error;
  for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(path, error); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return path;
}

}  // namespace vkmoye::system
