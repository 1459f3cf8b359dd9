// SPDX-License-Identifier: MIT
#include "io/wrap.hpp"

#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {

std::string hanging(const std::string& head, const std::string& text, std::size_t columns) {
  std::string out, line = head;
  bool empty = true;  // nothing after the head or the margin yet
  const auto end_line = [&] {
    out += line + '\n';
    line = std::string(head.size(), ' ');
    empty = true;
  };
  for (std::string word : split(text, ' ')) {
    if (!empty && line.size() + 1 + word.size() > columns) end_line();
    // A word longer than a line, such as a path, continues on the next.
    while (empty && line.size() + word.size() > columns && head.size() < columns) {
      const std::size_t room = columns - line.size();
      line += word.substr(0, room);
      word.erase(0, room);
      end_line();
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return out + line + '\n';
}

std::string continued(const std::string& margin, const std::string& command, std::size_t columns) {
  std::string out, line = margin;
  for (const std::string& word : split(command, ' ')) {
    if (line.size() > margin.size() && line.size() + 1 + word.size() + 2 > columns) {
      out += line + " \\\n";
      line = margin + "  ";
    } else if (line.size() > margin.size()) {
      line += ' ';
    }
    line += word;
  }
  return out + line + '\n';
}

}  // namespace vkmoye::bench
