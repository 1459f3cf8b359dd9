// SPDX-License-Identifier: MIT
#pragma once
// Options of problems, as tables like those of configs. `place` returns the member of a problem that an option sets:
//
//   count_field<P>("batch", "number of products in the batch (1)", 1, [](P& p) -> auto& { return p.batch; })

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/option_values.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

/// The value that `place` returns of a problem.
template <class P, class Place>
auto value_at(const P& problem, Place place) {
  P copy = problem;
  return place(copy);
}

/// A count from `min`; the member may be optional.
template <class P, class Place>
ConfigField<P> count_field(std::string name, std::string help, std::int64_t min, Place place) {
  return {std::move(name), std::move(help), count_text(min),
          [place](const P& problem) {
            const std::optional<std::int64_t> value = value_at(problem, place);
            return value ? std::to_string(*value) : std::string();
          },
          [place, min](const std::string& text, P& problem) {
            const auto count = parse_count(text, min);
            if (count) place(problem) = *count;
            return count.has_value();
          }};
}

/// A finite number.
template <class P, class Place>
ConfigField<P> number_field(std::string name, std::string help, Place place) {
  return {std::move(name), std::move(help), "a finite number",
          [place](const P& problem) { return number_text(value_at(problem, place)); },
          [place](const std::string& text, P& problem) {
            const auto number = parse_number(text);
            if (number) place(problem) = *number;
            return number.has_value();
          }};
}

/// One of `words`, which name the values 0, 1, .. of an enumeration or of bool.
template <class P, class Place>
ConfigField<P> word_field(std::string name, std::string help, std::vector<std::string> words,
                          Place place) {
  using Value = decltype(value_at(std::declval<P>(), place));
  struct Word {
    Value value;
  };
  const auto field = choice_field<Word, Value>("", "", words, &Word::value);
  return {std::move(name),
          std::move(help),
          field.expects,
          [place, field](const P& problem) { return field.show({value_at(problem, place)}); },
          [place, field](const std::string& text, P& problem) {
            Word word = {place(problem)};
            const bool is_read = field.read(text, word);
            if (is_read) place(problem) = word.value;
            return is_read;
          },
          /*changes_result=*/false,
          field.choices};
}

/// The options that differ from those of a problem without options, as words of a command line. `is_flag`: whether
/// the option of that name has no value.
template <class P>
std::vector<std::string> command_words(const std::vector<ConfigField<P>>& fields, const P& problem,
                                       bool (*is_flag)(const std::string& name)) {
  std::vector<std::string> words;
  for (const auto& field : fields) {
    const std::string value = field.show(problem);
    if (value == field.show({})) continue;
    words.push_back("--" + field.name);
    if (!is_flag(field.name)) words.push_back(value);
  }
  return words;
}

}  // namespace vkmoye::gen
