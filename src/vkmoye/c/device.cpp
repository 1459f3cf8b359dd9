// SPDX-License-Identifier: MIT
// The functions of vkmoye.h on devices and their memory.

#include "vkmoye/runtime/device.hpp"

#include <bit>
#include <cstddef>
#include <utility>

#include "vkmoye/c/objects.hpp"
#include "vkmoye/c/parameters.hpp"
#include "vkmoye/c/status.hpp"

namespace vkmoye::c {
namespace {

OpenOptions options_of(const vkmoye_open_options* given, std::uint32_t known_flags,
                       const char* function) {
  const vkmoye_open_options theirs =
      read_struct(given, offsetof(vkmoye_open_options, user) + sizeof(void*), function);
  check_flags(theirs.flags, known_flags, function);
  OpenOptions options;
  options.cache = (theirs.flags & VKMOYE_NO_CACHE) == 0;
  options.cache_folder = text_of(theirs.cache_folder);
  options.validation = (theirs.flags & VKMOYE_VALIDATION) != 0;
  options.debug_names = (theirs.flags & VKMOYE_DEBUG_NAMES) != 0;
  if (theirs.on_message != nullptr) {
    options.on_validation_message = [tell = theirs.on_message, user = theirs.user](
                                        const std::string& text) { tell(user, text.c_str()); };
  }
  if (!(theirs.wait_seconds >= 0)) {
    throw ArgumentError(std::string(function) + ": wait_seconds is " +
                        std::to_string(theirs.wait_seconds) + ", which is not 0 or more");
  }
  if (theirs.wait_seconds > 0) options.wait_seconds = theirs.wait_seconds;
  require_zero(theirs.reserved, function, "reserved");
  options.resident_groups = theirs.resident_groups;
  return options;
}

AdoptedDevice adopted_of(const vkmoye_adopted_device* given) {
  constexpr const char* kName = "vkmoye_adopt_device";
  require(given, kName, "adopted");
  const vkmoye_adopted_device theirs =
      read_struct(given, offsetof(vkmoye_adopted_device, user) + sizeof(void*), kName);
  check_flags(theirs.flags,
              VKMOYE_TIMELINE_SEMAPHORES | VKMOYE_PUSH_DESCRIPTORS | VKMOYE_DEBUG_UTILS, kName);
  AdoptedDevice adopted;
  adopted.get_instance_proc_addr =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(theirs.get_instance_proc_addr);
  adopted.instance = theirs.instance;
  adopted.physical_device = theirs.physical_device;
  adopted.device = theirs.device;
  adopted.queue = theirs.queue;
  adopted.queue_family = theirs.queue_family;
  if (theirs.api_version != 0) adopted.api_version = theirs.api_version;
  if (theirs.requirements != nullptr) adopted.features = theirs.requirements->needs.features;
  adopted.timeline_semaphores = (theirs.flags & VKMOYE_TIMELINE_SEMAPHORES) != 0;
  adopted.push_descriptors = (theirs.flags & VKMOYE_PUSH_DESCRIPTORS) != 0;
  adopted.debug_utils = (theirs.flags & VKMOYE_DEBUG_UTILS) != 0;
  if (theirs.lock_queue != nullptr) {
    adopted.lock_queue = [lock = theirs.lock_queue, user = theirs.user] { lock(user); };
  }
  if (theirs.unlock_queue != nullptr) {
    adopted.unlock_queue = [unlock = theirs.unlock_queue, user = theirs.user] { unlock(user); };
  }
  adopted.pipeline_cache = std::bit_cast<VkPipelineCache>(theirs.pipeline_cache);
  return adopted;
}

}  // namespace
}  // namespace vkmoye::c

using namespace vkmoye::c;

