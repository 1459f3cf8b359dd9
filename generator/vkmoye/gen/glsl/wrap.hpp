// SPDX-License-Identifier: MIT
#pragma once
// Breaks long lines of GLSL at readable positions.
//
//   next[v] = uvec4(pack(a, b),          at most 28 columns: broken after a comma of the outermost call,
//       pack(c, d));                     the rest is indented by two more columns, and two per open parenthesis
//   next[v] =                            at most 36 columns: a value that fits a line gets its own line
//       uvec4(pack(a, b), pack(c, d));

#include <cstddef>
#include <string>
#include <string_view>

namespace vkmoye::gen::glsl {

/// `line`, which has no line end, as lines of at most `columns` where it can be broken: after commas and
/// before operators, in as few parentheses as possible; after a `=` if then nothing else need be broken. A comment
/// after a statement is moved before it. Every line of the result starts with at least `indent` spaces and ends with
/// '\n'.
std::string wrapped(std::string_view line, std::size_t indent, std::size_t columns = 110);

}  // namespace vkmoye::gen::glsl
