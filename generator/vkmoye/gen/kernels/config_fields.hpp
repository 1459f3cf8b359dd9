#pragma once
// The values of a config that `--NAME VALUE` can replace: rows of data, from which `list` is made and
// with which options are read.
//
//   const std::vector<ConfigField<Config>> kFields = {
//       number_field("threads", "threads of a workgroup", &Config::threads)};
//   reasons = read_fields(kFields, {{"threads", "128"}}, config);

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/registry.hpp"

namespace vkmoye::gen {

template <class Config>
struct ConfigField {
  std::string name;
  std::string help;
  std::string expects;  // "a whole number"
  std::function<std::string(const Config&)> show;
  std::function<bool(const std::string&, Config&)> read;  // false: it is not what was expected
};

inline bool parse_number(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// "64x32".
inline bool parse_pair(std::string_view text, std::int64_t& first, std::int64_t& second) {
  const auto cross = text.find('x');
  return cross != std::string_view::npos && parse_number(text.substr(0, cross), first) &&
         parse_number(text.substr(cross + 1), second);
}

template <class Config>
ConfigField<Config> number_field(std::string name, std::string help, std::int64_t Config::*value) {
  return {std::move(name), std::move(help), "a whole number of 64 bits",
          [value](const Config& config) { return std::to_string(config.*value); },
          [value](const std::string& text, Config& config) {
            return parse_number(text, config.*value);
          }};
}

template <class Config>
ConfigField<Config> pair_field(std::string name, std::string help, std::int64_t Config::*first,
                               std::int64_t Config::*second) {
  return {std::move(name), std::move(help), "two numbers, such as 64x32",
          [=](const Config& config) {
            return std::to_string(config.*first) + "x" + std::to_string(config.*second);
          },
          [=](const std::string& text, Config& config) {
            return parse_pair(text, config.*first, config.*second);
          }};
}

/// The rows of `list` for a kernel whose own values are those of `defaults`.
template <class Config>
std::vector<OptionRow> option_rows(const std::vector<ConfigField<Config>>& fields,
                                   const Config& defaults) {
  std::vector<OptionRow> rows;
  for (const auto& field : fields) rows.push_back({field.name, field.show(defaults), field.help});
  return rows;
}

/// Key and value of each field, for the first line of the text and for reports.
template <class Config>
std::vector<std::pair<std::string, std::string>> items(
    const std::vector<ConfigField<Config>>& fields, const Config& config) {
  std::vector<std::pair<std::string, std::string>> out;
  out.emplace_back("type", to_string(config.type));
  for (const auto& field : fields) out.emplace_back(field.name, field.show(config));
  return out;
}

/// Reads `options` into `config`. A reason for each option that is no field or cannot be read.
template <class Config>
std::vector<std::string> read_fields(const std::vector<ConfigField<Config>>& fields,
                                     const Options& options, Config& config) {
  std::vector<std::string> reasons;
  for (const auto& [name, text] : options) {
    const std::string& wanted = name;  // clang 14 does not capture a binding
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const auto& row) { return row.name == wanted; });
    if (field == fields.end()) {
      std::vector<std::string> names;
      for (const auto& row : fields) names.push_back(row.name);
      reasons.push_back("there is no option '" + name + "'; there are " +
                        (names.empty() ? "none" : join(names, ", ")));
    } else if (!field->read(text, config)) {
      reasons.push_back(name + " '" + text + "' is not " + field->expects);
    }
  }
  return reasons;
}

}  // namespace vkmoye::gen
