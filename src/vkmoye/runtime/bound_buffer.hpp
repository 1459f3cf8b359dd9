// SPDX-License-Identifier: MIT
#pragma once
// The buffers that are bound to a kernel, the runtime's or the user's, as Vulkan takes them.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vkmoye/runtime/buffer.hpp"
#include "vkmoye/runtime/values/launch_formula.hpp"
#include "vkmoye/runtime/vk/launch_state.hpp"

namespace vkmoye::vk {

struct BoundBuffer {
  VkBuffer handle = VK_NULL_HANDLE;
  BoundRange range;                         // its end is known, its address is not
  std::shared_ptr<const BufferState> keep;  // null: the user's
};

/// Throws ArgumentError naming `subject` if a view has no buffer or one of another Device. The size of a user's buffer
/// is taken to be that of the memory that it requires.
BoundBuffer resolve(const Context& context, const std::string& subject, const BufferView& view);

/// The buffers of a launch, and what it dispatches.
struct BoundLaunch {
  std::vector<BoundBuffer> buffers;
  std::vector<BoundRange> ranges;
  Dispatches dispatches;
  bool is_prepared = false;            // `dispatches` was made for the kernel
  std::optional<Arguments> arguments;  // the arguments of `dispatches`, if they are known by name
};

/// Binds `views` to `launch`, which must belong to the same kernel if it was bound before; allocates nothing if the
/// arguments are the same as before. Throws like `resolve` and `prepare_dispatches`.
void bind(const Context& context, const KernelInterface& kernel, std::span<const BufferView> views,
          const Arguments& arguments, BoundLaunch& launch);

/// Binds `views` with all arguments by index, in the order of `formula`, which must belong to the kernel. Allocates
/// nothing if the launch was bound before and the formula knows the arguments (LaunchFormula::evaluate).
void bind(const Context& context, const KernelInterface& kernel, std::span<const BufferView> views,
          const LaunchFormula& formula, std::span<const Argument> values, BoundLaunch& launch);

/// The descriptors of a launch, to be written into `set`, or pushed if that is null. Not copyable, because its elements
/// point to each other.
class DescriptorWrites {
 public:
  DescriptorWrites() = default;
  DescriptorWrites(const DescriptorWrites&) = delete;
  DescriptorWrites& operator=(const DescriptorWrites&) = delete;
  DescriptorWrites(DescriptorWrites&&) = default;
  DescriptorWrites& operator=(DescriptorWrites&&) = default;
  ~DescriptorWrites() = default;

  /// Replaces the descriptors by those of `launch`.
  void assign(const KernelInterface& kernel, const BoundLaunch& launch, VkDescriptorSet set);
  std::uint32_t count() const { return static_cast<std::uint32_t>(writes_.size()); }
  const VkWriteDescriptorSet* data() const { return writes_.data(); }

 private:
  std::vector<VkDescriptorBufferInfo> infos_;
  std::vector<VkWriteDescriptorSet> writes_;
};

/// A pool of `sets` sets for `kernel`, which binds at least one buffer. Throws DeviceError.
Owned<VkDescriptorPool> make_pool(const Context& context, const KernelInterface& kernel,
                                  std::uint32_t sets);

/// A set of the pool. Throws DeviceError.
VkDescriptorSet allocate_set(const PipelineState& pipeline, VkDescriptorPool pool);

}  // namespace vkmoye::vk
