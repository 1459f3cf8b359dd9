// SPDX-License-Identifier: MIT
#pragma once
// A user's own Vulkan objects, for tests that adopt them: they belong to another Device, which stands for the user.

#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye::test {

/// The Vulkan objects of `owner`, and the features and extensions that it enabled.
inline AdoptedDevice handles_in(const Device& owner) {
  const DeviceHandles handles = handles_of(owner);
  AdoptedDevice theirs;
  theirs.get_instance_proc_addr = handles.get_instance_proc_addr;
  theirs.instance = handles.instance;
  theirs.physical_device = handles.physical_device;
  theirs.device = handles.device;
  theirs.queue = handles.queue;
  theirs.queue_family = handles.queue_family;
  theirs.api_version = VK_API_VERSION_1_3;
  theirs.features = owner.caps().features;
  theirs.timeline_semaphores = true;
  return theirs;
}

/// The function `name` of the user's device.
template <class Function>
Function function_of(const Device& owner, const char* name) {
  const DeviceHandles handles = handles_of(owner);
  const auto get = reinterpret_cast<PFN_vkGetDeviceProcAddr>(
      handles.get_instance_proc_addr(handles.instance, "vkGetDeviceProcAddr"));
  return reinterpret_cast<Function>(get(handles.device, name));
}

}  // namespace vkmoye::test
