// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/wrap.hpp"

#include <algorithm>
#include <cctype>
#include <climits>
#include <iterator>

namespace vkmoye::gen::glsl {
namespace {

bool begins_with(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

// Whether `text` starts with an operator that may start a line.
bool begins_with_operator(std::string_view text) {
  constexpr std::string_view kOperators[] = {"&& ", "|| ", "| ", "? ", ": ", "+ "};
  return std::any_of(std::begin(kOperators), std::end(kOperators),
                     [&](std::string_view symbol) { return begins_with(text, symbol); });
}

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The number of parentheses that are open at the end of `text`.
int open_in(std::string_view text) {
  int depth = 0;
  for (const char c : text) depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
  return depth;
}

// Whether it begins with an operator that binds tighter than a comparison.
bool begins_with_arithmetic(std::string_view text) {
  return begins_with(text, "+ ") || begins_with(text, "| ");
}

// The length of the first line of `text`, or text.size() if it cannot be broken. Among the positions within
// `columns`, the last of those in the fewest parentheses, preferably after a comma or a parenthesis rather than
// before an operator, and before && rather than +; if there is none within `columns`, the first position.
std::size_t break_of(std::string_view text, std::size_t columns) {
  std::size_t best = text.size();
  int depth = 0, best_cost = INT_MAX;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == ')' || text[i] == ']') --depth;
    if (text[i] == '(' || text[i] == '[') ++depth;
    const bool calls = text[i] == '(' && text[i + 1] != ')' && i > 0 && is_of_name(text[i - 1]);
    const bool ends = text[i] == ';' && text[i + 1] == ' ';
    // The end of a call that began on a line before, and a value is assigned to it.
    const bool assigns = depth < 0 && text[i] == '=' && text[i + 1] == ' ';
    const bool after = text[i] == ',' || calls || ends || assigns;
    const bool before = text[i + 1] == ' ' && begins_with_operator(text.substr(i + 2));
    if (!after && !before) continue;
    if (i >= columns) return best == text.size() ? i + 1 : best;
    const bool is_inside = before && begins_with_arithmetic(text.substr(i + 2));
    const int cost = 3 * depth + (ends ? -1 : after ? 0 : is_inside ? 2 : 1);
    if (cost <= best_cost) {
      best = i + 1;
      best_cost = cost;
    }
  }
  return best;
}

// The length of `text` up to the `=` of its assignment; 0 if it has none.
std::size_t assigns_at(std::string_view text) {
  const std::size_t at = text.find(" = ");
  return at == std::string_view::npos || open_in(text.substr(0, at)) != 0 ? 0 : at + 2;
}

// Wraps a comment: words, or settings separated by two spaces. Further lines have a longer prefix.
std::string wrapped_comment(std::string_view text, std::size_t indent, std::size_t columns) {
  const std::string spaces(indent, ' ');
  std::string out = spaces;
  std::string prefix;
  while (spaces.size() + prefix.size() + text.size() > columns) {
    const std::size_t room = columns - spaces.size() - prefix.size();
    std::size_t at = text.rfind("  ", room);
    if (at == std::string_view::npos || at < 4) at = text.rfind(' ', room);
    // Rather before the place of a tile than inside: ".. at (32 block_x, tile_row)".
    const std::size_t place = text.rfind(" at (", at);
    if (place != std::string_view::npos && place > room / 2 &&
        open_in(text.substr(place, at - place)) > 0) {
      at = place;
    }
    if (at == std::string_view::npos || at < 4) break;
    out += prefix + std::string(text.substr(0, at)) + "\n" + spaces;
    text.remove_prefix(std::min(text.find_first_not_of(' ', at), text.size()));
    prefix = "//   ";
  }
  return out + prefix + std::string(text) + "\n";
}

}  // namespace

std::string wrapped(std::string_view line, std::size_t indent, std::size_t columns) {
  if (line.empty()) return "\n";
  if (indent + line.size() <= columns) return std::string(indent, ' ') + std::string(line) + "\n";
  if (begins_with(line, "//")) return wrapped_comment(line, indent, columns);
  if (begins_with(line, "#")) return std::string(line) + "\n";
  if (const std::size_t comment = line.find("  // "); comment != std::string_view::npos) {
    return wrapped(line.substr(comment + 2), indent, columns) +
           wrapped(line.substr(0, comment), indent, columns);
  }
  const std::size_t value = assigns_at(line);
  if (value > 0 && indent + value <= columns && indent + 4 + line.size() - value - 1 <= columns) {
    return wrapped(line.substr(0, value), indent, columns) +
           wrapped(line.substr(value + 1), indent + 4, columns);
  }
  std::string out;
  std::size_t spaces = indent;
  int depth = 0;
  while (spaces + line.size() > columns) {
    const std::size_t at = break_of(line, columns - spaces);
    if (at >= line.size()) break;
    out += std::string(spaces, ' ') + std::string(line.substr(0, at)) + "\n";
    depth += open_in(line.substr(0, at));
    line.remove_prefix(line[at] == ' ' ? at + 1 : at);
    spaces = indent + 2 + 2 * static_cast<std::size_t>(std::max(1, depth));
  }
  return out + std::string(spaces, ' ') + std::string(line) + "\n";
}

}  // namespace vkmoye::gen::glsl
