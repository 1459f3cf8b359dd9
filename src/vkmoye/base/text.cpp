// SPDX-License-Identifier: MIT
#include "vkmoye/base/text.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace vkmoye {
namespace {

// Calls `visit(line)` for each line without its newline; a final newline does not start another line.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    visit(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

// The least number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, where no
// letter is edited twice ("optimal string alignment").
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::exchange(row, next);
  }
  return row.back();
}

}  // namespace

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const auto& part : parts) {
    if (&part != &parts.front()) out += separator;
    out += part;
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string with_reasons(std::string_view subject, const std::vector<std::string>& reasons) {
  std::string out(subject);
  if (reasons.size() == 1) return out + ": " + reasons.front();
  out += ':';
  for (const std::string& reason : reasons) {
    out += "\n  - ";
    for (const char c : reason) out += c == '\n' ? "\n    " : std::string(1, c);
  }
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string in_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

std::string indent(std::string_view text, int spaces) {
  std::string out;
  for_each_line(text, [&](std::string_view line) {
    if (!line.empty()) out.append(static_cast<std::size_t>(spaces), ' ').append(line);
    out += '\n';
  });
  return out;
}

std::string number_lines(std::string_view text) {
  std::string out;
  int number = 0;
  for_each_line(text, [&](std::string_view line) {
    const std::string digits = std::to_string(++number);
    out.append(digits.size() < 4 ? 4 - digits.size() : 0, ' ').append(digits).append("  ");
    out.append(line).append("\n");
  });
  return out;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string typed = lower_case(word);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(typed, lower_case(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace vkmoye
