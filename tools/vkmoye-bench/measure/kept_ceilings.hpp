// SPDX-License-Identifier: MIT
#pragma once
// The ceilings of a device, kept between runs: a file for each device, beside the pipeline cache.
//
//   {"file": "ceilings", "format": 1, "device": "NVIDIA H200", "driver": "NVIDIA 580.159.04",
//    "measured": "2026-11-27 07:13 UTC", "checksum": "9f86d081884c7d65",
//    "ceilings": [{"of": "copy", "type": "", "median": 4100.2, "low": 4091.5, "high": 4104.8, "samples": 412, ..}, ..]}
//
// A file that is damaged, or belongs to another device or driver, is ignored as a whole.

#include <filesystem>
#include <string>
#include <vector>

#include "measure/ceilings.hpp"
#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::bench {

struct KeptCeilings {
  std::vector<Ceiling> ceilings = {};  // empty: none are kept
  std::string measured = {};           // when: "2026-11-27 07:13 UTC"
  std::string ignored =
      {};  // why the file is not used, as one line; empty: it is, or there is none
};

/// Where the ceilings of the device of `caps` are kept. Empty: there is no cache folder, or `caps` names no driver.
std::filesystem::path ceilings_file(const DeviceCaps& caps);

/// `file` empty: none are kept.
KeptCeilings read_ceilings(const std::filesystem::path& file, const DeviceCaps& caps);

/// Replaces the file atomically. Returns why it cannot be written; empty: it was.
std::string write_ceilings(const std::filesystem::path& file, const DeviceCaps& caps,
                           const KeptCeilings& kept);

}  // namespace vkmoye::bench
