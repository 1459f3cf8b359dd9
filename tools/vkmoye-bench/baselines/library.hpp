// SPDX-License-Identifier: MIT
#pragma once
// Vendor libraries, opened at run time if they are installed, and never linked.

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

  /// Stores the function `name` in `target`, with its type. Throws Unavailable.
  template <class Function>
  void load(const char* name, Function*& target) const {
    target = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string path_;
};

/// The folder that the environment variable `variable` names; "" if it is not set.
std::string folder_in(const char* variable);

}  // namespace vkmoye::bench
