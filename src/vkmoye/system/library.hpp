// SPDX-License-Identifier: MIT
#pragma once
// Libraries that are opened at run time.

#include <string>

namespace vkmoye::system {

/// A library: null where there is none.
using LibraryHandle = void*;

/// Opens the library `name`, a file or what the loader of the system searches for. Returns null, with the reason in
/// `why`, if that fails.
LibraryHandle open_library(const char* name, std::string& why);

/// The address of a function or an object in it; null if there is none.
void* symbol_in(LibraryHandle library, const char* name);

void close_library(LibraryHandle library);

/// "libvulkan.so.1", "vulkan-1.dll".
const char* vulkan_loader_name();

}  // namespace vkmoye::system
