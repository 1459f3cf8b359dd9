#include "commands/open_device.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>
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

DeviceCaps described_for(const std::string& selector) {
  return selector.empty() ? common_device() : open_device(selector).caps();
}

void throw_cannot_run(std::string_view kernel, std::vector<std::string> reasons) {
  throw DeviceError(DeviceError::Kind::kNoDevice, KernelError(kernel, std::move(reasons)).what());
}

void require_fit(std::string_view name, const KernelInterface& kernel, const DeviceCaps& caps) {
  auto reasons = reasons_against(kernel, caps);
  if (!reasons.empty()) throw_cannot_run(name, std::move(reasons));
}

void save_cache(Device& device) {
  device.save_cache();
  const std::string status = device.cache_status();
  const bool good = status.find("; not saved: ") == std::string::npos &&
                    !status.starts_with("rebuilt: ") && !status.starts_with("not read: ");
  if (!good) fmt::print(stderr, "vkmoye-bench: pipeline cache: {}\n", status);
}

}  // namespace vkmoye::bench
