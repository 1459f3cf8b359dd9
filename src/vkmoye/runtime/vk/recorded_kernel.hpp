// SPDX-License-Identifier: MIT
#pragma once
// A kernel that goes into command buffers of the user's: checked first, then recorded.
//
//   kernel.bind(views, arguments);   throws with every reason
//   kernel.take_set();               throws where the driver has none
//   kernel.record(commands);         cannot fail

#include <cstdint>
#include <memory>
#include <span>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/runtime/device.hpp"
#include "vkmoye/runtime/vk/bound_buffer.hpp"

namespace vkmoye::vk {

class RecordedKernel {
 public:
  /// Room for `recordings` where descriptors cannot be pushed. Throws as Recorder does.
  RecordedKernel(Device& device, const CompiledKernel& kernel, std::uint32_t recordings);

  const PipelineState& pipeline() const { return *pipeline_; }

  /// What the next recording is of. Throws ArgumentError: as vk::bind, and where the pool is exhausted.
  void bind(std::span<const BufferView> views, const Arguments& arguments);
  /// A set for it, where it takes one. Throws DeviceError; one that was taken and not recorded is kept.
  void take_set();
  /// Nothing where its grid has no groups.
  void record(VkCommandBuffer commands);
  /// Forgets the buffers: one of ours lives as long as its owner wants.
  void release() { launch_.buffers.clear(); }

  /// All sets are free.
  void reset();

 private:
  bool runs() const { return !launch_.plan.pieces.empty(); }
  bool takes_sets() const;

  std::shared_ptr<const PipelineState> pipeline_;
  Owned<VkDescriptorPool> pool_;            // null: descriptors are pushed, or there are none
  std::uint32_t most_ = 0, used_ = 0;       // sets of the pool
  VkDescriptorSet taken_ = VK_NULL_HANDLE;  // of the next recording
  // Of the last recording, so that the next one finds room for its own.
  BoundLaunch launch_;
  DescriptorWrites writes_;
};

}  // namespace vkmoye::vk
