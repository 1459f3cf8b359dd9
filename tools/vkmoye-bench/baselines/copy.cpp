// SPDX-License-Identifier: MIT
#include "baselines/copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "devices/device_executor.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/numbers/random.hpp"

namespace vkmoye::bench {

namespace {

Launch launch_of_copy(Device& device, const GuardedBuffer& src, const GuardedBuffer& dst,
                      ScalarType type, std::uint64_t elements) {
  gen::ElementsForm form(type);
  form.elements = elements;
  const gen::ir::Kernel copy =
      gen::find_kernel("copy/auto")->describe({.form = form, .device = device.caps()});
  const Pipeline pipeline = device.load(gen::compile(copy));
  // All elements as one row.
  const Arguments arguments = {{"rows", 1}, {"cols", elements}};
  return device.prepare(pipeline, {src.view(), dst.view()}, arguments);
}

}  // namespace

Timing time_copy(Device& device, const GuardedBuffer& src, const GuardedBuffer& dst,
                 ScalarType type, std::uint64_t elements, const TimingRules& rules) {
  const Launch launch = launch_of_copy(device, src, dst, type, elements);
  return time_launches(device, {&launch, 1}, rules);
}

Timing time_copy_of(std::uint64_t bytes, const BaselineRun& run) {
  constexpr ScalarType kType = ScalarType::f32;
  const std::uint64_t elements = std::max<std::uint64_t>(1, bytes / 2 / size_of(kType));
  Device& device = run.execution.device();
  const GuardedBuffer src(device, elements * size_of(kType));
  const GuardedBuffer dst(device, elements * size_of(kType));
  return time_copy(device, src, dst, kType, elements, run.rules);
}

TimedWork time_copy_of_memory(Device& device, const TimingRules& rules, std::uint64_t seed) {
  constexpr ScalarType kType = ScalarType::f32;
  // Both arrays together are four times as large as the largest known cache of a GPU (256 MiB).
  constexpr std::uint64_t kMost = std::uint64_t{512} << 20, kMostOfCpu = std::uint64_t{120} << 20;
  constexpr std::uint64_t kChecked = std::uint64_t{1} << 20;  // bytes of each part
  const DeviceCaps& caps = device.caps();
  const std::uint64_t most = caps.kind == DeviceKind::cpu ? kMostOfCpu : kMost;
  // Without the guards, which take less than a MiB.
  const std::uint64_t allowed = std::min({caps.max_storage_buffer_bytes, caps.max_buffer_bytes,
                                          caps.device_memory_bytes / 8}) /
                                kChecked;
  const std::uint64_t bytes =
      std::min(most / kChecked, allowed - std::min<std::uint64_t>(allowed, 1)) * kChecked;
  if (bytes == 0) throw Unavailable("the device has too little memory");
  GuardedBuffer src(device, bytes), dst(device, bytes);
  const Launch launch = launch_of_copy(device, src, dst, kType, bytes / size_of(kType));
  const std::uint64_t places[] = {0, bytes / kChecked / 2 * kChecked, bytes - kChecked};
  std::vector<std::byte> sent(kChecked), found(kChecked);
  for (const std::uint64_t place : places) {
    gen::fill_random(sent, size_of(kType), seed, place / size_of(kType));
    src.write(sent, place);
  }
  device.run(launch);
  for (const std::uint64_t place : places) {
    gen::fill_random(sent, size_of(kType), seed, place / size_of(kType));
    dst.read(found, place);
    if (found != sent)
      throw WrongResult(fmt::format("its result is wrong in the MiB from byte {} on", place));
  }
  TimedWork out{time_launches(device, {&launch, 1}, rules), 2.0 * static_cast<double>(bytes)};
  const std::string damage = dst.damage();
  if (!damage.empty()) throw WrongResult("dst: " + damage);
  return out;
}

}  // namespace vkmoye::bench
