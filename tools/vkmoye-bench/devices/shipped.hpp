// SPDX-License-Identifier: MIT
#pragma once
// Descriptions of devices that come with the program, so that kernels can be described for a GPU that is not there:
//
//   shipped_descriptions()    {"ampere", ..ampere.json}, .., {"navi31", ..navi31.json}, ..
//
// They are tools/devices/*.json. The build puts them in the folder `devices` beside the program, and an installation in
// share/vkmoye/devices.

#include <filesystem>
#include <string>
#include <vector>

namespace vkmoye::bench {

struct ShippedDescription {
  std::string name;  // "navi31": that of the file without .json
  std::filesystem::path file;
};

/// Sorted by name; empty if the program has no such folder.
std::vector<ShippedDescription> shipped_descriptions();

}  // namespace vkmoye::bench
