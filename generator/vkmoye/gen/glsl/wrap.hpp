// SPDX-License-Identifier: MIT
#pragma once
// Long lines of GLSL, broken where a reader would break them.
//
//   next[v] = uvec4(pack(a, b),          a line of 40 columns at most: after the commas of the outermost call,
//       pack(c, d));                     the rest four columns further in

#include <cstddef>
#include <string>
#include <string_view>

namespace vkmoye::gen::glsl {

/// `line`, without line end, as lines of at most `columns` where it can be broken: after commas and before operators,
/// as far outside of parentheses as possible. A comment behind a statement comes to stand before it.
/// Every line of the result begins with `indent` spaces at least, and ends with '\n'.
std::string wrapped(std::string_view line, std::size_t indent, std::size_t columns = 110);

}  // namespace vkmoye::gen::glsl
