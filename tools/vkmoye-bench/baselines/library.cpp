// SPDX-License-Identifier: MIT
#include "baselines/library.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/system/environment.hpp"
#include "vkmoye/system/library.hpp"

namespace vkmoye::bench {
std::string folder_in(const char* variable) {
  const std::filesystem::path path = system::path_variable(variable);
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) ? path_text(path.parent_path())
                                                         : path_text(path);
}

Library::Library(const char* variable, const std::vector<std::string>& sonames,
                 const std::vector<std::string>& folders) {
  const std::string own = folder_in(variable);
  std::vector<std::string> places = folders;
  places.insert(places.begin(), "");
  if (!own.empty()) places.insert(places.begin(), own);
  std::string damaged;  // the file exists but cannot be opened
  for (const std::string& place : places) {
    for (const std::string& soname : sonames) {
      path_ = place.empty() ? soname : place + "/" + soname;
      std::string why;
      handle_ = system::open_library(path_.c_str(), why);
      if (handle_ != nullptr) return;
      std::error_code ignored;
      if (!place.empty() && std::filesystem::exists(path_of(path_), ignored)) {
        damaged += fmt::format("; {}", why);
      }
    }
  }
  throw Unavailable(fmt::format("none of {} was found: neither by the loader nor in {} ({}={}){}",
                                join(sonames, ", "), join(folders, ", "), variable,
                                own.empty() ? "not set" : own, damaged));
}

Library::Symbol Library::operator[](const char* name) const {
  if (void* found = system::symbol_in(handle_, name)) return {found};
  throw Unavailable(fmt::format("{} has no {}", path_, name));
}

int to_blas_int(std::int64_t value, const char* what, const char* library) {
  if (value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
  throw Unavailable(
      fmt::format("{} = {} does not fit the 32-bit integers of {}", what, value, library));
}

}  // namespace vkmoye::bench
