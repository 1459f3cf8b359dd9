// SPDX-License-Identifier: MIT
#pragma once
// Text in lines of at most 80 columns, as terminals have them.

#include <cstddef>
#include <string>

namespace vkmoye::bench {

/// `text` behind `head`, broken between words; what follows stands under its beginning. Ends with a
/// new line.
///
///   hanging("  --pad  ", "elements after each column ...")
///     --pad  elements after each column run of the shared tile, as many as keep the
///            banks apart
std::string hanging(const std::string& head, const std::string& text, std::size_t columns = 80);

/// A command line of the shell behind `margin`, its lines ended by a backslash, so that it can be copied
/// as it stands. A word longer than a line is left whole.
std::string continued(const std::string& margin, const std::string& command,
                      std::size_t columns = 80);

}  // namespace vkmoye::bench
