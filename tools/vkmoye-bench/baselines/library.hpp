// SPDX-License-Identifier: MIT
#pragma once
// Vendor libraries, opened at run time if they are installed, and never linked.

#include <cstdint>
#include <string>
#include <vector>

#include "devices/execution.hpp"

namespace vkmoye::bench {

/// Stays open until the end of the program: these libraries cannot safely be closed.
class Library {
 public:
  /// Opens the first of `sonames` that is found in the folder that the environment variable `variable` names (it may
  /// also name the file), by the loader, or in `folders`. Throws Unavailable.
  Library(const char* variable, const std::vector<std::string>& sonames,
          const std::vector<std::string>& folders);

  /// A function of the library, which becomes a pointer of any type.
  struct Symbol {
    void* address;
    template <class Function>
    operator Function*() const {
      return reinterpret_cast<Function*>(address);
    }
  };
  /// The function `name`. Throws Unavailable.
  Symbol operator[](const char* name) const;

 private:
  void* handle_ = nullptr;
  std::string path_;
};

/// Throws Unavailable, naming `library`, if `value` of the argument `what` does not fit.
int to_blas_int(std::int64_t value, const char* what, const char* library);

/// The folder that the environment variable `variable` names; "" if it is not set.
std::string folder_in(const char* variable);

}  // namespace vkmoye::bench
