// SPDX-License-Identifier: MIT
#pragma once
// Parses the values of command-line options, and prints command lines.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::bench {

/// A size as it was typed; the kernel determines the number of extents.
using Extents = std::vector<std::int64_t>;

/// The number of elements of an array with these extents: 1 without extents, 0 if one of them is 0. Saturates at the
/// largest number.
std::int64_t product(const Extents& extents);

/// "2048x1024".
std::string to_string(const Extents& extents);

/// "(2048, 1024)", "(3,)": as NumPy prints it.
std::string shape_text(const Extents& extents);

/// "unknown type 'F32' (did you mean 'f32'?); known: f16 f32": the message for a `word` that is not among `names`,
/// which are in lower case.
std::string unknown(std::string_view what, const std::string& word,
                    const std::vector<std::string>& names);

/// "2048x2048,1x1": each extent is 0 to 2^32-1, or a range including its end: "256:1024:256" or "256:1024:+256" by
/// steps, "256:4096:*2" by factors. Several ranges give all combinations. Throws ArgumentError.
std::vector<Extents> parse_sizes(const std::string& text);

/// "f32". Throws ArgumentError.
ScalarType parse_type(const std::string& text);

/// A finite number such as "-0.5"; nullopt if the text is not one.
std::optional<double> parse_number(const std::string& text);

/// A whole number from `min` to 2^32-1; and that range as text.
std::optional<std::int64_t> parse_count(const std::string& text, std::int64_t min);
std::string count_text(std::int64_t min);

/// A whole number from 0 to 2^64-1, in decimal digits.
std::optional<std::uint64_t> parse_seed(const std::string& text);

/// Whether `name` matches `pattern`, where * matches any characters and ? matches one.
bool matches(const std::string& pattern, const std::string& name);

/// `arguments` as a command line, with quotes where a shell needs them.
std::string shell_line(const std::vector<std::string>& arguments);

}  // namespace vkmoye::bench
