// SPDX-License-Identifier: MIT
#pragma once
// A Vulkan device that runs kernels.
//
//   Device device = Device::open();                    // or open("llvmpipe"), open("0")
//   Pipeline kernel = device.load(code);
//   Buffer a = device.buffer(bytes), b = device.buffer(bytes);
//   double microseconds = device.run(kernel, {a, b}, {{"rows", 2048}, {"cols", 1023}});
//
// Three levels: record into a command buffer of yours (vulkan.hpp), submit, run.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/runtime/buffer.hpp"
#include "vkmoye/runtime/launch.hpp"
#include "vkmoye/runtime/pipeline.hpp"

namespace vkmoye {

struct AdoptedDevice;

struct OpenOptions {
  /// Runs under VK_LAYER_KHRONOS_validation with synchronization validation; slow, for tests.
  /// Each warning or error goes to the callback, on whichever thread made the call. DeviceError
  /// where the layer is not installed. Without effect on an adopted device.
  bool validation = false;
  std::function<void(const std::string&)> on_validation_message;

  /// Keep compiled pipelines on disk, in `cache_folder` or, where that is empty, in
  /// $VKMOYE_CACHE_DIR, else $XDG_CACHE_HOME/vkmoye, else $HOME/.cache/vkmoye.
  bool cache = true;
  std::string cache_folder;

  /// The longest wait for the device, in seconds: 0 or more, infinity for no limit. A wait that reaches it
  /// throws DeviceError (kLost). After that
  ///   - whatever would submit work through this Device throws DeviceError (kLost) at once;
  ///   - Pending::wait and Pending::is_done still work;
  ///   - another Device, also of the same GPU, can be opened and works at once;
  ///   - what the unfinished work may use is freed once the work is known to have finished: through Pending, or
  ///     when the Device is destroyed, which then does not wait. Otherwise it is left, the VkDevice included,
  ///     until the process ends.
  double wait_seconds = 60;

  /// Asks the driver for statistics of each compiled kernel, see pipeline_statistics.hpp. Loading then takes
  /// longer. Without effect on an adopted device.
  bool statistics = false;

  /// False: every transfer uses a staging buffer, even if the host can access the memory directly.
  bool direct_access = true;

  /// Called once with the capabilities of the device; it may reduce them, and the device is then used as if it
  /// had no more.
  std::function<void(DeviceCaps&)> pretend;
};

/// Every Vulkan device of this machine, in the order of the indices that Device::open takes. Those
/// that vkmoye cannot use have DeviceCaps::why_unusable set. Never empty: throws DeviceError
/// (kNoDevice) where there is no Vulkan loader, no driver or no device.
std::vector<DeviceCaps> list_devices();

/// Thread-safe. After a time-out it takes no more work, see OpenOptions::wait_seconds: open another one. What
/// was made from it may outlive it, but can no longer be run. Its destruction waits for what was submitted,
/// OpenOptions::wait_seconds at most for each submission, and saves the pipeline cache.
class Device {
 public:
  /// `selector`: a whole number is an index, as in list_devices, and nothing else; other text is a part of
  /// the name in any case; empty: the first discrete GPU, else integrated, else virtual, else CPU, else
  /// other. Throws ArgumentError listing the devices where none matches, DeviceError (kNoDevice) where there
  /// is none or the chosen one cannot be used.
  static Device open(std::string_view selector = {}, const OpenOptions& options = {});

  /// Uses a device of yours; see vulkan.hpp. Nothing of yours is destroyed.
  static Device adopt(const AdoptedDevice& theirs, const OpenOptions& options = {});

  explicit Device(std::shared_ptr<vk::Context> context);  // by open and adopt
  Device(Device&&) noexcept = default;
  Device& operator=(Device&&) = delete;
  ~Device();

  const DeviceCaps& caps() const;

  /// 0 bytes: for arrays without elements. Throws ArgumentError with what `reasons_against_buffer` says, DeviceError
  /// (kOutOfMemory) with the numbers where the device's memory has no room. The driver is not asked
  /// for a buffer that is known not to fit: some grant memory that does not exist.
  Buffer buffer(std::uint64_t bytes);

  /// Throws KernelError with every reason where the device cannot run the kernel; DeviceError.
  /// May take seconds where the driver compiles; later runs find the result in the cache.
  Pipeline load(const CompiledKernel& kernel);

  /// Checks buffers and arguments, and binds them. `buffers` in the order of
  /// KernelInterface::bindings. Throws ArgumentError with every reason before any Vulkan call, but for those
  /// that ask a VkBuffer of yours for its size and its address.
  Launch prepare(const Pipeline& pipeline, const std::vector<BufferView>& buffers,
                 const Arguments& arguments);

  /// Runs after all that was submitted before, and sees its results. Does not wait.
  Pending submit(const Launch& launch);

  /// Runs and waits. Returns microseconds: of the device's clock, else of the host's. One run on an
  /// idle device is slow, and its time varies: to measure, see timing.hpp.
  double run(const Launch& launch);
  double run(const Pipeline& pipeline, const std::vector<BufferView>& buffers,
             const Arguments& arguments) {
    return run(prepare(pipeline, buffers, arguments));
  }

  /// One line about the pipeline cache on disk: loaded, new, rebuilt and why, not saved and why.
  std::string cache_status() const;
  /// Writes the cache now rather than at the end. Never throws; `cache_status` says what happened.
  void save_cache() noexcept;

  const std::shared_ptr<vk::Context>& context() const { return context_; }  // the runtime's

 private:
  std::shared_ptr<vk::Context> context_;
};

}  // namespace vkmoye
