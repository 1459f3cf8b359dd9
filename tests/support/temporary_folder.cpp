// SPDX-License-Identifier: MIT
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace vkmoye::test {

TemporaryFolder::TemporaryFolder() {
  namespace fs = std::filesystem;
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    path_ = (fs::temp_directory_path() / ("vkmoye-test-" + std::to_string(random()))).string();
    if (!fs::create_directory(path_)) continue;
    fs::permissions(path_, fs::perms::owner_all);
    return;
  }
  throw std::runtime_error("there is no new name for a temporary folder");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace vkmoye::test
