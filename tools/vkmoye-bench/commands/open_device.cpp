#include "commands/open_device.hpp"

#include <fmt/format.h>

#include <cctype>
#include <vector>

#include "io/parse.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

// "NVIDIA H200 NVL": the words and the whole.
std::vector<std::string> names_of_devices() {
  std::vector<std::string> names;
  for (const DeviceCaps& caps : list_devices()) {
    const std::string name = caps.name.substr(0, caps.name.find(" ("));
    names.push_back(lower_case(name));
    for (const std::string& word : split(name, ' ')) names.push_back(lower_case(word));
  }
  return names;
}

}  // namespace

Device open_device(const std::string& selector) {
  try {
    return Device::open(selector);
  } catch (const ArgumentError& error) {
    const std::string near = did_you_mean(lower_case(selector), names_of_devices());
    if (near.empty()) throw;
    throw ArgumentError(fmt::format("{}\ndid you mean '{}'?", error.what(), near));
  }
}

void save_cache(Device& device) {
  device.save_cache();
  const std::string status = device.cache_status();
  const bool good = status.find("; not saved: ") == std::string::npos &&
                    !status.starts_with("rebuilt: ") && !status.starts_with("not read: ");
  if (!good) fmt::print(stderr, "vkmoye-bench: pipeline cache: {}\n", status);
}

}  // namespace vkmoye::bench
