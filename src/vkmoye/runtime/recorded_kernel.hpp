// SPDX-License-Identifier: MIT
#pragma once
// A kernel that is recorded into the user's command buffers, after its arguments were checked.
//
//   kernel.bind(views, arguments);   throws with every reason
//   kernel.take_set();               throws if the driver has none
//   kernel.record(commands);         cannot fail

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/runtime/bound_buffer.hpp"
#include "vkmoye/runtime/device.hpp"
#include "vkmoye/runtime/recorder.hpp"

namespace vkmoye::vk {

class RecordedKernel {
 public:
  /// Allocates descriptor sets if descriptors cannot be pushed, and timestamps. Throws like Recorder.
  RecordedKernel(Device& device, const CompiledKernel& kernel, const RecorderOptions& options);

  /// A RecordedKernel of the same pipeline, with descriptor sets and timestamps of its own.
  RecordedKernel share(std::uint32_t recordings, std::uint32_t timestamps) const;

  const PipelineState& pipeline() const { return *pipeline_; }

  /// Binds the buffers and arguments of the next recording. Throws ArgumentError like vk::bind, and if the pool is
  /// exhausted.
  void bind(std::span<const BufferView> views, const Arguments& arguments);
  /// Binds the buffers and all arguments, in the order of `argument_names`. Throws like the function above.
  void bind(std::span<const BufferView> views, std::span<const Argument> values);
  const std::vector<std::string>& argument_names() const { return formula_.names(); }
  /// Allocates the descriptor set of the next recording, if it needs one. Throws DeviceError. A set that was not
  /// recorded is used again.
  void take_set();
  /// The number of dispatches of the grid for the bound arguments.
  std::size_t dispatches() const { return launch_.dispatches.pieces.size(); }
  /// Records nothing if the grid is empty. With `groups`, the device reads the number of groups from there.
  /// Precondition: the grid for the bound arguments then takes one dispatch.
  void record(VkCommandBuffer commands, const std::optional<CommandPlace>& groups = {});
  /// Releases the buffers, which may then be destroyed.
  void release() { launch_.buffers.clear(); }

  /// Appends the times that are known, as those of step number `step`.
  void add_times(std::uint32_t step, std::vector<KernelTime>& times) const;

  /// Makes all sets and timestamps available again.
  void reset();

 private:
  RecordedKernel(std::shared_ptr<const PipelineState> pipeline, std::uint32_t recordings,
                 std::uint32_t timestamps);
  bool runs() const { return !launch_.dispatches.pieces.empty(); }
  bool takes_sets() const;
  void require_set() const;
  void reset_queries();

  std::shared_ptr<const PipelineState> pipeline_;
  LaunchFormula formula_;
  Owned<VkDescriptorPool> pool_;            // null: descriptors are pushed, or there are none
  std::uint32_t max_sets_ = 0, used_ = 0;   // sets of the pool
  VkDescriptorSet taken_ = VK_NULL_HANDLE;  // the set for the next recording
  std::shared_ptr<const Owned<VkQueryPool>> queries_;  // two of each recording that is timed
  std::uint32_t max_timed_ = 0, recorded_ = 0;
  // Kept from the last recording, so that the next one reuses its memory.
  BoundLaunch launch_;
  DescriptorWrites writes_;
};

}  // namespace vkmoye::vk
