// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/requirements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/runtime/vk/features.hpp"
#include "vkmoye/runtime/vk/physical_device.hpp"

namespace vkmoye {
namespace {

// Of "1.3.250"; 0 if it is not a version.
std::uint32_t version_of(const std::string& text) {
  std::uint32_t numbers[2] = {};
  const std::vector<std::string> parts = split(text, '.');
  for (std::size_t i = 0; i < 2 && i < parts.size(); ++i) {
    std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), numbers[i]);
  }
  return VK_MAKE_API_VERSION(0, numbers[0], numbers[1], 0);
}

RequiredBit required(const vk::Bit& bit) {
  const auto& [first, second] = bit.homes;
  RequiredBit out = {first.structure, first.offset, first.name};
  if (second.name != nullptr) {
    out.other_structure = second.structure;
    out.other_offset = second.offset;
    out.other_name = second.name;
  }
  return out;
}

vk::Bit bit_of(const RequiredBit& bit) {
  return {{vk::BitHome{bit.structure, bit.offset, bit.name},
           vk::BitHome{bit.other_structure, bit.other_offset, bit.other_name}}};
}

}  // namespace

DeviceCaps caps_of(PFN_vkGetInstanceProcAddr get, VkInstance instance,
                   VkPhysicalDevice physical_device, std::uint32_t api_version) {
  return vk::query(vk::Instance(get, instance, api_version), physical_device).caps;
}

DeviceRequirements required_for(const std::vector<const KernelInterface*>& kernels,
                                const DeviceCaps& caps, std::uint32_t api_version) {
  DeviceRequirements needs;
  std::vector<std::string> reasons;
  const std::string subject = "required_for " + caps.name;
  // The limits of such a device are 0, and each would be a reason, too.
  if (!caps.why_unusable.empty()) throw_if_any(subject, {caps.why_unusable});
  for (const KernelInterface* kernel : kernels) {
    for (const std::string& reason : reasons_against(*kernel, caps)) {
      reasons.push_back(fmt::format("{}: {}", kernel->name, reason));
    }
    needs.features.add(kernel->features);
    // If the device has only one size, it need not be chosen.
    if (kernel->subgroup_size != 0 && caps.has(Feature::subgroup_size_control)) {
      needs.features.add(Feature::subgroup_size_control);
    }
  }
  throw_if_any(subject, std::move(reasons));
  needs.extensions = vk::extensions_of(needs.features, std::min(api_version, version_of(caps.api)));
  for (const vk::Bit* bit : vk::bits_of(needs.features)) needs.bits.push_back(required(*bit));
  needs.bits.push_back(required(vk::timeline_bit()));
  needs.useful_extensions = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
  return needs;
}

void enable(const DeviceRequirements& requirements, VkPhysicalDeviceFeatures2& features) {
  std::vector<VkBool32*> found;
  std::vector<std::string> missing;
  for (const RequiredBit& bit : requirements.bits) {
    if (VkBool32* place = vk::find_bit(&features, bit_of(bit))) {
      found.push_back(place);
    } else {
      missing.push_back(fmt::format("{}{}{}", bit.name, bit.other_name == nullptr ? "" : " or ",
                                    bit.other_name == nullptr ? "" : bit.other_name));
    }
  }
  if (!missing.empty()) {
    throw ArgumentError(with_reasons("enable: the chain has no structure for", missing));
  }
  for (VkBool32* place : found) *place = VK_TRUE;
}

}  // namespace vkmoye
