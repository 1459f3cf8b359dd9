// SPDX-License-Identifier: MIT
#include "io/kept_file.hpp"

#include <fmt/format.h>

#include <chrono>
#include <system_error>
#include <thread>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace vkmoye::bench {

FolderLock::FolderLock(const std::filesystem::path& file, std::chrono::seconds max) {
  constexpr std::chrono::milliseconds kPause(2);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code error;
  // A failure is reported when the file is written.
  std::filesystem::create_directories(folder, error);
  folder_.emplace(folder);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  while (folder_->try_lock() == system::LockableFolder::Outcome::busy &&
         Clock::now() < start + max) {
    std::this_thread::sleep_for(kPause);
    seconds_waited_ = std::chrono::duration<double>(Clock::now() - start).count();
  }
}

std::string device_file_name(const std::string& device) {
  std::string name;
  for (const char c : device) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name;
}

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string checksum_text(std::span<const std::byte> bytes) {
  return fmt::format("{:016x}", checksum(bytes));
}

std::string checksum_text(const std::string& text) {
  return checksum_text(std::as_bytes(std::span(text)));
}

}  // namespace vkmoye::bench
