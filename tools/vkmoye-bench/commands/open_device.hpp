#pragma once
// The device that a command runs on, and what the user is told about it.

#include <string>

#include "vkmoye/runtime/device.hpp"

namespace vkmoye::bench {

/// Device::open, with the nearest name where no device is meant by `selector`.
Device open_device(const std::string& selector);

/// Saves the pipeline cache; says on stderr, in one line, if its file was not good or could not be
/// written: nothing is wrong, but every start is as slow as the first.
void save_cache(Device& device);

}  // namespace vkmoye::bench
