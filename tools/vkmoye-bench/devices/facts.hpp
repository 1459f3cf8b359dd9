// SPDX-License-Identifier: MIT
#pragma once
// Facts about devices that were found by running probes and trials, kept between runs.
//
//   0.1.0 | NVIDIA H200 | NVIDIA 580.159.04 | A 16x16 f16 in 32 lanes | 0 32 64 .. | 9f86d081884c7d65
//   version of vkmoye, device, driver and its version, name, value, XXH3-64 of all before it
//
// Each is a line of a file in the folder of the pipeline cache; tabs separate the values. Lines that are
// damaged, or belong to another version or driver, are ignored, and the fact is determined again.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::bench {

/// Reads the file on first use, once for all copies, and again before writing. Not thread-safe.
class DeviceFacts {
 public:
  /// A file in $VKMOYE_CACHE_DIR, else in the folder of the pipeline cache; empty if there is no such folder.
  static std::filesystem::path default_file();
  /// `version`: empty for that of this program.
  explicit DeviceFacts(std::filesystem::path file, std::string version = "");

  /// The value kept for this device and driver; nullopt if there is none.
  std::optional<std::string> find(const DeviceCaps& caps, const std::string& name) const;
  /// Keeps a value; replaces an earlier value of the same name, and removes damaged lines. If it cannot be
  /// written, it is determined again in the next run.
  void store(const DeviceCaps& caps, const std::string& name, const std::string& value) const;

 private:
  using Lines = std::vector<std::string>;
  std::string key_of(const DeviceCaps& caps, const std::string& name) const;

  std::filesystem::path file_;
  std::string version_;
  std::shared_ptr<std::optional<Lines>> lines_;  // nullopt: not read yet
};

}  // namespace vkmoye::bench
