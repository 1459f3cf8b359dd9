// SPDX-License-Identifier: MIT
#include "vkmoye/contract/compiled_file.hpp"

#include <string>

#include "vkmoye/base/text_file.hpp"
#include "vkmoye/contract/kernel_file.hpp"
#include "vkmoye/contract/kernel_json.hpp"
#include "vkmoye/contract/plan_file.hpp"

namespace vkmoye {

CompiledFile parse_compiled(std::string_view text) {
  const Json file = parse_json(text);
  const Json& format = member_or_null(file, "format");
  if (format == "vkmoye kernel") return parse_kernel(text);
  if (format == "vkmoye plan") return parse_plan(text);
  throw ArgumentError(
      "file: \"format\" is neither \"vkmoye kernel\" nor \"vkmoye plan\", so it is no file of "
      "`vkmoye-bench emit --kernel`");
}

CompiledFile read_compiled_file(const std::filesystem::path& file) {
  return parse_text_file(file, parse_compiled);
}

}  // namespace vkmoye
