// SPDX-License-Identifier: MIT
#pragma once
// A pipeline cache as a file that is never trusted: drivers crash or hang on damaged ones, so that
// none of its bytes reaches a driver before this header is right and the hash agrees.
//
//   "vkmoyepc"  format version  identity of the driver  size of a pointer  payload bytes
//   XXH3-64 of all before it and of the payload
//   payload
//
// No Vulkan calls here.

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
