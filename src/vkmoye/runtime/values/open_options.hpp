// SPDX-License-Identifier: MIT
#pragma once
// What Device::open and Device::adopt let the user choose.

#include <cstdint>
#include <functional>
#include <string>

#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye {

struct OpenOptions {
  /// Enables VK_LAYER_KHRONOS_validation with synchronization validation, also between dispatches
  /// (syncval_shader_accesses_heuristic); slow, for tests. The callback receives each warning and error, on the thread
  /// that made the call. Opening throws DeviceError if the layer is not
  /// installed. Ignored for an adopted device.
  bool validation = false;
  std::function<void(const std::string&)> on_validation_message = {};

  /// Names pipelines and buffers, and labels each kernel of a recording with its name and config, for debuggers and
  /// profilers (VK_EXT_debug_utils). Nothing happens if the system does not have the extension. `validation` does the
  /// same. Ignored for an adopted device: see AdoptedDevice::debug_utils.
  bool debug_names = false;

  /// Keeps compiled pipelines on disk, in `cache_folder` or, if that is empty, in $VKMOYE_CACHE_DIR, else
  /// $XDG_CACHE_HOME/vkmoye, else $HOME/.cache/vkmoye; on Windows %LOCALAPPDATA%\vkmoye. For an adopted device, only
  /// in `cache_folder`: if that is empty, no file is read or written.
  bool cache = true;
  std::string cache_folder = {};

  /// The longest wait for the device, in seconds: 0 or more, infinity for no limit. A wait that reaches it
  /// throws DeviceError (kLost). After that
  ///   - every call that submits work through this Device throws DeviceError (kLost) at once;
  ///   - Pending::wait and Pending::is_done still work;
  ///   - another Device can be opened, also for the same GPU, and works at once;
  ///   - the resources of the unfinished work are freed once the work is known to have finished: by Pending, or by
  ///     the destructor of the Device, which does not wait then. If it has not finished by then, they are not freed,
  ///     and neither is the VkDevice.
  double wait_seconds = 60;

  /// Requests statistics of each compiled kernel from the driver, see pipeline_statistics.hpp. Loading then takes
  /// longer. Ignored for an adopted device.
  bool statistics = false;

  /// The workgroups that the device certainly runs at once, as DeviceCaps::resident_groups, where you know better than
  /// the driver says; 0: what it says. A kernel of more workgroups that wait for each other is refused.
  std::uint32_t resident_groups = 0;

  /// False: every transfer uses a staging buffer, even if the host can access the memory directly.
  bool direct_access = true;

  /// Called once with the capabilities of the device; it may reduce them, and the device is then used as if it
  /// had no more.
  std::function<void(DeviceCaps&)> pretend = {};
};

}  // namespace vkmoye
