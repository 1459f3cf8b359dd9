// SPDX-License-Identifier: MIT
#pragma once
// Devices as JSON: the output of `devices --format json`, which can also stand for a device of another machine.
//
//   {"schema": 1, "devices": [{"name": "NVIDIA H200", ..,
//     "fragment_orders": [{"use": "a", .., "places": "0 32 64 .."}],
//     "fragments": [{"matrix": "A 16x16 f16", "layout": "((8,2),(2,4,2)):((32,4),(1,8,2))"}, ..]}]}
//
// "fragments", which follows from the rest, and "verdicts", the results of the trials of a shape, are only written.

#include <filesystem>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::bench {

/// The order in which the lanes of a device hold an operand of its matrix units.
struct DescribedFragment {
  std::string name;    // "A 16x16 f16"
  std::string layout;  // (row, k) -> lane * elements per lane + number; empty: there is none
  std::string reason;  // why there is none
  bool was_looked_for = true;
  std::string note;  // a remark that follows the layout; may be empty
};

/// Describes each operand of `caps`. `why_missing`: why an order is not known.
std::vector<DescribedFragment> describe_fragments(const DeviceCaps& caps,
                                                  const std::string& why_missing);

struct DeviceDescription {
  DeviceCaps caps;
  std::string why_missing;  // see describe_fragments
};

/// The JSON of `devices`.
std::string device_descriptions(const std::vector<DeviceDescription>& devices);

/// Reads a file with one device. Throws ArgumentError with the file and everything that is wrong with it: not such
/// JSON, several devices, missing fields, invalid values or orders.
DeviceCaps read_device_description(const std::filesystem::path& file);

/// A description that comes with the program, so that kernels can be described for a GPU that is not there. They are
/// tools/devices/*.json. The build puts them in the folder `devices` beside the program, and an installation in
/// share/vkmoye/devices.
struct ShippedDescription {
  std::string name;  // "navi31": that of the file without .json
  std::filesystem::path file;
};

/// Sorted by name; empty if the program has no such folder.
std::vector<ShippedDescription> shipped_descriptions();

}  // namespace vkmoye::bench
