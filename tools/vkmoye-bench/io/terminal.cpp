// SPDX-License-Identifier: MIT
#include "io/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "io/parse.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::int64_t kMaxColumns = 1000;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Terminal terminal_of(std::optional<system::Stream> stream) {
  Terminal out;
  const auto widen = [&](std::int64_t columns) {
    out.columns = std::max(out.columns, static_cast<std::size_t>(std::min(columns, kMaxColumns)));
  };
  if (const auto columns = parse_count(variable("COLUMNS"), 1)) widen(*columns);
  if (!stream || !system::is_terminal(*stream)) return out;
  widen(static_cast<std::int64_t>(system::terminal_columns(*stream)));
  out.colour = variable("NO_COLOR").empty() && system::has_escape_sequences(*stream);
  return out;
}

std::string painted(std::string_view text, Colour colour, bool has_colour) {
  if (!has_colour || colour == Colour::plain || text.empty()) return std::string(text);
  const char* code = colour == Colour::good ? "32" : colour == Colour::bad ? "1;31" : "2";
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string bar(double value, double max, std::size_t width) {
  if (!(value > 0) || !(max > 0) || width == 0) return "";
  const double length = std::max(1.0, std::round(value / max * static_cast<double>(width)));
  if (length <= static_cast<double>(width))
    return std::string(static_cast<std::size_t>(length), '#');
  return std::string(width - 1, '#') + ">";
}

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
