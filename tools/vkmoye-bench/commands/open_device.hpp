#pragma once
// The device that a command runs on, and what the user is told about it.

#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/runtime/device.hpp"

namespace vkmoye::bench {

/// Device::open, with the nearest name where no device is meant by `selector`.
Device open_device(const std::string& selector);

/// What kernels are described for where nothing runs: the device that `selector` means, or, where it
/// is empty, a common one.
DeviceCaps described_for(const std::string& selector);

/// Throws DeviceError with every reason: no mistake of the caller's, another device could.
[[noreturn]] void throw_cannot_run(std::string_view kernel, std::vector<std::string> reasons);

/// Throws so if the device of `caps` cannot run the kernel.
void require_fit(std::string_view name, const KernelInterface& kernel, const DeviceCaps& caps);

/// Saves the pipeline cache; says on stderr, in one line, if its file was not good or could not be
/// written: nothing is wrong, but every start is as slow as the first.
void save_cache(Device& device);

}  // namespace vkmoye::bench
