// SPDX-License-Identifier: MIT
#pragma once
// The Windows API, without its macros, and its messages.

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <string>
#include <system_error>

namespace vkmoye::system {

/// The text of an error of GetLastError.
inline std::string message_of(DWORD error) {
  return std::system_category().message(static_cast<int>(error));
}

}  // namespace vkmoye::system
