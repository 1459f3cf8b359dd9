// SPDX-License-Identifier: MIT
#pragma once
// Which vkmoye this is. The macros are those of the headers; version() is that of the library that is
// linked. CMakeLists.txt reads the number from here.
//
//   static_assert(VKMOYE_VERSION_MAJOR == 0);
//   if (vkmoye::version() != VKMOYE_VERSION) ..    headers and library of different releases

#include <string_view>

/// The version of the headers: three numbers, and their text.
#define VKMOYE_VERSION_MAJOR 0
#define VKMOYE_VERSION_MINOR 1
#define VKMOYE_VERSION_PATCH 0
#define VKMOYE_VERSION "0.1.0"

namespace vkmoye {

/// "MAJOR.MINOR.PATCH", as semantic versions are: before 1.0, a new MINOR may change what a program sees.
std::string_view version();

}  // namespace vkmoye
