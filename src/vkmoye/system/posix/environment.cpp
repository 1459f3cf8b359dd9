// SPDX-License-Identifier: MIT
#include "vkmoye/system/environment.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <system_error>

namespace vkmoye::system {

std::filesystem::path path_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::filesystem::path cache_home() {
  // The XDG base directory specification: relative paths are to be ignored.
  if (const auto xdg = path_variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg;
  if (const auto home = path_variable("HOME"); home.is_absolute()) return home / ".cache";
  return {};
}

std::filesystem::path program_file() {
  std::error_code unknown;
  auto file = std::filesystem::read_symlink("/proc/self/exe", unknown);
  return unknown ? std::filesystem::path() : file;
}

std::filesystem::path library_file() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&library_file), &info) == 0) return {};
  std::error_code unknown;
  auto file = std::filesystem::canonical(info.dli_fname, unknown);
  return unknown ? std::filesystem::path() : file;
}

}  // namespace vkmoye::system
