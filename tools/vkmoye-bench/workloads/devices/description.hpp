// SPDX-License-Identifier: MIT
#pragma once
// Devices as JSON: what `devices --format json` prints, and what stands for a device that is not here.
//
//   {"schema": 1, "devices": [{"name": "NVIDIA H200", .., "fragment_orders": [{"use": "a", .., "places": "0 32 64 .."}],
//     "fragments": [{"matrix": "A 16x16 f16", "layout": "((8,2),(2,4,2)):((32,4),(1,8,2))"}, ..]}]}
//
// "fragments" follows from the rest, and "verdicts" of a shape say what its trial showed: for readers.

#include <filesystem>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::bench {

/// How the lanes of a device hold one operand of its matrix units.
struct DescribedFragment {
  std::string name;    // "A 16x16 f16"
  std::string layout;  // (row, k) -> lane * elements of a lane + number; empty: there is none
  std::string reason;  // why there is none
  bool was_looked_for = true;
  std::string note;  // what follows from the layout, behind it; may be empty
};

/// Of each operand that `caps` lists. `why_missing`: why an order was not found out.
std::vector<DescribedFragment> describe_fragments(const DeviceCaps& caps,
                                                  const std::string& why_missing);

struct DeviceDescription {
  DeviceCaps caps;
  std::string why_missing;  // see describe_fragments
};

/// The JSON of all of them.
std::string device_descriptions(const std::vector<DeviceDescription>& devices);

/// The one device of a file. Throws ArgumentError with the file and all that is wrong with it: no such JSON,
/// several devices, fields that are missing or no such values, orders that are none.
DeviceCaps read_device_description(const std::filesystem::path& file);

}  // namespace vkmoye::bench
