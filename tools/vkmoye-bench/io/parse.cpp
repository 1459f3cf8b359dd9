// SPDX-License-Identifier: MIT
#include "io/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
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

constexpr std::size_t kMaxSizes = 10000;

// The extents of a range such as "256:4096:*2", which is part of `whole`.
Extents parse_range(const std::string& text, const std::string& whole) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() == 1) return {parse_extent(text, whole)};
  const auto refuse = [&](const std::string& why) {
    throw ArgumentError(fmt::format("size '{}': range '{}' {}", whole, text, why));
  };
  if (parts.size() != 3 || parts[2].empty()) {
    refuse("is not FIRST:LAST:STEP, FIRST:LAST:+STEP or FIRST:LAST:*FACTOR");
  }
  const bool by_factor = parts[2][0] == '*';
  const bool has_sign = by_factor || parts[2][0] == '+';
  const std::int64_t first = parse_extent(parts[0], whole), last = parse_extent(parts[1], whole);
  const std::int64_t step = parse_extent(parts[2].substr(has_sign ? 1 : 0), whole);
  if (by_factor ? step < 2 || first == 0 : step < 1) {
    refuse(
        "never ends: a factor must be at least 2, starting from at least 1; a step must be at "
        "least 1");
  }
  if (last < first) refuse("ends before it begins");
  Extents out;
  for (std::int64_t at = first; at <= last; at = by_factor ? at * step : at + step) {
    out.push_back(at);
    if (out.size() > kMaxSizes) refuse(fmt::format("has more than {} sizes", kMaxSizes));
  }
  return out;
}

// A number, if all of `text` is one.
template <class Number>
std::optional<Number> parse_whole(const std::string& text) {
  Number value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::int64_t product(const Extents& extents) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return 0;
  std::int64_t out = 1;
  for (const std::int64_t extent : extents) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    out = out > kMax / extent ? kMax : out * extent;
  }
  return out;
}

std::string unknown(std::string_view what, const std::string& word,
                    const std::vector<std::string>& names) {
  const std::string near = did_you_mean(lower_case(word), names);
  return fmt::format("unknown {} '{}'{}; known: {}", what, word,
                     near.empty() ? "" : " (did you mean '" + near + "'?)", join(names, " "));
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
    std::vector<Extents> prefixes = {{}};
    for (const std::string& range : split(part, 'x')) {
      std::vector<Extents> longer;
      for (const Extents& prefix : prefixes) {
        for (const std::int64_t extent : parse_range(range, part)) {
          longer.push_back(prefix);
          longer.back().push_back(extent);
          if (longer.size() > kMaxSizes) {
            throw ArgumentError(fmt::format("size '{}': more than {} sizes", part, kMaxSizes));
          }
        }
      }
      prefixes = std::move(longer);
    }
    sizes.insert(sizes.end(), prefixes.begin(), prefixes.end());
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

std::optional<std::int64_t> parse_count(const std::string& text, std::int64_t min) {
  const auto value = parse_whole<std::int64_t>(text);
  return value && *value >= min && *value <= kMaxExtent ? value : std::nullopt;
}

std::string count_text(std::int64_t min) {
  return fmt::format("a whole number from {} to {}", min, kMaxExtent);
}

std::optional<std::uint64_t> parse_seed(const std::string& text) {
  return parse_whole<std::uint64_t>(text);
}

bool matches(const std::string& pattern, const std::string& name) {
  // Greedy matching; on a mismatch, the last * takes one more character.
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
