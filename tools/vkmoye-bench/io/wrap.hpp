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

}  // namespace vkmoye::bench
