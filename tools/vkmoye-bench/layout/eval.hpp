// SPDX-License-Identifier: MIT
#pragma once
// `layout eval --jsonl`: one request per line, one answer per line.
//
//   {"op":"composition","args":[{"shape":[4,8],"stride":[8,1]},{"shape":4,"stride":2}]}
//   {"result":{"shape":[2,2],"stride":[16,1]},"fn":[0,16,1,17]}
//
// A layout is {"shape","stride"} (the stride may be missing: compact), a tiler a layout, a number,
// null or a list of tilers, null in a coordinate is `_`, a swizzle is [bits, base, shift]. What has
// other parts is an object of them, such as {"layout","offset"} or {"elements","width"} for an
// access; a picture is a string. Every result but a picture can be an argument.
// "fn" lists the values at the 1-D indices 0..size-1 of a result that is a layout, absolute where
// an offset belongs to it; it is null beyond 2^20 values, and absent for other results. Anything
// that cannot be evaluated, malformed JSON included, is {"error": message}.

#include <iosfwd>
#include <string>
#include <string_view>

#include "layout/value.hpp"

namespace vkmoye::bench {

/// Appends the answer to `request`, without a line break. Never throws for bad input.
void evaluate_json(std::string_view request, std::string& answer);

/// The most bytes of a line that are read; 32 arguments of the largest layouts need fewer than 2^16.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;

/// The JSON form of a value, and the value of one. LayoutError for what is none.
std::string to_json(const Value& value);
Value from_json(std::string_view text);

/// Answers every line of `in` with one line, in order; an empty line, and one of more than
/// kLongestLine bytes, with an error. Memory does not grow with the length of a line.
void evaluate_json_lines(std::istream& in, std::ostream& out);

}  // namespace vkmoye::bench
