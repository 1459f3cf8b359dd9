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
  constexpr std::chrono::minutes kMax(2);  // a program that hangs does not stop the others
  const std::filesystem::path cache = default_cache_folder();
  if (cache.empty() || device.kind == DeviceKind::cpu) return;
  const std::filesystem::path folder = cache / ("timing-" + device_file_name(device.name));
  std::error_code ignored;  // then the folder cannot be opened, and there are no turns
  std::filesystem::create_directories(folder, ignored);
  folder_.emplace(folder);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  while (folder_->try_lock() == system::LockableFolder::Outcome::busy &&
         Clock::now() < start + kMax) {
    std::this_thread::sleep_for(kPause);
    seconds_waited_ = std::chrono::duration<double>(Clock::now() - start).count();
  }
}

}  // namespace vkmoye::bench