extern "C" {

vkmoye_status vkmoye_open_device(const char* selector, const vkmoye_open_options* options,
                                 vkmoye_device** out) {
  return guarded([&] {
    require(out, "vkmoye_open_device", "out");
    *out = new vkmoye_device{std::make_shared<vkmoye::Device>(vkmoye::Device::open(
        text_of(selector),
        options_of(options, VKMOYE_NO_CACHE | VKMOYE_VALIDATION | VKMOYE_DEBUG_NAMES,
                   "vkmoye_open_device")))};
  });
}

vkmoye_status vkmoye_adopt_device(const vkmoye_adopted_device* theirs,
                                  const vkmoye_open_options* options, vkmoye_device** out) {
  return guarded([&] {
    require(out, "vkmoye_adopt_device", "out");
    *out = new vkmoye_device{std::make_shared<vkmoye::Device>(vkmoye::Device::adopt(
        adopted_of(theirs), options_of(options, VKMOYE_NO_CACHE, "vkmoye_adopt_device")))};
  });
}

void vkmoye_free_device(vkmoye_device* device) { delete device; }

const char* vkmoye_device_name(const vkmoye_device* device) {
  return device == nullptr ? "" : device->device->caps().name.c_str();
}

vkmoye_status vkmoye_make_requirements(vkmoye_get_instance_proc_addr get, VkInstance instance,
                                       VkPhysicalDevice physical_device, uint32_t api_version,
                                       const vkmoye_file* const* files, uint32_t file_count,
                                       vkmoye_requirements** out) {
  return guarded([&] {
    constexpr const char* kName = "vkmoye_make_requirements";
    require(reinterpret_cast<const void*>(get), kName, "get");
    require(instance, kName, "instance");
    require(physical_device, kName, "physical_device");
    require_elements(files, file_count, kName, "files");
    require(out, kName, "out");
    const auto all = std::span(files, file_count);
    for (const vkmoye_file* file : all) require(file, kName, "a file");
    const vkmoye::DeviceCaps caps = vkmoye::caps_of(
        reinterpret_cast<PFN_vkGetInstanceProcAddr>(get), instance, physical_device, api_version);
    std::vector<const vkmoye::KernelInterface*> kernels;
    for (const vkmoye_file* file : all) {
      const auto of_file = kernels_of(file->for_device(caps));
      kernels.insert(kernels.end(), of_file.begin(), of_file.end());
    }
    *out = new vkmoye_requirements{vkmoye::required_for(kernels, caps, api_version)};
  });
}

void vkmoye_free_requirements(vkmoye_requirements* requirements) { delete requirements; }

const char* const* vkmoye_required_extensions(const vkmoye_requirements* requirements,
                                              uint32_t* count) {
  if (count != nullptr) *count = 0;
  if (requirements == nullptr || count == nullptr) return nullptr;
  *count = static_cast<uint32_t>(requirements->needs.extensions.size());
  return requirements->needs.extensions.data();
}

const char* const* vkmoye_useful_extensions(const vkmoye_requirements* requirements,
                                            uint32_t* count) {
  if (count != nullptr) *count = 0;
  if (requirements == nullptr || count == nullptr) return nullptr;
  *count = static_cast<uint32_t>(requirements->needs.useful_extensions.size());
  return requirements->needs.useful_extensions.data();
}

vkmoye_status vkmoye_enable_features(const vkmoye_requirements* requirements, void* features) {
  return guarded([&] {
    require(requirements, "vkmoye_enable_features", "requirements");
    require(features, "vkmoye_enable_features", "features");
    vkmoye::enable(requirements->needs, *static_cast<VkPhysicalDeviceFeatures2*>(features));
  });
}

vkmoye_status vkmoye_make_buffer(vkmoye_device* device, uint64_t bytes, vkmoye_buffer** out) {
  return guarded([&] {
    require(device, "vkmoye_make_buffer", "device");
    require(out, "vkmoye_make_buffer", "out");
    *out = new vkmoye_buffer{device->device, device->device->buffer(bytes)};
  });
}

void vkmoye_free_buffer(vkmoye_buffer* buffer) { delete buffer; }

vkmoye_status vkmoye_write_buffer(vkmoye_buffer* buffer, uint64_t offset, const void* from,
                                  size_t bytes) {
  return guarded([&] {
    require(buffer, "vkmoye_write_buffer", "buffer");
    if (bytes != 0) require(from, "vkmoye_write_buffer", "from");
    buffer->buffer.write({static_cast<const std::byte*>(from), bytes}, offset);
  });
}

vkmoye_status vkmoye_read_buffer(const vkmoye_buffer* buffer, uint64_t offset, void* to,
                                 size_t bytes) {
  return guarded([&] {
    require(buffer, "vkmoye_read_buffer", "buffer");
    if (bytes != 0) require(to, "vkmoye_read_buffer", "to");
    buffer->buffer.read({static_cast<std::byte*>(to), bytes}, offset);
  });
}

}  // extern "C"
