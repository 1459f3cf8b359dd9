// SPDX-License-Identifier: MIT
#include "plans.hpp"

#include <algorithm>
#include <utility>

namespace llama {

std::vector<Part> parts_of(const std::string& array, const std::vector<std::uint64_t>& bytes) {
  constexpr std::uint64_t kAlignment = 256;  // Vulkan allows a device no larger one
  std::vector<Part> out;
  std::uint64_t end = 0;
  for (const std::uint64_t of_part : bytes) {
    out.push_back({array, of_part, (end + kAlignment - 1) / kAlignment * kAlignment});
    end = out.back().end();
  }
  return out;
}

std::optional<Part> joined(const std::vector<Part>& parts) {
  Part out = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].array != out.array || parts[i].offset != out.end()) return std::nullopt;
    out.bytes += parts[i].bytes;
  }
  return out;
}

Plans::Plans(const vkmoye::DeviceCaps& caps, std::optional<std::uint64_t> max_binding)
    : caps_(caps),
      max_binding_(std::min(max_binding.value_or(caps.max_storage_buffer_bytes),
                            caps.max_storage_buffer_bytes)) {}

std::size_t Plans::number(const std::string& key,
                          const std::function<vkmoye::gen::KernelPlan()>& describe) {
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) return found->second;
  plans_.push_back(describe());
  return numbers_[key] = plans_.size() - 1;
}

const FileTensor& Plans::derived(const std::string& name,
                                 const std::function<FileTensor(std::vector<std::byte>&)>& make) {
  const auto [found, is_new] = derived_.try_emplace(name);
  Derived& out = found->second;
  if (is_new) {
    out.tensor = make(out.bytes);
    out.tensor.name = name;
  }
  return out.tensor;
}

void Plans::load(const std::string& array, std::vector<LoadedTensor> tensors) {
  weights_[array] = std::move(tensors);
}

}  // namespace llama
