// SPDX-License-Identifier: MIT
#pragma once
// What is being done, for who waits: one line of stderr that the next one overwrites.

#include <cstddef>
#include <string>

#include "io/terminal.hpp"

namespace vkmoye::bench {

/// Shows nothing where stderr is no terminal.
class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// As much of `line` as fits.
  void show(const std::string& line) const;
  void clear() const;

 private:
  std::size_t columns_;
  bool shown_;
};

}  // namespace vkmoye::bench
