// SPDX-License-Identifier: MIT
#pragma once
// A kernel in command buffers of yours, recorded any number of times, with other buffers and arguments
// each time.
//
//   Recorder gemm(device, code, {.recordings = 256});
//   ..
//   gemm.record(commands, {a, b, c}, {{"m", 512}, ..}, {.after = kComputePass, .before = kComputePass});
//
// Who waits for whom. A recording reads and writes in VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, with
// VK_ACCESS_SHADER_READ_BIT and VK_ACCESS_SHADER_WRITE_BIT, `kKernelScope`:
//   before it   what it reads was made available and visible there, and what it writes is no longer in use;
//   inside it   what its own steps need of each other is ours;
//   after it    its writes are writes of that scope: nothing was made available or visible to anybody.
// The barriers before and after are yours, unless `Neighbours` says what stands there: then we record them.
// Two recordings one after the other, of this or another Recorder, need one where they share what is
// written.

#include <vulkan/vulkan_core.h>

#include <initializer_list>
#include <memory>
#include <span>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/runtime/buffer.hpp"
#include "vkmoye/runtime/device.hpp"

namespace vkmoye {

/// Pipeline stages and what they do to memory, as in a VkMemoryBarrier.
struct SyncScope {
  VkPipelineStageFlags stages = 0;
  VkAccessFlags access = 0;
};

/// That of every recording of ours.
inline constexpr SyncScope kKernelScope = {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                           VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
/// That of a compute pass of yours with storage buffers.
inline constexpr SyncScope kComputePass = kKernelScope;

/// What a recording is ordered with by barriers that we record, one on each side. A scope without stages:
/// no barrier there.
struct Neighbours {
  SyncScope
      after;  // what comes before the recording and is finished, its writes visible, when it starts
  SyncScope before = {};  // what comes after the recording, and sees what it wrote
};

/// How many recordings there may be between two `reset`s where descriptors cannot be pushed.
struct RecorderOptions {
  std::uint32_t recordings = 0;
};

/// Where the device was opened or adopted with VK_KHR_push_descriptor, and has room for all buffers of the
/// kernel, descriptors are pushed into the command buffer. Elsewhere each recording takes a set of a pool
/// that is allocated here. Either way a recording makes no Vulkan object, allocates no device memory and
/// submits nothing; with the arguments of the recording before it allocates nothing at all. It keeps the
/// Buffers of the last recording alive. One thread at a time; must live until the device is done with what
/// was recorded.
class Recorder {
 public:
  /// Loads the kernel, as Device::load: may take seconds where the driver compiles. Throws KernelError with
  /// every reason, DeviceError.
  Recorder(Device& device, const CompiledKernel& kernel, const RecorderOptions& options = {});
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;
  ~Recorder();

  const KernelInterface& interface() const;
  /// Whether descriptors are pushed: recordings are then not counted.
  bool pushes_descriptors() const;

  /// Records the kernel into `commands`, which is in the recording state, outside a render pass, and of a
  /// queue family that computes. Binds a compute pipeline, its set 0 and push constants; what you had bound
  /// there is disturbed. Throws ArgumentError with every reason before anything is recorded: those of
  /// Device::prepare, and a pool that is exhausted. A grid without groups records nothing but the barriers.
  void record(VkCommandBuffer commands, std::span<const BufferView> buffers,
              const Arguments& arguments, const Neighbours& neighbours = {});
  void record(VkCommandBuffer commands, std::initializer_list<BufferView> buffers,
              const Arguments& arguments, const Neighbours& neighbours = {}) {
    record(commands, std::span(buffers.begin(), buffers.size()), arguments, neighbours);
  }

  /// The device is done with all that was recorded, and those command buffers are not submitted again:
  /// as many recordings are free as at first.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vkmoye
