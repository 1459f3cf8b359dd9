// SPDX-License-Identifier: MIT
#include "commands/progress.hpp"

#include <iostream>

namespace vkmoye::bench {

Progress::Progress()
    : columns_(terminal_of(system::Stream::error).columns),
      shown_(system::is_terminal(system::Stream::error)) {}

void Progress::show(const std::string& line) const {
  // One column less: some terminals begin a new line after the last column.
  if (shown_) std::cerr << "\r\x1b[K" << line.substr(0, columns_ - 1) << std::flush;
}

void Progress::clear() const { show(""); }

}  // namespace vkmoye::bench
