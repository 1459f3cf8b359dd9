// SPDX-License-Identifier: MIT
#include "io/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "io/parse.hpp"

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

}  // namespace vkmoye::bench
