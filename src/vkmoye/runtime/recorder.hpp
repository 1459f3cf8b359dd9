// SPDX-License-Identifier: MIT
#pragma once
// Records a kernel into your own command buffers, any number of times, with different buffers and arguments each
// time.
//
//   Recorder gemm(device, code, {.recordings = 256});
//   ..
//   gemm.record(commands, {a, b, c}, {{"m", 512}, ..}, {.after = kComputePass, .before = kComputePass});
//
// Synchronization. A recording reads and writes in VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, with
// VK_ACCESS_SHADER_READ_BIT and VK_ACCESS_SHADER_WRITE_BIT, `kComputePass`:
//   before it   its inputs must be available and visible in that scope, and its outputs no longer in use;
//   inside it   it records the barriers that its own steps need;
//   after it    its writes are writes of that scope, and not yet available or visible elsewhere.
// You record the barriers before and after it, or `Neighbours` names the scopes there and the Recorder records
// them. Two consecutive recordings, by this or another Recorder, need a barrier between them if one writes what
// the other reads or writes.

#include <vulkan/vulkan_core.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/runtime/buffer.hpp"
#include "vkmoye/runtime/device.hpp"
#include "vkmoye/runtime/values/sync_scope.hpp"

namespace vkmoye {

/// The scope of every recording of a Recorder, and of your own compute pass that uses storage buffers.
inline constexpr SyncScope kComputePass = {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                           VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};

/// The work around a recording, which runs `after` one scope and `before` another. The Recorder records a barrier for
/// each of them; a scope without stages gets none. A kernel that runs after an upload and before a compute pass:
///
///   {.after = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT}, .before = kComputePass}
struct Neighbours {
  SyncScope after = {};   // earlier work: the recording waits for it and sees what it wrote
  SyncScope before = {};  // later work: it waits for the recording and sees what that wrote
};

/// How many recordings a Recorder is for, and what it uses.
struct RecorderOptions {
  /// The number of recordings between two calls of `reset`, if descriptors cannot be pushed.
  std::uint32_t recordings = 0;
  /// The number of recordings after the constructor, and after each call of `reset`, whose kernels are timed; later
  /// ones are not. See `times`.
  std::uint32_t timestamps = 0;
  /// The values of specialised arguments, see Device::load.
  Arguments specialised = {};
};

/// How long the device took for one kernel of a recording: from the end of all earlier work of the queue to the end
/// of the kernel.
struct KernelTime {
  std::uint32_t recording = 0;  // 0: the first after the constructor or `reset`
  std::uint32_t step = 0;       // step of the plan; 0 for a Recorder
  double microseconds = 0;
  bool operator==(const KernelTime&) const = default;
};

/// If the device was opened or adopted with VK_KHR_push_descriptor and can push all buffers of the kernel,
/// descriptors are pushed into the command buffer. Otherwise each recording takes a descriptor set from a pool that
/// the Recorder allocates. Either way, a recording creates no Vulkan object, allocates no device memory and submits
/// nothing; with the same arguments as the recording before, it allocates no host memory either. The Recorder keeps
/// the Buffers of the last recording alive. It may be used by one thread at a time, and must live until the device
/// has finished what was recorded.
class Recorder {
 public:
  /// Loads the kernel like Device::load: may take seconds if the driver has to compile. With `timestamps`, submits a
  /// command and waits for it. Throws like Device::load; ArgumentError also if there are to be timestamps, but the
  /// device has none.
  Recorder(Device& device, const CompiledKernel& kernel, const RecorderOptions& options = {});
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;
  ~Recorder();

  /// Another Recorder of the kernel as it is loaded, for another thread, or to keep recordings apart: with descriptor
  /// sets and timestamps of its own. It loads nothing; with `timestamps`, it submits a command and waits for it. Throws
  /// like the constructor; ArgumentError if `options` has specialised arguments.
  Recorder share(const RecorderOptions& options = {}) const;

  /// The interface of the kernel, with the values that it was specialised for.
  const KernelInterface& interface() const;
  /// Whether descriptors are pushed; the number of recordings is then unlimited.
  bool pushes_descriptors() const;

  /// Records the kernel into `commands`, which must be in the recording state, outside a render pass, and of a queue
  /// family with compute support. Replaces the bound compute pipeline, its set 0 and push constants. Throws
  /// ArgumentError with every reason before anything is recorded: those of Device::prepare, or an exhausted pool. For
  /// an empty grid, only the barriers are recorded.
  void record(VkCommandBuffer commands, std::span<const BufferView> buffers,
              const Arguments& arguments, const Neighbours& neighbours = {});
  void record(VkCommandBuffer commands, std::initializer_list<BufferView> buffers,
              const Arguments& arguments, const Neighbours& neighbours = {}) {
    record(commands, std::span(buffers.begin(), buffers.size()), arguments, neighbours);
  }
  /// Records the kernel like `record`, with its arguments by index: all but the specialised ones, strides included, in
  /// the order of `argument_names`. This is the fastest way to record a kernel with new arguments: after the first
  /// recording it allocates no host memory, unless the grid is empty or takes several dispatches, or a written array
  /// has strides in an unusual order.
  void record_values(VkCommandBuffer commands, std::span<const BufferView> buffers,
                     std::span<const Argument> values, const Neighbours& neighbours = {});
  /// The names of the kernel's arguments that are not specialised, in alphabetical order.
  std::span<const std::string> argument_names() const;

  /// The times of the recordings that the device has finished by now, in order. Does not wait. If a command
  /// buffer was submitted several times, the times are those of its last finished execution; there are none while the
  /// next one runs. Throws DeviceError.
  std::vector<KernelTime> times() const;

  /// Makes all recordings available again, and forgets their times. Precondition: the device has finished everything
  /// that was recorded, and those command buffers are not submitted again. With `timestamps`, submits a command and
  /// waits for it.
  void reset();

 private:
  struct State;
  explicit Recorder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vkmoye
