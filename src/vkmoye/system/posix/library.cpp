// SPDX-License-Identifier: MIT
#include "vkmoye/system/library.hpp"

#include <dlfcn.h>

namespace vkmoye::system {

LibraryHandle open_library(const char* name, std::string& why) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    why = reason != nullptr ? reason : name;
  }
  return library;
}

void* symbol_in(LibraryHandle library, const char* name) { return dlsym(library, name); }

void close_library(LibraryHandle library) { dlclose(library); }

const char* vulkan_loader_name() {
#if defined(__APPLE__)
  return "libvulkan.1.dylib";
#else
  return "libvulkan.so.1";
#endif
}

}  // namespace vkmoye::system
