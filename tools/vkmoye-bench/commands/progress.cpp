// SPDX-License-Identifier: MIT
#include "commands/progress.hpp"

#include <unistd.h>

#include <iostream>

namespace vkmoye::bench {

Progress::Progress()
    : columns_(terminal_of(STDERR_FILENO).columns), shown_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(const std::string& line) const {
  // One column less: some terminals begin a new line behind the last one.
  if (shown_) std::cerr << "\r\x1b[K" << line.substr(0, columns_ - 1) << std::flush;
}

void Progress::clear() const { show(""); }

}  // namespace vkmoye::bench
