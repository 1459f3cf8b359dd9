// SPDX-License-Identifier: MIT
#pragma once
// The file of a pipeline cache. Drivers crash or hang on damaged caches, so no byte of it reaches a driver before the
// header and the hash were checked.
//
//   "vkmoyepc"  format version  identity of the driver  size of a pointer  payload bytes
//   XXH3-64 of all before it and of the payload
//   payload
//
// This file does not call Vulkan.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/runtime/vk/physical_device.hpp"

namespace vkmoye::vk {

/// The whole file for `payload`.
std::vector<std::byte> encode_cache(const DriverIdentity& driver,
                                    std::span<const std::byte> payload);

/// The payload of `file`, or why it is not one for `driver`.
struct DecodedCache {
  std::span<const std::byte> payload;  // inside `file`
  std::string refusal;                 // empty: the payload is good
};
DecodedCache decode_cache(const DriverIdentity& driver, std::span<const std::byte> file);

/// "pipelines-0123456789abcdef.bin": one name per device and driver.
std::string cache_file_name(const DriverIdentity& driver);

}  // namespace vkmoye::vk
