// SPDX-License-Identifier: MIT
#pragma once
// JSON in a file with its format and version, and a checksum against damage.
//
//   {
//     "format": "vkmoye kernel",
//     "version": 1,
//     "checksum": "0123456789abcdef",     XXH64, seed 0, of "kernel" without spaces and line ends
//     "kernel": ..
//   }

#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/json.hpp"

namespace vkmoye {

/// "vkmoye kernel" is the format of `what` "kernel".
struct FileKind {
  const char* what;
  int version;           // that is written
  int oldest = version;  // that is still read
};

struct CheckedContent {
  Json content;
  int version;
};

std::string checked_text(const FileKind& kind, Json content);

/// The content of `text`. Throws ArgumentError: not JSON, another format or version, a checksum that does not match.
CheckedContent checked_content(const FileKind& kind, std::string_view text);

/// Adds the reason why a file of `version` cannot have content for which `oldest` is the oldest kind.
void check_version(const FileKind& oldest, int version, std::vector<std::string>& reasons);

/// Throws ArgumentError: "kernel file: ", then the reasons.
[[noreturn]] void refuse_file(const FileKind& kind, const std::vector<std::string>& reasons);

}  // namespace vkmoye
