// SPDX-License-Identifier: MIT
#include "vkmoye/system/library.hpp"

#include <filesystem>

#include "vkmoye/system/windows/windows.hpp"

namespace vkmoye::system {

LibraryHandle open_library(const char* name, std::string& why) {
  const std::filesystem::path path = reinterpret_cast<const char8_t*>(name);
  const HMODULE library = LoadLibraryW(path.c_str());
  if (library == nullptr) why = std::string(name) + ": " + message_of(GetLastError());
  return library;
}

void* symbol_in(LibraryHandle library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

void close_library(LibraryHandle library) { FreeLibrary(static_cast<HMODULE>(library)); }

const char* vulkan_loader_name() { return "vulkan-1.dll"; }

}  // namespace vkmoye::system
