// SPDX-License-Identifier: MIT
#include "io/program.hpp"

#include <cstdio>

namespace vkmoye::bench {
namespace {

constexpr std::string_view kOurs = "vkmoye-bench";

std::string& stored_name() {
  static std::string name(kOurs);
  return name;
}

}  // namespace

void name_program(std::string_view started_as) {
  constexpr std::string_view kSuffix = ".exe";
  // Not by std::filesystem: on Windows, the text may be in another encoding than names of files.
  std::string name(started_as.substr(started_as.find_last_of("/\\") + 1));
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  if (!name.empty()) stored_name() = name;
}

const std::string& program_name() { return stored_name(); }

std::string with_program_name(std::string_view text) {
  std::string out;
  for (std::size_t at; (at = text.find(kOurs)) != std::string_view::npos;) {
    out += text.substr(0, at);
    out += program_name();
    text.remove_prefix(at + kOurs.size());
  }
  return out += text;
}

void print_error(std::string_view text) {
  std::string line = program_name() + ": ";
  line += text;
  line += '\n';
  std::fputs(line.c_str(), stderr);
}

}  // namespace vkmoye::bench
