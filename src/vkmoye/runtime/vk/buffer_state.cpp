// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/buffer_state.hpp"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::vk {
namespace {

std::uint64_t checked_size(const DeviceCaps& caps, std::uint64_t bytes) {
  const std::vector<std::string> reasons = reasons_against_buffer(caps, bytes);
  if (!reasons.empty()) throw ArgumentError(with_reasons(caps.name, reasons));
  return bytes;
}

}  // namespace

BufferState::BufferState(std::shared_ptr<Context> owner, std::uint64_t size, std::string_view name)
    : context(std::move(owner)),
      bytes(checked_size(context->caps(), size)),
      // Vulkan has no buffers of 0 bytes. Not if the limit is not a multiple of 4: the last bytes are then not filled
      // in words.
      allocated_bytes(bytes == 0 ? 4
                      : reasons_against_buffer(context->caps(), round_up_to_words(bytes)).empty()
                          ? round_up_to_words(bytes)
                          : bytes) {
  // What may throw comes before the block, which the destructor alone frees.
  std::string text(name);
  if (text.empty() && context->names.are_enabled()) text = fmt::format("vkmoye, {} bytes", bytes);
  block = context->memory->create_device_buffer(allocated_bytes, *context->commands, context);
  context->names.name(VK_OBJECT_TYPE_BUFFER, std::bit_cast<std::uint64_t>(block.buffer), text);
}

BufferState::~BufferState() { context->memory->destroy(block); }

}  // namespace vkmoye::vk
