// SPDX-License-Identifier: MIT
#include "vkmoye/system/arguments.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>

#include "vkmoye/system/windows/windows.hpp"
// After windows.h.
#include <shellapi.h>

namespace vkmoye::system {
namespace {

// Whether they are what the C library made of the command line, and not a program's own.
bool are_of_program(int argc, const char* const* argv) {
  if (argc != __argc || __argv == nullptr) return false;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], __argv[i]) != 0) return false;
  }
  return true;
}

std::string to_utf8(const wchar_t* text) {
  const int bytes = WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<std::size_t>(bytes), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text, -1, out.data(), bytes, nullptr, nullptr);
  out.resize(out.empty() ? 0 : out.size() - 1);  // without the terminating zero
  return out;
}

}  // namespace

std::vector<std::string> arguments_of_main(int argc, const char* const* argv) {
  int count = 0;
  const std::unique_ptr<wchar_t*, decltype(&LocalFree)> wide(
      CommandLineToArgvW(GetCommandLineW(), &count), LocalFree);
  if (wide == nullptr || !are_of_program(argc, argv)) return {argv, argv + argc};
  std::vector<std::string> out;
  // Their count may differ from `argc`: the C library of mingw-w64 replaces patterns by the files that match.
  for (int i = 0; i < count; ++i) out.push_back(to_utf8(wide.get()[i]));
  return out;
}

}  // namespace vkmoye::system
