// SPDX-License-Identifier: MIT
#pragma once
// `layout eval --jsonl`: one request per line, one answer per line.
//
//   {"op":"composition","args":[{"shape":[4,8],"stride":[8,1]},{"shape":4,"stride":2}]}
//   {"result":{"shape":[2,2],"stride":[16,1]},"fn":[0,16,1,17]}
//
// A layout is {"shape","stride"} (without a stride it is compact); a tiler is a layout, a number, null or a list of
// tilers; null in a coordinate is `_`; a swizzle is [bits, base, shift]. Values with other parts are objects of
// them, such as {"layout","offset"}, or {"elements","width"} for an access; a picture is a string. Every result
// except a picture can be an argument.
// If the result is a layout, "fn" lists its values at the 1-D indices 0..size-1, including an offset; it is null for
// more than 2^20 values. The answer to a request that cannot be evaluated, such as malformed JSON, is
// {"error": message}.

#include <iosfwd>
#include <string>
#include <string_view>

#include "layout/value.hpp"

namespace vkmoye::bench {

/// The answer to `request`, without a newline. Does not throw for bad input.
std::string evaluate_json(std::string_view request);

/// The longest line in bytes; 32 arguments of the largest layouts need less than 2^16.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;

/// Converts a value to JSON, and back. Throws LayoutError if the JSON is not a value.
std::string to_json(const Value& value);
Value from_json(std::string_view text);

/// Answers every line of `in` with one line, in order; empty lines and lines longer than kLongestLine with an error.
/// Memory use does not depend on the length of a line.
void evaluate_json_lines(std::istream& in, std::ostream& out);

}  // namespace vkmoye::bench
