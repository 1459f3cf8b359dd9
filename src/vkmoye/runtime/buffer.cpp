// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye {
namespace vk {
namespace {

std::uint64_t round_up_to_words(std::uint64_t bytes) { return (bytes + 3) & ~std::uint64_t{3}; }

std::uint64_t checked_size(const DeviceCaps& caps, std::uint64_t bytes) {
  const std::vector<std::string> reasons = reasons_against_buffer(caps, bytes);
  if (!reasons.empty()) throw ArgumentError(with_reasons(caps.name, reasons));
  return bytes;
}

}  // namespace

BufferState::BufferState(std::shared_ptr<Context> owner, std::uint64_t size)
    : context(std::move(owner)),
      bytes(checked_size(context->caps(), size)),
      // Vulkan has no buffers of 0 bytes. Not if the limit is not a multiple of 4: the last bytes are then not filled
      // in words.
      allocated_bytes(bytes == 0 ? 4
                      : reasons_against_buffer(context->caps(), round_up_to_words(bytes)).empty()
                          ? round_up_to_words(bytes)
                          : bytes) {
  block = context->memory->create_device_buffer(allocated_bytes, *context->commands, context);
}

BufferState::~BufferState() { context->memory->destroy(block); }

}  // namespace vk

namespace {

void check_range(const char* operation, std::uint64_t buffer_bytes, std::uint64_t offset,
                 std::uint64_t bytes) {
  if (offset > buffer_bytes || bytes > buffer_bytes - offset) {
    throw ArgumentError(fmt::format("{}: {} bytes at offset {} reach beyond a buffer of {} bytes",
                                    operation, bytes, offset, buffer_bytes));
  }
}

}  // namespace

Buffer::Buffer(std::shared_ptr<vk::BufferState> state) : state_(std::move(state)) {}

std::uint64_t Buffer::bytes() const { return state_->bytes; }

bool Buffer::is_mapped() const { return state_->block.mapped != nullptr; }

void Buffer::write(std::span<const std::byte> from, std::uint64_t offset) {
  check_range("write", state_->bytes, offset, from.size());
  if (from.empty()) return;
  vk::Context& context = *state_->context;
  if (is_mapped()) {
    std::memcpy(state_->block.mapped + offset, from.data(), from.size());
    context.memory->flush(state_->block, offset, from.size());
  } else {
    context.staging->write(state_->block.buffer, offset, from, state_);
  }
}

void Buffer::read(std::span<std::byte> to, std::uint64_t offset) const {
  check_range("read", state_->bytes, offset, to.size());
  if (to.empty()) return;
  vk::Context& context = *state_->context;
  if (state_->block.cached) {
    context.memory->invalidate(state_->block, offset, to.size());
    std::memcpy(to.data(), state_->block.mapped + offset, to.size());
  } else {  // reading uncached memory through a mapping takes many times longer than a copy
    context.staging->read(state_->block.buffer, offset, to, state_);
  }
}

void Buffer::fill(std::byte pattern, std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == kToTheEnd && offset <= state_->bytes) bytes = state_->bytes - offset;
  check_range("fill", state_->bytes, offset, bytes);
  // The device fills whole words; at the end of the buffer the padding completes the last one.
  const std::uint64_t end = offset + bytes;
  const std::uint64_t first_word = vk::round_up_to_words(offset);
  const std::uint64_t last_word =
      (end == state_->bytes ? state_->allocated_bytes : end) & ~std::uint64_t{3};
  const auto write_edge = [&](std::uint64_t from, std::uint64_t to) {
    if (from < to) write(std::vector<std::byte>(to - from, pattern), from);
  };
  if (first_word >= last_word) return write_edge(offset, end);
  vk::Context& context = *state_->context;
  context.commands->run(
      [&](VkCommandBuffer commands) {
        context.table().CmdFillBuffer(commands, state_->block.buffer, first_word,
                                      last_word - first_word,
                                      0x01010101u * std::to_integer<std::uint32_t>(pattern));
      },
      state_);
  write_edge(offset, first_word);
  write_edge(last_word, end);
}

}  // namespace vkmoye
