// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "baselines/baselines.hpp"
#include "baselines/cublas.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/passes/access_pattern.hpp"
#include "workloads/devices/device_executor.hpp"
#include "workloads/number.hpp"

namespace vkmoye::bench {
namespace {

std::vector<std::byte> bytes_of(const GuardedBuffer& buffer) {
  std::vector<std::byte> bytes(buffer.bytes());
  buffer.read(bytes);
  return bytes;
}

// What stands in dst afterwards. Not read from there, where another baseline may have written.
std::vector<std::byte> moved(const std::vector<std::byte>& input, std::size_t width,
                             const MoveMap& map) {
  std::vector<std::byte> out(input.size());
  for (std::uint64_t i = 0; i < map.elements(); ++i) {
    std::memcpy(&out[i * width], &input[map.source_of(i) * width], width);
  }
  return out;
}

// cuBLAS multiplies by 1, which may make another NaN of a NaN.
void require_equal(ScalarType type, const std::vector<std::byte>& expected,
                   const std::vector<std::byte>& got) {
  if (expected == got) return;
  const std::size_t width = size_of(type);
  if (type != ScalarType::f32 && type != ScalarType::f64) throw Unavailable("its result is wrong");
  for (std::size_t at = 0; at < got.size(); at += width) {
    if (std::memcmp(&expected[at], &got[at], width) == 0) continue;
    const double e = load_number(type, &expected[at]), g = load_number(type, &got[at]);
    if (e == g || (std::isnan(e) && std::isnan(g))) continue;
    throw Unavailable(fmt::format("its element {} is {}, not {}", at / width, g, e));
  }
}

Timing time_cuda(const std::string& name, const GuardedBuffer& from, const TimeOptions& times,
                 ScalarType type, const MoveMap& map) {
  const bool is_copy = name == "cudamemcpy";
  const Cuda cuda;
  const std::vector<std::byte> input = bytes_of(from);
  const std::vector<std::byte> expected = is_copy ? input : moved(input, size_of(type), map);
  const CudaBuffer src(cuda, input);
  const CudaBuffer dst(cuda, std::vector(input.size(), GuardedBuffer::kPoison));
  const auto timed = [&](const std::function<void()>& call) {
    call();
    require_equal(type, expected, dst.read());
    return cuda.time(times, call);
  };
  if (is_copy) return timed([&] { cuda.copy(dst.at(), src.at(), input.size()); });
  const Cublas cublas(cuda);
  return timed([&] { cublas.transpose(type, map.src[0], map.src[1], src.at(), dst.at()); });
}

Timing time_copy(Device& device, const GuardedBuffer& src, const GuardedBuffer& dst,
                 ScalarType type, std::uint64_t elements, const TimingRules& rules) {
  const gen::ir::Kernel copy =
      gen::find_kernel("copy/auto")
          ->describe({.type = type, .device = device.caps(), .elements = elements});
  const Pipeline pipeline = device.load(gen::compile(copy));
  // As many elements, whatever their rows.
  const Arguments arguments = {{"rows", 1}, {"cols", elements}};
  const Launch launch = device.prepare(pipeline, {src.view(), dst.view()}, arguments);
  return time_launches(device, {&launch, 1}, rules);
}

// What it leaves in dst is compared with nothing: no definition says what should stand there.
Timing time_pattern(Device& device, const GuardedBuffer& src, const GuardedBuffer& dst,
                    const BaselineRun& run) {
  if (run.step.compiled) throw Unavailable("SPIR-V does not tell the accesses apart");
  try {
    const Pipeline pipeline = device.load(gen::compile(gen::access_pattern(run.step.kernel)));
    const Launch launch = device.prepare(pipeline, {src.view(), dst.view()}, run.step.arguments);
    return time_launches(device, {&launch, 1}, run.rules);
  } catch (const KernelError& error) {
    throw Unavailable(join(error.reasons, "; "));
  }
}

}  // namespace

Timing time_move_baseline(const std::string& name, const BaselineRun& run, ScalarType type,
                          const MoveMap& map) {
  Device& device = run.execution.device();
  const GuardedBuffer &src = run.execution.buffers()[0], &dst = run.execution.buffers()[1];
  if (name == kPatternBaseline) return time_pattern(device, src, dst, run);
  if (name == "copy") return time_copy(device, src, dst, type, map.elements(), run.rules);
  require_warm(run.rules);
  return sample_until_quiet(run.rules, [&](const TimeOptions& times) {
    if (name == "vkcmdcopy") return measure_copy(device, src.payload(), dst.payload(), times);
    return time_cuda(name, src, times, type, map);
  });
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
