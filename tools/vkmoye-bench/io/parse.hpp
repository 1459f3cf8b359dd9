// SPDX-License-Identifier: MIT
#pragma once
// Parses the values of command-line options, and prints command lines.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/extents.hpp"
#include "vkmoye/contract/option_values.hpp"

namespace vkmoye::bench {

/// "2048x2048,1x1": each extent is 0 to 2^32-1, or a range including its end: "256:1024:256" or "256:1024:+256" by
/// steps, "256:4096:*2" by factors. Several ranges give all combinations. Throws ArgumentError.
std::vector<Extents> parse_sizes(const std::string& text);

/// A whole number from 0 to 2^64-1, in decimal digits.
std::optional<std::uint64_t> parse_seed(const std::string& text);

/// Whether `name` matches `pattern`, where * matches any characters and ? matches one.
bool matches(const std::string& pattern, const std::string& name);

/// `arguments` as a command line, with quotes where a shell needs them.
std::string shell_line(const std::vector<std::string>& arguments);

}  // namespace vkmoye::bench
