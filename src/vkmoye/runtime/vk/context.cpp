// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "vkmoye/base/cache_folder.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::vk {
namespace {

std::string table_of(const std::vector<PhysicalDevice>& devices) {
  std::string out;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceCaps& caps = devices[i].caps;
    out += fmt::format("\n  {}  {} ({}){}", i, caps.name, to_string(caps.kind),
                       caps.why_unusable.empty() ? "" : ": " + caps.why_unusable);
  }
  return out;
}

const PhysicalDevice* first_usable(const std::vector<PhysicalDevice>& devices) {
  for (const DeviceKind kind : {DeviceKind::discrete, DeviceKind::integrated,
                                DeviceKind::virtual_gpu, DeviceKind::cpu, DeviceKind::other}) {
    for (const PhysicalDevice& device : devices) {
      if (device.caps.kind == kind && device.caps.why_unusable.empty()) return &device;
    }
  }
  return nullptr;
}

bool is_index(std::string_view selector) {
  return !selector.empty() && std::all_of(selector.begin(), selector.end(),
                                          [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A whole number is always an index, so that a script never selects another device because its name contains that
// number: "4090" is an index, "RTX 4090" is a part of a name.
const PhysicalDevice* find_device(const std::vector<PhysicalDevice>& devices,
                                  std::string_view selector) {
  if (is_index(selector)) {
    std::size_t index = 0;
    const auto [end, error] =
        std::from_chars(selector.data(), selector.data() + selector.size(), index);
    return error == std::errc() && index < devices.size() ? &devices[index] : nullptr;
  }
  // The first usable one of those that match.
  const PhysicalDevice* match = nullptr;
  for (const PhysicalDevice& device : devices) {
    if (lower_case(device.caps.name).find(lower_case(selector)) == std::string::npos) continue;
    if (match == nullptr ||
        (!match->caps.why_unusable.empty() && device.caps.why_unusable.empty())) {
      match = &device;
    }
  }
  return match;
}

// A program with its own device decides where its files are: without a folder from it, there is no file.
std::unique_ptr<PipelineCache> pipeline_cache_of(const Context& context, const OpenOptions& options,
                                                 VkPipelineCache theirs) {
  if (theirs != VK_NULL_HANDLE) return std::make_unique<PipelineCache>(*context.device, theirs);
  std::filesystem::path folder;
  std::string memory_only = "off";
  if (options.cache) {
    folder = options.cache_folder;
    memory_only = "in memory only: no OpenOptions::cache_folder for the adopted device";
    if (folder.empty() && !context.device->is_borrowed()) {
      folder = default_cache_folder();
      memory_only = "in memory only: VKMOYE_CACHE_DIR, XDG_CACHE_HOME and HOME name no folder";
    }
  }
  return std::make_unique<PipelineCache>(*context.device, context.physical.identity, folder,
                                         std::move(memory_only));
}

}  // namespace

const PhysicalDevice& choose(const std::vector<PhysicalDevice>& devices,
                             std::string_view selector) {
  if (devices.empty()) {
    throw DeviceError(DeviceError::Kind::kNoDevice,
                      "no Vulkan device: vkEnumeratePhysicalDevices lists none");
  }
  const PhysicalDevice* chosen =
      selector.empty() ? first_usable(devices) : find_device(devices, selector);
  if (chosen != nullptr && chosen->caps.why_unusable.empty()) return *chosen;
  if (chosen == nullptr && !selector.empty()) {
    throw ArgumentError(is_index(selector)
                            ? fmt::format("no device has the index {}; the devices are{}", selector,
                                          table_of(devices))
                            : fmt::format("no device is called '{}'; the devices are{}", selector,
                                          table_of(devices)));
  }
  throw DeviceError(
      DeviceError::Kind::kNoDevice,
      chosen != nullptr
          ? fmt::format("{}: {}", chosen->caps.name, chosen->caps.why_unusable)
          : fmt::format("no usable Vulkan device; the devices are{}", table_of(devices)));
}

void create_resources(Context& context, const OpenOptions& options, QueueLock queue_lock,
                      VkPipelineCache their_cache) {
  if (std::isnan(options.wait_seconds) || options.wait_seconds < 0) {
    throw ArgumentError(
        fmt::format("OpenOptions::wait_seconds = {}: must be a number of seconds, at least 0",
                    options.wait_seconds));
  }
  if (options.resident_groups != 0) context.physical.caps.resident_groups = options.resident_groups;
  if (options.pretend) options.pretend(context.physical.caps);
  context.memory = std::make_unique<Memory>(*context.instance, context.physical, *context.device,
                                            options.direct_access);
  context.cache = pipeline_cache_of(context, options, their_cache);
  context.commands = std::make_unique<Commands>(*context.device, context.physical.queue_family,
                                                context.caps().timestamp_period_ns > 0,
                                                std::move(queue_lock), options.wait_seconds);
  context.staging = std::make_unique<Staging>(context.table(), *context.memory, *context.commands);
}

}  // namespace vkmoye::vk
