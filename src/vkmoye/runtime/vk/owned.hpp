// SPDX-License-Identifier: MIT
#pragma once
// A Vulkan object of a device, destroyed with its owner.

#include <utility>

#include "vkmoye/runtime/vk/check.hpp"

namespace vkmoye::vk {

template <class T>
class Owned {
 public:
  using Destroy = void(VKAPI_PTR*)(VkDevice, T, const VkAllocationCallbacks*);

  Owned() = default;
  Owned(VkDevice device, T handle, Destroy destroy)
      : device_(device), handle_(handle), destroy_(destroy) {}
  Owned(Owned&& other) noexcept { swap(other); }
  Owned& operator=(Owned&& other) noexcept {
    Owned(std::move(other)).swap(*this);
    return *this;
  }
  ~Owned() {
    if (handle_ != VK_NULL_HANDLE) destroy_(device_, handle_, nullptr);
  }

  T get() const { return handle_; }
  explicit operator bool() const { return handle_ != VK_NULL_HANDLE; }

 private:
  void swap(Owned& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
  }

  VkDevice device_ = VK_NULL_HANDLE;
  T handle_ = VK_NULL_HANDLE;
  Destroy destroy_ = nullptr;
};

/// `make(device, &info, nullptr, &object)`, checked; `name` is the function's for the message.
template <class T, class Info>
Owned<T> create(const char* name, VkDevice device,
                VkResult(VKAPI_PTR* make)(VkDevice, const Info*, const VkAllocationCallbacks*, T*),
                typename Owned<T>::Destroy destroy, const Info& info) {
  T handle = VK_NULL_HANDLE;
  check(make(device, &info, nullptr, &handle), name);
  return Owned<T>(device, handle, destroy);
}

}  // namespace vkmoye::vk
