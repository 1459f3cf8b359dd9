// SPDX-License-Identifier: MIT
#include "devices/turn.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "io/kept_file.hpp"
#include "vkmoye/base/cache_folder.hpp"

namespace vkmoye::bench {

TimingTurn::TimingTurn(const DeviceCaps& device) {
  constexpr std::chrono::milliseconds kPause(1);
  const std::filesystem::path cache = default_cache_folder();
  if (cache.empty() || device.kind == DeviceKind::cpu) return;
  const std::filesystem::path folder = cache / ("timing-" + device_file_name(device.name));
  std::error_code ignored;  // then the folder cannot be opened, and there are no turns
  std::filesystem::create_directories(folder, ignored);
  folder_.emplace(folder);
  while (folder_->try_lock() == system::LockableFolder::Outcome::busy) {
    waited_ = true;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace vkmoye::bench
