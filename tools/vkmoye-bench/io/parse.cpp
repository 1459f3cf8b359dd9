#include "io/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
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
  if (is_number && (error == std::errc::result_out_of_range || value < 1 || value > kMaxExtent)) {
    throw ArgumentError(fmt::format("size '{}': {} is outside 1..{}", whole, text, kMaxExtent));
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

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

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

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
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

std::vector<Extents> parse_sizes(const std::vector<std::string>& texts) {
  std::vector<Extents> sizes;
  for (const std::string& text : texts) {
    for (const std::string& part : split(text, ',')) {
      Extents& size = sizes.emplace_back();
      for (const std::string& extent : split(part, 'x')) size.push_back(parse_extent(extent, part));
    }
  }
  return sizes;
}

ScalarType parse_type(const std::string& text) {
  if (const auto type = parse_scalar_type(text)) return *type;
  std::vector<std::string> names;
  for (const ScalarTypeInfo& row : scalar_types()) names.emplace_back(row.name);
  throw ArgumentError(unknown("type", text, names));
}

std::vector<ScalarType> parse_types(const std::vector<std::string>& texts) {
  std::vector<ScalarType> types;
  for (const std::string& text : texts) {
    for (const std::string& part : split(text, ',')) types.push_back(parse_type(part));
  }
  return types;
}

const std::vector<std::string>& baseline_names() {
  static const std::vector<std::string> names = {"copy", "vkcmdcopy", "cudamemcpy", "cublas",
                                                 "openblas"};
  return names;
}

std::vector<std::string> parse_baselines(const std::vector<std::string>& texts) {
  const std::vector<std::string>& known = baseline_names();
  std::vector<std::string> baselines;
  for (const std::string& text : texts) {
    for (const std::string& part : split(text, ',')) {
      if (std::find(known.begin(), known.end(), part) == known.end()) {
        throw ArgumentError(unknown("baseline", part, known));
      }
      if (std::find(baselines.begin(), baselines.end(), part) == baselines.end()) {
        baselines.push_back(part);
      }
    }
  }
  return baselines;
}

double parse_seconds(const std::string& text) {
  constexpr double kMost = 60;
  const auto value = parse_whole<double>(text);
  // Also false for NaN, which a comparison the other way round would let through.
  if (value && *value >= 0 && *value <= kMost) return *value;
  throw ArgumentError(fmt::format("'{}' is not a number of seconds from 0 to {}", text, kMost));
}

double parse_number(const std::string& text) {
  const auto value = parse_whole<double>(text);
  if (value && std::isfinite(*value)) return *value;
  throw ArgumentError(fmt::format("'{}' is not a finite number", text));
}

std::int64_t parse_count(const std::string& text, std::int64_t least) {
  const auto value = parse_whole<std::int64_t>(text);
  if (value && *value >= least && *value <= kMaxExtent) return *value;
  throw ArgumentError(
      fmt::format("'{}' is not a whole number from {} to {}", text, least, kMaxExtent));
}

std::uint64_t parse_seed(const std::string& text) {
  const auto value = parse_whole<std::uint64_t>(text);
  if (value) return *value;
  throw ArgumentError(fmt::format("'{}' is not a whole number from 0 to {}", text,
                                  std::numeric_limits<std::uint64_t>::max()));
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
