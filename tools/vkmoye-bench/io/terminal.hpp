// SPDX-License-Identifier: MIT
#pragma once
// The width and the colours of the terminal; text wrapped at 80 columns or at its width.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "vkmoye/system/terminal.hpp"

namespace vkmoye::bench {

struct Terminal {
  std::size_t columns = 80;
  bool colour = false;
};

/// The terminal of `stream`, or of none: 80 columns, or more if COLUMNS or the terminal has more; colour only on a
/// terminal, and not if NO_COLOR is set (no-color.org) or TERM is "dumb".
Terminal terminal_of(std::optional<system::Stream> stream);

enum class Colour { plain, good, bad, faint };

/// `text` in `colour` if `has_colour`.
std::string painted(std::string_view text, Colour colour, bool has_colour);

/// A bar of `width` columns for `max`, and of at least one column for a positive value; "" for 0 and less. A longer
/// bar is cut and ends with ">".
std::string bar(double value, double max, std::size_t width);

/// `head` and `text`, wrapped between words; further lines are indented by the length of `head`. Ends with a
/// newline.
///
///   hanging("  --pad  ", "elements after each column ...")
///     --pad  elements after each column run of the shared tile, as many as keep the
///            banks apart
std::string hanging(const std::string& head, const std::string& text, std::size_t columns = 80);

/// A shell command after `margin`; wrapped lines end with a backslash, so that the command can be copied. A word
/// longer than a line is not broken.
std::string continued(const std::string& margin, const std::string& command,
                      std::size_t columns = 80);

}  // namespace vkmoye::bench
