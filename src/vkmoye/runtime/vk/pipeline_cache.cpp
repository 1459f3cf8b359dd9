// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/pipeline_cache.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>
#include <vector>

#include "vkmoye/base/path_text.hpp"
#include "vkmoye/runtime/vk/cache_file.hpp"
#include "vkmoye/runtime/vk/check.hpp"
#include "vkmoye/system/file.hpp"

namespace vkmoye::vk {
namespace {

VkResult make_cache(const LogicalDevice& device, std::span<const std::byte> initial,
                    Owned<VkPipelineCache>& cache) {
  VkPipelineCacheCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = initial.size();
  info.pInitialData = initial.data();
  VkPipelineCache handle = VK_NULL_HANDLE;
  const DeviceTable& vk = device.table();
  const VkResult result = vk.CreatePipelineCache(device.handle(), &info, nullptr, &handle);
  if (result == VK_SUCCESS) {
    cache = Owned<VkPipelineCache>(device.handle(), handle, vk.DestroyPipelineCache);
  }
  return result;
}

}  // namespace

PipelineCache::PipelineCache(const LogicalDevice& device, const DriverIdentity& driver,
                             const std::filesystem::path& folder, std::string why_memory_only)
    : device_(device), driver_(driver), loaded_(std::move(why_memory_only)) {
  std::vector<std::byte> file;
  std::span<const std::byte> payload;
  if (!folder.empty()) {
    path_ = folder / cache_file_name(driver);
    std::string error;
    file = system::read_file(path_, error);
    if (!error.empty()) {
      loaded_ = fmt::format("not read: {}: {}", path_text(path_), error);
    } else if (file.empty()) {
      loaded_ = fmt::format("new: {}", path_text(path_));
    } else {
      const DecodedCache decoded = decode_cache(driver, file);
      payload = decoded.payload;
      loaded_ = decoded.refusal.empty()
                    ? fmt::format("loaded {} bytes: {}", payload.size(), path_text(path_))
                    : fmt::format("rebuilt: {}: {}", path_text(path_), decoded.refusal);
      changed_ = !decoded.refusal.empty();
    }
  }
  if (!payload.empty() && make_cache(device_, payload, owned_) != VK_SUCCESS) {
    loaded_ = fmt::format("rebuilt: {}: the driver refused it", path_text(path_));
    payload = {};
  }
  if (payload.empty()) check(make_cache(device_, {}, owned_), "vkCreatePipelineCache");
  handle_ = owned_.get();
}

PipelineCache::PipelineCache(const LogicalDevice& device, VkPipelineCache theirs)
    : device_(device), handle_(theirs), loaded_("AdoptedDevice::pipeline_cache") {}

void PipelineCache::mark_changed() {
  const std::lock_guard lock(mutex_);
  changed_ = true;
}

void PipelineCache::save() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (path_.empty() || !changed_) return;
    try {
      save_or_throw();
    } catch (const std::exception& error) {
      saved_ = fmt::format("not saved: {}", error.what());
    }
  } catch (...) {  // no memory for the message either
  }
}

void PipelineCache::save_or_throw() {
  const DeviceTable& vk = device_.table();
  const auto payload = enumerate<std::byte>("vkGetPipelineCacheData", [&](auto* count, auto* data) {
    std::size_t bytes = *count;
    const VkResult result = vk.GetPipelineCacheData(device_.handle(), handle_, &bytes, data);
    *count = static_cast<std::uint32_t>(bytes);
    return result;
  });
  std::error_code no_folder;
  std::filesystem::create_directories(path_.parent_path(), no_folder);
  const std::string error = no_folder ? no_folder.message()
                                      : system::replace_file(path_, encode_cache(driver_, payload),
                                                             system::Permissions::owner_only);
  saved_ = error.empty() ? fmt::format("saved {} bytes", payload.size())
                         : fmt::format("not saved: {}: {}", path_text(path_), error);
  changed_ = !error.empty();
}

std::string PipelineCache::status() const {
  const std::lock_guard lock(mutex_);
  return saved_.empty() ? loaded_ : loaded_ + "; " + saved_;
}

}  // namespace vkmoye::vk
