// SPDX-License-Identifier: MIT
#include "devices/turn.hpp"

#include <chrono>
#include <filesystem>

#include "vkmoye/base/cache_folder.hpp"

namespace vkmoye::bench {

TimingTurn::TimingTurn(const DeviceCaps& device) {
  constexpr std::chrono::minutes kMax(2);  // a program that hangs does not stop the others
  const std::filesystem::path cache = default_cache_folder();
  if (cache.empty() || device.kind == DeviceKind::cpu) return;
  lock_.emplace(cache / ("timing-" + device_file_name(device.name)) / "turn", kMax);
}

}  // namespace vkmoye::bench
