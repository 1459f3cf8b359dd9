// SPDX-License-Identifier: MIT
#include "vkmoye/system/environment.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

namespace vkmoye::system {

std::filesystem::path path_variable(const char* name) {
  const std::wstring wide(name, name + std::strlen(name));  // names are ASCII
  const wchar_t* value = _wgetenv(wide.c_str());
  return value != nullptr ? value : L"";
}

std::filesystem::path cache_home() {
  if (const auto local = path_variable("LOCALAPPDATA"); local.is_absolute()) return local;
  return {};
}

}  // namespace vkmoye::system
