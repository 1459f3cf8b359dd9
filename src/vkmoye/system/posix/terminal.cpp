// SPDX-License-Identifier: MIT
#include "vkmoye/system/terminal.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace vkmoye::system {
namespace {

int descriptor_of(Stream stream) {
  switch (stream) {
    case Stream::input: return STDIN_FILENO;
    case Stream::output: return STDOUT_FILENO;
    case Stream::error: break;
  }
  return STDERR_FILENO;
}

}  // namespace

bool is_terminal(Stream stream) { return isatty(descriptor_of(stream)) != 0; }

std::size_t terminal_columns(Stream stream) {
  winsize size = {};
  const bool known = is_terminal(stream) && ioctl(descriptor_of(stream), TIOCGWINSZ, &size) == 0;
  return known ? size.ws_col : 0;
}

bool has_escape_sequences(Stream /*whichever*/) {
  const char* kind = std::getenv("TERM");
  return kind == nullptr || std::strcmp(kind, "dumb") != 0;
}

void prepare_standard_streams() {
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace vkmoye::system
