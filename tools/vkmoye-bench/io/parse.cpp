#include "io/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::int64_t kMaxExtent = 0xffffffff;

std::int64_t parse_extent(const std::string& text, const std::string& whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = end == text.data() + text.size() && !text.empty();
  if (is_number && (error == std::errc::result_out_of_range || value < 0 || value > kMaxExtent)) {
    throw ArgumentError(fmt::format("size '{}': {} is outside 0..{}", whole, text, kMaxExtent));
  }
  if (!is_number || error != std::errc()) {
    throw ArgumentError(
        fmt::format("size '{}' is not ROWSxCOLUMNS, such as 1023x2047, or MxNxK", whole));
  }
  return value;
}

// All of `text` as a number, or nothing.
template <class Number>
std::optional<Number> parse_whole(const std::string& text) {
  Number value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string unknown(std::string_view what, const std::string& word,
                    const std::vector<std::string>& names) {
  std::string lower = lower_case(word);
  std::string near = did_you_mean(lower, names);
  // Two letters the wrong way round count as two mistakes there, too many for a short word.
  for (std::size_t i = 1; i < lower.size() && near.empty(); ++i) {
    std::swap(lower[i - 1], lower[i]);
    near = did_you_mean(lower, names);
    std::swap(lower[i - 1], lower[i]);
  }
  return fmt::format("unknown {} '{}'{}; there are {}", what, word,
                     near.empty() ? "" : ", did you mean '" + near + "'?", join(names, " "));
}

std::string to_string(const Extents& extents) {
  std::vector<std::string> parts;
  for (const std::int64_t extent : extents) parts.push_back(std::to_string(extent));
  return join(parts, "x");
}

std::string shape_text(const Extents& extents) {
  std::vector<std::string> parts;
  for (const std::int64_t extent : extents) parts.push_back(std::to_string(extent));
  return fmt::format("({}{})", join(parts, ", "), parts.size() == 1 ? "," : "");
}

std::vector<Extents> parse_sizes(const std::string& text) {
  std::vector<Extents> sizes;
  for (const std::string& part : split(text, ',')) {
    Extents& size = sizes.emplace_back();
    for (const std::string& extent : split(part, 'x')) size.push_back(parse_extent(extent, part));
  }
  return sizes;
}

ScalarType parse_type(const std::string& text) {
  if (const auto type = parse_scalar_type(text)) return *type;
  std::vector<std::string> names;
  for (const ScalarTypeInfo& row : scalar_types()) names.emplace_back(row.name);
  throw ArgumentError(unknown("type", text, names));
}

std::optional<double> parse_number(const std::string& text) {
  const auto value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> parse_count(const std::string& text, std::int64_t least) {
  const auto value = parse_whole<std::int64_t>(text);
  return value && *value >= least && *value <= kMaxExtent ? value : std::nullopt;
}

std::string count_text(std::int64_t least) {
  return fmt::format("a whole number from {} to {}", least, kMaxExtent);
}

std::optional<std::uint64_t> parse_seed(const std::string& text) {
  return parse_whole<std::uint64_t>(text);
}

bool matches(const std::string& pattern, const std::string& name) {
  // Greedy matching with one point of return: after the last *, one character further.
  std::size_t p = 0, n = 0, star = std::string::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]) && pattern[p] != '*') {
      ++p, ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string shell_line(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  for (const std::string& argument : arguments) {
    const bool plain =
        !argument.empty() && std::all_of(argument.begin(), argument.end(), [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                 std::string_view("-_./,:=+@%").find(c) != std::string_view::npos;
        });
    std::string quoted = "'";
    for (const char c : argument) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    words.push_back(plain ? argument : quoted + "'");
  }
  return join(words, " ");
}

}  // namespace vkmoye::bench
