// SPDX-License-Identifier: MIT
#pragma once
// Wraps text at 80 columns or the width of the terminal.

#include <cstddef>
#include <string>

namespace vkmoye::bench {

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
