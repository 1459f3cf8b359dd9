// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/values/kernel_label.hpp"

#include <algorithm>
#include <string_view>

namespace vkmoye {
namespace {

// Takes `prefix` and the rest of its line from `text`; returns that rest, or "" if the line begins otherwise.
std::string_view take_line(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return {};
  text.remove_prefix(prefix.size());
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

// Appends the words of `line`, each after a space.
void append_words(std::string& out, std::string_view line) {
  bool in_word = false;
  for (const char c : line) {
    if (c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word) out += ' ';
    in_word = true;
    out += c;
  }
}

}  // namespace

std::string label_of(const CompiledKernel& kernel) {
  const std::string& name = kernel.interface.name;
  std::string_view text = kernel.glsl;
  std::string_view line = take_line(text, "// generated: ");
  if (line.substr(0, name.size()) != name) return name;
  line.remove_prefix(name.size());
  if (!line.empty() && line.front() != ' ') return name;  // a longer name
  std::string label = name;
  // A config that is too long for one line continues indented.
  for (; !line.empty(); line = take_line(text, "//   ")) append_words(label, line);
  return label;
}

}  // namespace vkmoye
