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

}  // namespace

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

std::optional<std::uint64_t> parse_seed(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
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
