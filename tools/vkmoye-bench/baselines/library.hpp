// SPDX-License-Identifier: MIT
#pragma once
// Libraries of vendors, opened at run time where they are installed and never linked.

#include <string>
#include <vector>

#include "workloads/devices/execution.hpp"

namespace vkmoye::bench {

/// Stays open to the end of the program: these libraries do not bear being closed.
class Library {
 public:
  /// Opens the first of `sonames` that is found: in the folder that the environment variable
  /// `variable` names (or the file itself), then where the loader looks, then in `folders`. Throws
  /// Unavailable.
  Library(const char* variable, const std::vector<std::string>& sonames,
          const std::vector<std::string>& folders);

  /// The function called `name`, of type `Function`, into `target`. Throws Unavailable.
  template <class Function>
  void load(const char* name, Function*& target) const {
    target = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string path_;
};

/// The folder that environment variable `variable` names; "" if it is not set.
std::string folder_in(const char* variable);

}  // namespace vkmoye::bench
