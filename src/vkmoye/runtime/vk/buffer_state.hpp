// SPDX-License-Identifier: MIT
#pragma once
// The memory of a Buffer.

#include <cstdint>
#include <memory>
#include <string_view>

#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye::vk {

/// Vulkan fills memory in words of 4 bytes.
constexpr std::uint64_t round_up_to_words(std::uint64_t bytes) {
  return (bytes + 3) & ~std::uint64_t{3};
}

struct BufferState {
  std::shared_ptr<Context> context;
  BufferMemory block;
  std::uint64_t bytes = 0;            // as requested
  std::uint64_t allocated_bytes = 0;  // rounded up, so that whole words can be filled

  /// `name` is for debuggers; "": one with its size.
  BufferState(std::shared_ptr<Context> context, std::uint64_t bytes, std::string_view name);
  ~BufferState();
  BufferState(const BufferState&) = delete;
  BufferState& operator=(const BufferState&) = delete;
};

}  // namespace vkmoye::vk
