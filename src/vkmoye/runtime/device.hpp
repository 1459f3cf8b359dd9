// SPDX-License-Identifier: MIT
#pragma once
// A Vulkan device that runs kernels.
//
//   Device device = Device::open();                    // or open("llvmpipe"), open("0")
//   Pipeline kernel = device.load(code);
//   Buffer a = device.buffer(bytes), b = device.buffer(bytes);
//   double microseconds = device.run(kernel, {a, b}, {{"rows", 2048}, {"cols", 1023}});
//
// There are three levels: record into your own command buffer (vulkan.hpp), submit, run.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/runtime/buffer.hpp"
#include "vkmoye/runtime/launch.hpp"
#include "vkmoye/runtime/pipeline.hpp"
#include "vkmoye/runtime/values/open_options.hpp"

namespace vkmoye {

struct AdoptedDevice;

/// Every Vulkan device of this machine, in the order of the indices that Device::open takes. DeviceCaps::why_unusable
/// is set for those that vkmoye cannot use. Never empty: throws DeviceError (kNoDevice) if there is no Vulkan loader,
/// no driver or no device.
std::vector<DeviceCaps> list_devices();

/// Thread-safe. After a time-out it accepts no more work, see OpenOptions::wait_seconds: open another one. Objects
/// that were made from it may outlive it, but cannot be run any more. The destructor waits for submitted work, at
/// most OpenOptions::wait_seconds for each submission, and saves the pipeline cache.
class Device {
 public:
  /// `selector`: a whole number is always an index into list_devices; other text is a part of the name, in any case;
  /// empty: the first discrete GPU, else integrated, else virtual, else CPU, else other. Throws ArgumentError with
  /// the list of devices if none matches, DeviceError (kNoDevice) if there is no device or the chosen one cannot be
  /// used.
  static Device open(std::string_view selector = {}, const OpenOptions& options = {});

  /// Uses your own device, see vulkan.hpp. Does not destroy any of your objects.
  static Device adopt(const AdoptedDevice& theirs, const OpenOptions& options = {});

  explicit Device(std::shared_ptr<vk::Context> context);  // for open and adopt
  Device(Device&&) noexcept = default;
  Device& operator=(Device&&) = delete;
  ~Device();

  const DeviceCaps& caps() const;

  /// Allocates a buffer; one of 0 bytes is for arrays without elements. Throws ArgumentError with the reasons of
  /// `reasons_against_buffer`, DeviceError (kOutOfMemory) with the numbers if the device does not have enough memory.
  /// A buffer that is known not to fit is refused without calling the driver: some drivers return memory that does
  /// not exist. `name` is for debuggers (OpenOptions::debug_names).
  Buffer buffer(std::uint64_t bytes, std::string_view name = {});

  /// `values`: one for each specialised argument of the kernel (KernelInterface::specialised), from 1 to 2^32-1. The
  /// pipeline is for these values; a launch may leave them out. Throws KernelError with every reason if the device
  /// cannot run the kernel; ArgumentError with every reason if values are missing, unknown or out of range;
  /// DeviceError. May take seconds if the driver has to compile; later runs find the result in the cache.
  Pipeline load(const CompiledKernel& kernel, const Arguments& values = {});

  /// Checks buffers and arguments, and binds them. `buffers` are in the order of KernelInterface::bindings. Throws
  /// ArgumentError with every reason; no Vulkan function is called before, except those that return the size and
  /// the address of your own VkBuffer.
  Launch prepare(const Pipeline& pipeline, const std::vector<BufferView>& buffers,
                 const Arguments& arguments);

  /// Runs after all work submitted before, and sees its results. Does not wait.
  Pending submit(const Launch& launch);

  /// Runs and waits. Returns the time in microseconds, by the device's clock if it has one, else by the host's. A
  /// single run on an idle device is slow, and its time varies: use timing.hpp to measure.
  double run(const Launch& launch);
  double run(const Pipeline& pipeline, const std::vector<BufferView>& buffers,
             const Arguments& arguments) {
    return run(prepare(pipeline, buffers, arguments));
  }

  /// One line about the pipeline cache: loaded, new, rebuilt and why, not saved and why, none on disk and why.
  std::string cache_status() const;
  /// Writes the cache now rather than at the end. Never throws; `cache_status` says what happened.
  void save_cache() noexcept;

  const std::shared_ptr<vk::Context>& context() const { return context_; }  // for the runtime

 private:
  std::shared_ptr<vk::Context> context_;
};

}  // namespace vkmoye
