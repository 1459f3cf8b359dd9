// SPDX-License-Identifier: MIT
#include "devices/shipped.hpp"

#include <algorithm>
#include <system_error>

#include "vkmoye/base/path_text.hpp"
#include "vkmoye/system/environment.hpp"

namespace vkmoye::bench {

std::vector<ShippedDescription> shipped_descriptions() {
  namespace fs = std::filesystem;
  const fs::path program = system::program_file();
  if (program.empty()) return {};
  std::vector<ShippedDescription> found;
  // VKMOYE_DEVICES_FROM_BIN: from the folder of installed programs to that of the descriptions.
  for (const char* folder : {"devices", VKMOYE_DEVICES_FROM_BIN}) {
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(program.parent_path() / folder, absent)) {
      const fs::path& file = entry.path();
      if (file.extension() == ".json") found.push_back({path_text(file.stem()), file});
    }
    if (!found.empty()) break;
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

}  // namespace vkmoye::bench
