// SPDX-License-Identifier: MIT
#pragma once
// What the place that text is printed to can show.

#include <cstddef>
#include <string>
#include <string_view>

namespace vkmoye::bench {

struct Terminal {
  std::size_t columns = 80;
  bool colour = false;
};

/// What stands behind file descriptor `descriptor`: 80 columns, or more where COLUMNS or the terminal has
/// more; colour on a terminal alone, and not where NO_COLOR is set (no-color.org) or TERM is "dumb".
Terminal terminal_of(int descriptor);

enum class Colour { plain, good, bad, faint };

/// `text` in `colour` where there are colours.
std::string painted(std::string_view text, Colour colour, bool has_colour);

/// A bar of `width` columns for `most`, and of one for the smallest value; "": for 0 and less. What is
/// longer than `width` ends with ">".
std::string bar(double value, double most, std::size_t width);

}  // namespace vkmoye::bench
