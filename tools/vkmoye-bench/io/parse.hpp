// SPDX-License-Identifier: MIT
#pragma once
// The values that options of the command line take, and command lines as text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::bench {

/// A size as it was typed: how many numbers it needs depends on the kernel.
using Extents = std::vector<std::int64_t>;

/// How many elements an array of these has: 1 of none, 0 where one of them is; the largest number where
/// there are more, as batches of empty matrices may be any number.
std::int64_t product(const Extents& extents);

/// "2048x1024".
std::string to_string(const Extents& extents);

/// "(2048, 1024)", "(3,)": as NumPy prints it.
std::string shape_text(const Extents& extents);

/// "unknown type 'F32', did you mean 'f32'?; there are f16 f32": for a `word` that is none of
/// `names`, which are in lower case.
std::string unknown(std::string_view what, const std::string& word,
                    const std::vector<std::string>& names);

/// "2048x2048,1x1": each extent is 0 to 2^32-1. In place of one, a range: "256:1024:256" or
/// "256:1024:+256" by steps, "256:4096:*2" by factors, up to and with its end; of several, each with
/// each. Throws ArgumentError.
std::vector<Extents> parse_sizes(const std::string& text);

/// "f32". Throws ArgumentError.
ScalarType parse_type(const std::string& text);

/// A finite number: "-0.5". Nothing: it is none.
std::optional<double> parse_number(const std::string& text);

/// A whole number from `least` to 2^32-1, and these words.
std::optional<std::int64_t> parse_count(const std::string& text, std::int64_t least);
std::string count_text(std::int64_t least);

/// A whole number from 0 to 2^64-1, in decimal digits.
std::optional<std::uint64_t> parse_seed(const std::string& text);

/// Whether `name` matches `pattern`, in which * stands for any characters and ? for one.
bool matches(const std::string& pattern, const std::string& name);

/// `arguments` as they would be typed: with quotes where a shell needs them.
std::string shell_line(const std::vector<std::string>& arguments);

}  // namespace vkmoye::bench
