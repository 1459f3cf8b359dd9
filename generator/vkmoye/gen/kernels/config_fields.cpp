#include "vkmoye/gen/kernels/config_fields.hpp"

#include <fmt/format.h>

#include <charconv>

#include "vkmoye/layout/text.hpp"

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

std::string numbers_text(std::size_t count, const std::string& between) {
  if (count == 1) return "a whole number of 64 bits";
  std::vector<std::string> example = {"64", "32", "8"};
  example.resize(count);
  return fmt::format("{} whole numbers of 64 bits, such as {}", count, join(example, between));
}

Layout parse_shape_or_layout(const std::string& text) {
  const auto extents = parse_numbers(text, 'x');
  if (!extents || extents->size() != 2) return parse_layout(text);
  return Layout(IntTuple{(*extents)[0], (*extents)[1]});
}

std::string not_read(const std::string& name, const std::string& text, const std::string& expects) {
  return fmt::format("{} '{}' is not {}", name, text, expects);
}

std::string no_option(const std::string& name, const std::vector<std::string>& there_are) {
  return fmt::format("there is no option '{}'; there are {}", name,
                     there_are.empty() ? "none" : join(there_are, ", "));
}

}  // namespace vkmoye::gen
