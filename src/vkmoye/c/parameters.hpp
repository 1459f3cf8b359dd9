// SPDX-License-Identifier: MIT
#pragma once
// Checks of what a caller passes: pointers, flags, and structures of any version.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "vkmoye/base/error.hpp"
#include "vkmoye/vkmoye.h"

namespace vkmoye::c {

/// Throws ArgumentError, "`function`: `name` is null", if it is.
inline void require(const void* pointer, const char* function, const char* name) {
  if (pointer == nullptr) throw ArgumentError(std::string(function) + ": " + name + " is null");
}

/// Throws ArgumentError for a null pointer to a number of elements other than 0.
inline void require_elements(const void* first, std::uint32_t count, const char* function,
                             const char* name) {
  if (count != 0) require(first, function, name);
}

/// A copy of `given`, which may be null and may be of another version. `first_version_bytes`: its size in version
/// 1.0, which must not change when members are added. Throws ArgumentError naming `function` if it is shorter than
/// that, or sets a member that is not known here.
template <class Struct>
Struct read_struct(const Struct* given, std::size_t first_version_bytes, const char* function) {
  Struct out = {};
  if (given == nullptr) return out;
  const std::size_t size = given->struct_size;
  if (size < first_version_bytes) {
    throw ArgumentError(std::string(function) + ": struct_size is " + std::to_string(size) +
                        ", but the structure has at least " + std::to_string(first_version_bytes) +
                        " bytes");
  }
  const char* bytes = reinterpret_cast<const char*>(given);
  if (size > sizeof(Struct) &&
      std::any_of(bytes + sizeof(Struct), bytes + size, [](char byte) { return byte != 0; })) {
    throw ArgumentError(std::string(function) +
                        ": the structure sets members that this library, of version " +
                        std::to_string(VKMOYE_C_VERSION_MAJOR) + "." +
                        std::to_string(VKMOYE_C_VERSION_MINOR) + ", does not know");
  }
  std::memcpy(&out, given, std::min(size, sizeof(Struct)));
  return out;
}

/// Throws ArgumentError if `flags` has bits other than `known`.
inline void check_flags(std::uint32_t flags, std::uint32_t known, const char* function) {
  if ((flags & ~known) == 0) return;
  throw ArgumentError(std::string(function) + ": unknown flags " + std::to_string(flags & ~known));
}

/// Throws ArgumentError, "`function`: `name` is 7, not 0", if it is not.
inline void require_zero(std::uint32_t value, const char* function, const char* name) {
  if (value == 0) return;
  throw ArgumentError(std::string(function) + ": " + name + " is " + std::to_string(value) +
                      ", not 0");
}

/// The text of a C string; "" for null.
inline std::string text_of(const char* text) { return text == nullptr ? "" : text; }

}  // namespace vkmoye::c
