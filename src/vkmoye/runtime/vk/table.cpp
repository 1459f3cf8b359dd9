// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/table.hpp"

#include <string>

#include "vkmoye/base/error.hpp"

namespace vkmoye::vk {
namespace {

// `look_up(name)` as a pointer of the right type, or an error.
template <class Function, class LookUp>
void require(Function& function, const char* name, LookUp look_up) {
  function = reinterpret_cast<Function>(look_up(name));
  if (function == nullptr) {
    throw DeviceError(
        DeviceError::Kind::kOther,
        std::string("the Vulkan driver or loader has no ") + name + " (vkmoye needs Vulkan 1.2)");
  }
}

}  // namespace

#define VKMOYE_REQUIRE(name) require(table.name, "vk" #name, look_up);
#define VKMOYE_OPTIONAL(name) table.name = reinterpret_cast<PFN_vk##name>(look_up("vk" #name));

GlobalTable load_global_table(PFN_vkGetInstanceProcAddr get) {
  const auto look_up = [&](const char* name) { return get(nullptr, name); };
  GlobalTable table;
  table.GetInstanceProcAddr = get;
  VKMOYE_GLOBAL_FUNCTIONS(VKMOYE_REQUIRE)
  return table;
}

InstanceTable load_instance_table(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
  const auto look_up = [&](const char* name) { return get(instance, name); };
  InstanceTable table;
  table.GetInstanceProcAddr = get;
  VKMOYE_INSTANCE_FUNCTIONS(VKMOYE_REQUIRE)
  VKMOYE_OPTIONAL_INSTANCE_FUNCTIONS(VKMOYE_OPTIONAL)
  return table;
}

DeviceTable load_device_table(const InstanceTable& instance_table, VkDevice device) {
  const auto look_up = [&](const char* name) {
    return instance_table.GetDeviceProcAddr(device, name);
  };
  DeviceTable table;
  VKMOYE_DEVICE_FUNCTIONS(VKMOYE_REQUIRE)
  VKMOYE_OPTIONAL_DEVICE_FUNCTIONS(VKMOYE_OPTIONAL)
  return table;
}

}  // namespace vkmoye::vk
