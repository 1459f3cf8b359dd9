// SPDX-License-Identifier: MIT
#include "baselines/copy.hpp"

#include <algorithm>

#include "devices/device_executor.hpp"
#include "devices/time_launches.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {

Timing time_copy(Device& device, const GuardedBuffer& src, const GuardedBuffer& dst,
                 ScalarType type, std::uint64_t elements, const TimingRules& rules) {
  const gen::ir::Kernel copy =
      gen::find_kernel("copy/auto")
          ->describe({.type = type, .device = device.caps(), .elements = elements});
  const Pipeline pipeline = device.load(gen::compile(copy));
  // All elements as one row.
  const Arguments arguments = {{"rows", 1}, {"cols", elements}};
  const Launch launch = device.prepare(pipeline, {src.view(), dst.view()}, arguments);
  return time_launches(device, {&launch, 1}, rules);
}

Timing time_copy_of(std::uint64_t bytes, const BaselineRun& run) {
  constexpr ScalarType kType = ScalarType::f32;
  const std::uint64_t elements = std::max<std::uint64_t>(1, bytes / 2 / size_of(kType));
  Device& device = run.execution.device();
  try {
    const GuardedBuffer src(device, elements * size_of(kType));
    const GuardedBuffer dst(device, elements * size_of(kType));
    return time_copy(device, src, dst, kType, elements, run.rules);
  } catch (const DeviceError& error) {
    if (error.kind != DeviceError::Kind::kOutOfMemory) throw;
    throw Unavailable(error.what());
  }
}

}  // namespace vkmoye::bench
