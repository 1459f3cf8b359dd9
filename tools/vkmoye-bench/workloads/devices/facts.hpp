// SPDX-License-Identifier: MIT
#pragma once
// What was found out about devices by running something on them, kept between starts.
//
//   0.1.0 <tab> NVIDIA H200 <tab> NVIDIA 580.159.04 <tab> A 16x16 f16 in 32 lanes <tab> 0 32 64 .. <tab> 9f86d081884c7d65
//   version of vkmoye, device, driver and its version, question, answer, XXH3-64 of all before it
//
// A line in a file beside the pipeline cache. What cannot be read, is damaged or of another version
// or driver is no answer, so that it is found out again.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::bench {

/// Reads the file when it is first asked, once for all copies, and again before it writes. Not for several
/// threads at once.
class DeviceFacts {
 public:
  /// In $VKMOYE_CACHE_DIR, else where the pipeline cache is; nowhere, where no folder is named.
  static std::filesystem::path default_file();
  /// `version` empty: of this program.
  explicit DeviceFacts(std::filesystem::path file, std::string version = "");

  /// The answer that was kept; nothing: none was, for this device and driver.
  std::optional<std::string> of(const DeviceCaps& caps, const std::string& question) const;
  /// In place of another answer to the same question, and of damaged lines. What cannot be written is
  /// found out again.
  void keep(const DeviceCaps& caps, const std::string& question, const std::string& answer) const;

 private:
  using Lines = std::vector<std::string>;
  std::string key_of(const DeviceCaps& caps, const std::string& question) const;

  std::filesystem::path file_;
  std::string version_;
  std::shared_ptr<std::optional<Lines>> lines_;  // nothing: not read yet
};

}  // namespace vkmoye::bench
