// SPDX-License-Identifier: MIT
#include "vkmoye/contract/option_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <type_traits>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/read_double.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye {
namespace {

constexpr std::int64_t kMaxCount = 0xffffffff;

// A number, if all of `text` is one.
template <class Number>
std::optional<Number> parse_whole(const std::string& text) {
  Number value = {};
  const char *begin = text.data(), *after = begin + text.size();
  const auto [end, error] = [&] {
    if constexpr (std::is_same_v<Number, double>)
      return read_double(begin, after, value);
    else
      return std::from_chars(begin, after, value);
  }();
  if (error != std::errc() || end != after) return std::nullopt;
  return value;
}

}  // namespace

ScalarType parse_type(const std::string& text, const std::vector<std::string>& others) {
  if (const auto type = parse_scalar_type(text)) return *type;
  std::vector<std::string> names;
  for (const ScalarTypeInfo& row : scalar_types()) names.emplace_back(row.name);
  names.insert(names.end(), others.begin(), others.end());
  throw ArgumentError(unknown_name("type", text, names));
}

std::optional<double> parse_number(const std::string& text) {
  const auto value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string number_text(double number) { return fmt::format("{}", number); }

std::optional<std::int64_t> parse_count(const std::string& text, std::int64_t min) {
  const auto value = parse_whole<std::int64_t>(text);
  return value && *value >= min && *value <= kMaxCount ? value : std::nullopt;
}

std::string count_text(std::int64_t min) {
  return fmt::format("a whole number from {} to {}", min, kMaxCount);
}

std::string unknown_name(std::string_view what, const std::string& word,
                         const std::vector<std::string>& names) {
  const std::string near = did_you_mean(word, names);
  return fmt::format("unknown {} '{}'{}; known: {}", what, word,
                     near.empty() ? "" : " (did you mean '" + near + "'?)", join(names, " "));
}

}  // namespace vkmoye
