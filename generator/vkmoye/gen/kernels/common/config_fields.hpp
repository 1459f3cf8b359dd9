// SPDX-License-Identifier: MIT
#pragma once
// The values of a config that `--NAME VALUE` can replace, as a table: `list` prints it, options are read
// with it, and its errors have one wording.
//
//   const std::vector<ConfigField<Config>> kFields = {
//       numbers_field("threads", "threads of a workgroup", {&Config::threads}),
//       numbers_field("tile", "rows x columns", {&Config::rows, &Config::cols})};
//   reasons = read_fields(kFields, {{"tile", "64x32"}}, config);

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/layout/layout.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {

/// Values as text, by the name of their field: {{"tile", "64x32"}, {"pad", "1"}}.
using Options = std::map<std::string, std::string>;

/// One value, or several, of a config that an option replaces.
template <class Config>
struct ConfigField {
  std::string name;
  std::string help;
  std::string expects;  // "a whole number"
  std::function<std::string(const Config&)> show;
  /// Returns false if the text is not what `expects` describes; may throw an Error with more detail.
  std::function<bool(const std::string&, Config&)> read;
  bool changes_result = false;  // it belongs to the problem: another value is another result
  std::vector<std::string> choices = {};  // its values, or those to suggest; empty: any
};

/// "128x128x8" with the separator x: 128, 128, 8. nullopt if a part is not a 64-bit integer.
std::optional<std::vector<std::int64_t>> parse_numbers(std::string_view text, char between);

/// "two whole numbers, such as 64x32"; with a smaller `min_count`: "two to three whole numbers ..". At most three.
std::string numbers_text(std::size_t min_count, std::size_t max_count, const std::string& between);

/// Parses a shape, "16x8", as the compact layout of that shape, or a layout: "(16,8):(8,1)". Throws
/// LayoutError.
Layout parse_shape_or_layout(const std::string& text);

/// "pad '1.5': expected a whole number"; with `choices`, also the nearest of them: "; did you mean 'gelu'?".
std::string not_read(const std::string& name, const std::string& text, const std::string& expects,
                     const std::vector<std::string>& choices = {});

/// "there is no option 'pad'; the options are tile, threads".
std::string no_option(const std::string& name, const std::vector<std::string>& options);

/// Whether `value` is one of 1, 2, 4 .. `max`.
bool is_power_of_two(std::int64_t value, std::int64_t max);

/// Adds `reason` to `reasons`, unless it holds.
void require(bool holds, std::string reason, std::vector<std::string>& reasons);

/// Adds "strip = 0 is outside 1..65536", unless `value` is inside.
void require_within(const char* what, std::int64_t value, std::int64_t max,
                    std::vector<std::string>& reasons);

/// Adds "atom n = 16 does not divide 72", unless it does and both are at least 1. With `whose`, the name of
/// the whole: "words of a row: 24 does not divide the threads, 64".
void require_divides(const std::string& what, std::int64_t part, std::int64_t whole,
                     std::vector<std::string>& reasons);
void require_divides(const std::string& what, std::int64_t part, const std::string& whose,
                     std::int64_t whole, std::vector<std::string>& reasons);

/// Adds "2048 threads, but a workgroup has at most 1024", the largest limit of any device.
void require_threads(std::int64_t threads, std::vector<std::string>& reasons);

/// Adds "rounds = 3 is not a power of two up to 16" to `reasons`, unless `value` is one.
void require_power_of_two(const char* what, std::int64_t value, std::int64_t max,
                          std::vector<std::string>& reasons);

/// The size of an element in bytes.
inline std::int64_t bytes_of(ScalarType type) { return static_cast<std::int64_t>(size_of(type)); }

/// The number of elements of the widest access.
inline std::int64_t widest_access(ScalarType type) { return kWidestCopy / bytes_of(type); }

/// Adds a reason unless `bytes` is a valid size of an access to elements of `type`.
void require_access(ScalarType type, std::int64_t bytes, std::vector<std::string>& reasons);

/// Adds a reason if a workgroup has fewer threads than a subgroup has lanes.
void require_subgroups(std::int64_t lanes, std::int64_t threads, std::vector<std::string>& reasons);

/// One or several integers, separated by `between`. The last `optional` of them may be omitted and are
/// then 1; if they are 1, they are not shown.
template <class Config>
ConfigField<Config> numbers_field(std::string name, std::string help,
                                  std::vector<std::int64_t Config::*> values, char between = 'x',
                                  std::size_t optional = 0) {
  const std::string separator(1, between);
  const std::size_t min_count = values.size() - optional;
  return {std::move(name), std::move(help), numbers_text(min_count, values.size(), separator),
          [=](const Config& config) {
            std::size_t shown = values.size();
            while (shown > min_count && config.*values[shown - 1] == 1) --shown;
            std::vector<std::string> parts;
            for (std::size_t i = 0; i < shown; ++i) {
              parts.push_back(std::to_string(config.*values[i]));
            }
            return join(parts, separator);
          },
          [=](const std::string& text, Config& config) {
            const auto numbers = parse_numbers(text, between);
            if (!numbers || numbers->size() < min_count || numbers->size() > values.size()) {
              return false;
            }
            for (std::size_t i = 0; i < values.size(); ++i) {
              config.*values[i] = i < numbers->size() ? (*numbers)[i] : 1;
            }
            return true;
          }};
}

/// A layout; see parse_shape_or_layout.
template <class Config>
ConfigField<Config> layout_field(std::string name, std::string help, Layout Config::*layout) {
  return {std::move(name), std::move(help), "a shape, such as 32x8, or a layout",
          [=](const Config& config) { return to_string(config.*layout); },
          [=](const std::string& text, Config& config) {
            config.*layout = parse_shape_or_layout(text);
            return true;
          }};
}

/// One of `words`, which name the values 0, 1, .. of an enumeration or of bool.
template <class Config, class Value>
ConfigField<Config> choice_field(std::string name, std::string help, std::vector<std::string> words,
                                 Value Config::*value) {
  std::string expects = join(words, " or ");
  return {std::move(name),
          std::move(help),
          std::move(expects),
          [=](const Config& config) { return words[static_cast<std::size_t>(config.*value)]; },
          [=](const std::string& text, Config& config) {
            const auto found = std::find(words.begin(), words.end(), text);
            if (found == words.end()) return false;
            config.*value = static_cast<Value>(found - words.begin());
            return true;
          },
          /*changes_result=*/false,
          words};
}

/// `first`, then `more`.
template <class Config>
std::vector<ConfigField<Config>> joined(std::vector<ConfigField<Config>> first,
                                        std::vector<ConfigField<Config>> more) {
  for (auto& field : more) first.push_back(std::move(field));
  return first;
}

/// The names of `rows`.
template <class Row>
std::vector<std::string> names_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

/// Name and value of each field, for the first line of the text and for reports.
template <class Config>
std::vector<std::pair<std::string, std::string>> items(
    const std::vector<ConfigField<Config>>& fields, const Config& config) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& field : fields) out.emplace_back(field.name, field.show(config));
  return out;
}

/// The type of the elements, then name and value of each field.
template <class Config>
std::vector<std::pair<std::string, std::string>> typed_items(
    const std::vector<ConfigField<Config>>& fields, const Config& config) {
  auto out = items(fields, config);
  out.insert(out.begin(), {"type", std::string(to_string(config.type))});
  return out;
}

/// Reads `options` into `config`. Returns a reason for each option that is not a field or cannot be read.
template <class Config>
std::vector<std::string> read_fields(const std::vector<ConfigField<Config>>& fields,
                                     const Options& options, Config& config) {
  std::vector<std::string> reasons;
  for (const auto& [name, text] : options) {
    const std::string& wanted = name;  // clang 14 does not capture a binding
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const auto& row) { return row.name == wanted; });
    if (field == fields.end()) {
      reasons.push_back(no_option(name, names_of(fields)));
      continue;
    }
    try {
      if (field->read(text, config)) continue;
      reasons.push_back(not_read(name, text, field->expects, field->choices));
    } catch (const Error& error) {
      reasons.push_back(not_read(name, text, field->expects) + "; " + error.what());
    }
  }
  return reasons;
}

}  // namespace vkmoye::gen
