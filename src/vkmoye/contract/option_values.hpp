// SPDX-License-Identifier: MIT
#pragma once
// Parses the values of options: types, numbers and counts.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye {

/// "f32". Throws ArgumentError with the nearest name, also among `others`: names that the caller takes in place of a
/// type.
ScalarType parse_type(const std::string& text, const std::vector<std::string>& others = {});

/// A finite number such as "-0.5"; nullopt if the text is not one.
std::optional<double> parse_number(const std::string& text);
/// The shortest text that gives `number` again: "0.5".
std::string number_text(double number);

/// A whole number from `min` to 2^32-1; and that range as text.
std::optional<std::int64_t> parse_count(const std::string& text, std::int64_t min);
std::string count_text(std::int64_t min);

/// "unknown type 'F32' (did you mean 'f32'?); known: f16 f32": the message for a `word` that is not among `names`.
std::string unknown_name(std::string_view what, const std::string& word,
                         const std::vector<std::string>& names);

}  // namespace vkmoye
