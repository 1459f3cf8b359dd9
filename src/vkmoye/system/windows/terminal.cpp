// SPDX-License-Identifier: MIT
#include "vkmoye/system/terminal.hpp"

#include <fcntl.h>
#include <io.h>

#include <cstdio>
#include <cstdlib>

#include "vkmoye/system/windows/windows.hpp"

namespace vkmoye::system {
namespace {

HANDLE handle_of(Stream stream) {
  switch (stream) {
    case Stream::input: return GetStdHandle(STD_INPUT_HANDLE);
    case Stream::output: return GetStdHandle(STD_OUTPUT_HANDLE);
    case Stream::error: break;
  }
  return GetStdHandle(STD_ERROR_HANDLE);
}

}  // namespace

bool is_terminal(Stream stream) {
  DWORD mode = 0;
  return GetConsoleMode(handle_of(stream), &mode) != 0;
}

std::size_t terminal_columns(Stream stream) {
  CONSOLE_SCREEN_BUFFER_INFO info = {};
  if (GetConsoleScreenBufferInfo(handle_of(stream), &info) == 0) return 0;
  return static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

bool has_escape_sequences(Stream stream) {
  constexpr DWORD kEscapes = 0x0004;  // ENABLE_VIRTUAL_TERMINAL_PROCESSING
  DWORD mode = 0;
  const HANDLE handle = handle_of(stream);
  return GetConsoleMode(handle, &mode) != 0 && SetConsoleMode(handle, mode | kEscapes) != 0;
}

// Handles are not reused as descriptors are, and there is no such limit.
void prepare_standard_streams() {
  for (std::FILE* stream : {stdout, stderr}) _setmode(_fileno(stream), _O_BINARY);
  // The console belongs to the shell as well, which gets its code page back.
  static UINT before;
  before = GetConsoleOutputCP();
  if (before == 0 || before == CP_UTF8) return;
  if (SetConsoleOutputCP(CP_UTF8) != 0) std::atexit([] { SetConsoleOutputCP(before); });
}

}  // namespace vkmoye::system
