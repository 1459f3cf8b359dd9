// SPDX-License-Identifier: MIT
#pragma once
// Every VkResult passes through here: `check(vk.CreateFence(...), "vkCreateFence")`.

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vkmoye::vk {

/// "VK_ERROR_DEVICE_LOST"; "VkResult -1234" for an unknown result.
std::string result_name(VkResult result);

/// Throws DeviceError "call -> VK_ERROR_..." with the kind that belongs to `result`.
[[noreturn]] void fail(VkResult result, std::string_view call);

/// `call` names the function, with the numbers that matter: "vkCreateBuffer(1024 bytes)".
inline void check(VkResult result, std::string_view call) {
  if (result != VK_SUCCESS) fail(result, call);
}

/// Throws ArgumentError if `commands` is null. `subject`: what would be recorded into it.
void require_commands(VkCommandBuffer commands, const std::string& subject);

/// All items that a two-call function `call(count, items)` returns; `blank` contains the sType. Throws DeviceError if
/// the function always has more items than it announces, as NVK's vkGetPipelineCacheData does.
template <class T, class Call>
std::vector<T> enumerate(std::string_view name, Call call, T blank = {}) {
  constexpr std::uint32_t kMaxAttempts = 4;
  std::vector<T> items;
  for (std::uint32_t attempt = 1;; ++attempt) {  // the list may grow between the two calls
    std::uint32_t count = 0;
    check(call(&count, static_cast<T*>(nullptr)), name);
    count *= attempt;  // with room for more each time
    items.assign(count, blank);
    const VkResult result = count == 0 ? VK_SUCCESS : call(&count, items.data());
    if (result == VK_INCOMPLETE && attempt < kMaxAttempts) continue;
    check(result, name);
    items.resize(count);
    return items;
  }
}

}  // namespace vkmoye::vk
