// SPDX-License-Identifier: MIT
#include "vkmoye/contract/checked_file.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/kernel_json.hpp"

namespace vkmoye {
namespace {

std::string format_of(const FileKind& kind) { return fmt::format("vkmoye {}", kind.what); }

std::string checksum_of(const Json& content) {
  const std::string text = dump(content);
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
}

}  // namespace

void refuse_file(const FileKind& kind, const std::vector<std::string>& reasons) {
  throw ArgumentError(with_reasons(fmt::format("{} file", kind.what), reasons));
}

std::string checked_text(const FileKind& kind, Json content) {
  std::string checksum = checksum_of(content);
  const Json file = {{"format", format_of(kind)},
                     {"version", kind.version},
                     {"checksum", std::move(checksum)},
                     {kind.what, std::move(content)}};
  return dump(file, 2) + "\n";
}

CheckedContent checked_content(const FileKind& kind, std::string_view text) {
  const Json file = parse_json(text);
  std::vector<std::string> reasons;
  if (const std::string format = text_in(file, "format", reasons); format != format_of(kind)) {
    const bool is_other =
        format == "vkmoye kernel" || format == "vkmoye plan" || format == "vkmoye variants";
    const std::string other =
        is_other ? fmt::format(", but \"{}\"; read_compiled_file reads all kinds", format) : "";
    refuse_file(kind, {fmt::format("\"format\" is not \"{}\"{}", format_of(kind), other)});
  }
  const auto number = whole_of(member_or_null(file, "version"));
  if (!number || *number < kind.oldest || *number > kind.version) {
    const std::string read = kind.oldest == kind.version
                                 ? fmt::format("version {}", kind.version)
                                 : fmt::format("versions {} to {}", kind.oldest, kind.version);
    refuse_file(kind, {fmt::format("it has version {}, but this vkmoye reads {}",
                                   !number ? "none" : std::to_string(*number), read)});
  }
  const Json* content = find(file, kind.what);
  if (content == nullptr) refuse_file(kind, {fmt::format("{} is missing", kind.what)});
  const std::string said = text_in(file, "checksum", reasons), is = checksum_of(*content);
  if (!reasons.empty()) refuse_file(kind, reasons);
  if (said != is) {
    refuse_file(
        kind,
        {fmt::format("it was changed or damaged: its checksum is {}, but it was written with {}",
                     is, said)});
  }
  return {*content, static_cast<int>(*number)};
}

void check_version(const FileKind& oldest, int version, std::vector<std::string>& reasons) {
  if (version >= oldest.version) return;
  reasons.push_back(fmt::format("it has version {}, but what the {} has needs version {}", version,
                                oldest.what, oldest.version));
}

}  // namespace vkmoye
