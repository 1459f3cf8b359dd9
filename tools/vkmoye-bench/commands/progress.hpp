// SPDX-License-Identifier: MIT
#pragma once
// The progress line on stderr: each line overwrites the one before.

#include <cstddef>
#include <string>

#include "io/terminal.hpp"

namespace vkmoye::bench {

/// Shows nothing if stderr is not a terminal.
class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows as much of `line` as fits.
  void show(const std::string& line) const;
  void clear() const;

 private:
  std::size_t columns_;
  bool shown_;
};

}  // namespace vkmoye::bench
