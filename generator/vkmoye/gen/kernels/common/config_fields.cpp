// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/config_fields.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {

std::optional<std::vector<std::int64_t>> parse_numbers(std::string_view text, char between) {
  std::vector<std::int64_t> out;
  while (true) {
    const auto end = std::min(text.find(between), text.size());
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + end, value);
    if (error != std::errc() || stop != text.data() + end) return std::nullopt;
    out.push_back(value);
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

std::string numbers_text(std::size_t min_count, std::size_t max_count, const std::string& between) {
  if (max_count == 1) return "a whole number of 64 bits";
  std::vector<std::string> example = {"64", "32", "8"};
  if (between == ",") example = {"4", "4", "4"};  // padding
  example.resize(min_count);
  constexpr const char* kCounts[] = {"no", "one", "two", "three"};
  const std::string count = min_count == max_count
                                ? kCounts[max_count]
                                : fmt::format("{} to {}", kCounts[min_count], kCounts[max_count]);
  return fmt::format("{} whole numbers, such as {}", count, join(example, between));
}

Layout parse_shape_or_layout(const std::string& text) {
  const auto extents = parse_numbers(text, 'x');
  if (!extents || extents->size() != 2) return parse_layout(text);
  return Layout(IntTuple{(*extents)[0], (*extents)[1]});
}

bool is_power_of_two(std::int64_t value, std::int64_t max) {
  return value > 0 && value <= max && std::has_single_bit(static_cast<std::uint64_t>(value));
}

void require(bool holds, std::string reason, std::vector<std::string>& reasons) {
  if (!holds) reasons.push_back(std::move(reason));
}

void require_within(const char* what, std::int64_t value, std::int64_t max,
                    std::vector<std::string>& reasons) {
  if (value >= 1 && value <= max) return;
  reasons.push_back(fmt::format("{} = {} is outside 1..{}", what, value, max));
}

namespace {

bool divides(std::int64_t part, std::int64_t whole) {
  return part >= 1 && whole >= part && whole % part == 0;
}

}  // namespace

void require_divides(const std::string& what, std::int64_t part, std::int64_t whole,
                     std::vector<std::string>& reasons) {
  if (divides(part, whole)) return;
  reasons.push_back(fmt::format("{} = {} does not divide {}", what, part, whole));
}

void require_divides(const std::string& what, std::int64_t part, const std::string& whose,
                     std::int64_t whole, std::vector<std::string>& reasons) {
  if (divides(part, whole)) return;
  reasons.push_back(fmt::format("{}: {} does not divide the {}, {}", what, part, whose, whole));
}

void require_threads(std::int64_t threads, std::vector<std::string>& reasons) {
  constexpr std::int64_t kMax = 1024;
  if (threads <= kMax) return;
  reasons.push_back(fmt::format("{} threads, but a workgroup has at most {}", threads, kMax));
}

void require_power_of_two(const char* what, std::int64_t value, std::int64_t max,
                          std::vector<std::string>& reasons) {
  if (is_power_of_two(value, max)) return;
  reasons.push_back(fmt::format("{} = {} is not a power of two up to {}", what, value, max));
}

void require_access(ScalarType type, std::int64_t bytes, std::vector<std::string>& reasons) {
  const std::int64_t min_bytes = bytes_of(type);
  if (bytes >= min_bytes && is_power_of_two(bytes, kWidestCopy)) return;
  reasons.push_back(fmt::format("vector {}: an access of {} has a power of two from {} to {} bytes",
                                bytes, to_string(type), min_bytes, kWidestCopy));
}

void require_subgroups(std::int64_t lanes, std::int64_t threads,
                       std::vector<std::string>& reasons) {
  if (lanes <= threads) return;
  reasons.push_back(fmt::format("subgroups of {} lanes are larger than workgroups of {} threads",
                                lanes, threads));
}

std::string not_read(const std::string& name, const std::string& text, const std::string& expects,
                     const std::vector<std::string>& choices) {
  const std::string near = did_you_mean(text, choices);
  return fmt::format("{} '{}': expected {}{}", name, text, expects,
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

std::string no_option(const std::string& name, const std::vector<std::string>& options) {
  if (options.empty()) return fmt::format("there is no option '{}'; the kernel has none", name);
  return fmt::format("there is no option '{}'; the options are {}", name, join(options, ", "));
}

}  // namespace vkmoye::gen
