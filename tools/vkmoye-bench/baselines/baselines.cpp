// SPDX-License-Identifier: MIT
#include "baselines/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "baselines/copy.hpp"
#include "baselines/peak.hpp"
#include "baselines/vendor.hpp"
#include "devices/device_executor.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/specialisation.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/passes/access_pattern.hpp"
#include "vkmoye/gen/problems/moves/moves.hpp"
#include "vkmoye/gen/problems/products/check.hpp"
#include "vkmoye/gen/problems/products/gemm_problem.hpp"

namespace vkmoye::bench {
namespace {

std::vector<std::byte> bytes_of(const GuardedBuffer& buffer) {
  std::vector<std::byte> bytes(buffer.bytes());
  buffer.read(bytes);
  return bytes;
}

// The expected contents of dst. Computed from the input, since another baseline may have written to dst.
std::vector<std::byte> moved(const std::vector<std::byte>& input, std::size_t width,
                             const gen::MoveMap& map) {
  std::vector<std::byte> out(input.size());
  for (std::uint64_t i = 0; i < map.elements(); ++i) {
    std::memcpy(&out[i * width], &input[map.source_of(i) * width], width);
  }
  return out;
}

// cuBLAS multiplies by 1, which may change the bits of a NaN.
void require_equal(ScalarType type, const std::vector<std::byte>& expected,
                   const std::vector<std::byte>& got) {
  if (expected == got) return;
  const std::size_t width = size_of(type);
  if (type != ScalarType::f32 && type != ScalarType::f64) throw Unavailable("its result is wrong");
  for (std::size_t at = 0; at < got.size(); at += width) {
    if (std::memcmp(&expected[at], &got[at], width) == 0) continue;
    const double e = gen::load_number(type, &expected[at]), g = gen::load_number(type, &got[at]);
    if (e == g || (std::isnan(e) && std::isnan(g))) continue;
    throw Unavailable(fmt::format("its element {} is {}, not {}", at / width, g, e));
  }
}

Timing time_cuda_copy(const std::vector<std::byte>& input, const TimeOptions& times) {
  const Cuda cuda;
  const CudaBuffer src(cuda, input);
  const CudaBuffer dst(cuda, std::vector(input.size(), GuardedBuffer::kPoison));
  const auto call = [&] { cuda.copy(dst.at(), src.at(), input.size()); };
  call();
  if (dst.read() != input) throw Unavailable("its result is wrong");
  return cuda.time(times, call);
}

Timing time_cublas_transpose(const std::vector<std::byte>& input, const TimeOptions& times,
                             ScalarType type, const gen::MoveMap& map) {
  const Cuda cuda;
  const CudaBuffer src(cuda, input);
  const CudaBuffer dst(cuda, std::vector(input.size(), GuardedBuffer::kPoison));
  const Cublas cublas(cuda);
  const auto call = [&] { cublas.transpose(type, map.src[0], map.src[1], src.at(), dst.at()); };
  call();
  require_equal(type, moved(input, size_of(type), map), dst.read());
  return cuda.time(times, call);
}

// The contents of dst are not verified: the pattern has no defined result.
Timing time_pattern(Device& device, const GuardedBuffer& src, const GuardedBuffer& dst,
                    const BaselineRun& run) {
  if (run.step.compiled) throw Unavailable("the pattern of a kernel given as SPIR-V is not known");
  const CompiledKernel kernel = gen::compile(gen::access_pattern(run.step.kernel));
  const Pipeline pipeline =
      device.load(kernel, specialised_among(kernel.interface, run.step.arguments));
  const Launch launch = device.prepare(pipeline, {src.view(), dst.view()}, run.step.arguments);
  return time_launches(device, {&launch, 1}, run.rules);
}

// A copy that converts is compared with copies of as many bytes, in buffers of their own.
Timing time_move_baseline(const std::string& name, const BaselineRun& run,
                          const gen::MoveProblem& move) {
  Device& device = run.execution.device();
  const GuardedBuffer &src = run.execution.buffers()[0], &dst = run.execution.buffers()[1];
  const bool converts = move.types().converts();
  const ScalarType type = move.types().src;
  const auto bytes = static_cast<std::uint64_t>(move.bytes);
  if (name == kPatternBaseline) return time_pattern(device, src, dst, run);
  if (name == "copy") {
    return converts ? time_copy_of(bytes, run)
                    : time_copy(device, src, dst, type, move.map().elements(), run.rules);
  }
  require_warm(run.rules);
  const std::uint64_t each = std::max<std::uint64_t>(4, bytes / 2 / 4 * 4);
  return sample_until_quiet(run.rules, [&](const TimeOptions& times) {
    if (name == "cublas") return time_cublas_transpose(bytes_of(src), times, type, move.map());
    if (name == "cudamemcpy") {
      return time_cuda_copy(converts ? std::vector(each, std::byte{1}) : bytes_of(src), times);
    }
    if (!converts) return measure_copy(device, src.payload(), dst.payload(), times);
    const GuardedBuffer from(device, each), to(device, each);
    return measure_copy(device, from.payload(), to.payload(), times);
  });
}

// The arrays before the run, and the check of a result.
class Inputs {
 public:
  Inputs(const BaselineRun& run, const gen::GemmOptions& problem, const Extents& size)
      : problem_(problem), size_(size), seed_(run.seed), data_(problem, size, run.seed) {}

  std::vector<std::byte> bytes(int which) const { return data_.bytes(which); }
  void require_right(std::span<const std::byte> result) const {
    const gen::CheckResult checked =
        gen::check_gemm(data_, problem_, size_, result, gen::Verify::sample, seed_);
    if (checked.mismatches > 0) throw Unavailable(fmt::format("its {}", checked.first));
  }

 private:
  const gen::GemmOptions& problem_;
  const Extents& size_;
  std::uint64_t seed_;
  gen::GemmData data_;
};

Timing time_cublas(const BaselineRun& run, const gen::GemmOptions& problem, const Extents& size) {
  const Cuda cuda;
  const Cublas cublas(cuda);
  const Inputs inputs(run, problem, size);
  const CudaBuffer A(cuda, inputs.bytes(0)), B(cuda, inputs.bytes(1)), C(cuda, inputs.bytes(2));
  const auto call = [&] { cublas.gemm(problem, size, A, B, C); };
  call();
  inputs.require_right(C.read());
  return sample_until_quiet(run.rules,
                            [&](const TimeOptions& times) { return cuda.time(times, call); });
}

Timing time_openblas(const BaselineRun& run, const gen::GemmOptions& problem, const Extents& size) {
  const OpenBlas openblas;
  const Inputs inputs(run, problem, size);
  const std::vector<std::byte> A = inputs.bytes(0), B = inputs.bytes(1);
  std::vector<std::byte> C = inputs.bytes(2);
  const auto call = [&] { openblas.gemm(problem, size, A, B, C); };
  call();
  inputs.require_right(C);
  const auto timed = [&](std::uint32_t count) {
    std::vector<double> times;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto start = std::chrono::steady_clock::now();
      call();
      times.push_back(
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
              .count());
    }
    return times;
  };
  return sample_until_quiet(
      run.rules, [&](const TimeOptions& options) { return sample(options, Clock::host, timed); });
}

Timing time_gemm_baseline(const std::string& name, const BaselineRun& run,
                          const gen::GemmOptions& problem, const Extents& size) {
  if (!problem.epilogue.empty()) {
    throw Unavailable(fmt::format("{} has no epilogues", name));
  }
  if (problem.experts > 0) throw Unavailable(fmt::format("{} has no experts", name));
  if (problem.weights != nullptr) {
    throw Unavailable(fmt::format("{} has no weights in {}", name, problem.weights->name));
  }
  require_warm(run.rules);
  return name == "cublas" ? time_cublas(run, problem, size) : time_openblas(run, problem, size);
}

}  // namespace

std::vector<std::string> baselines_of(const std::string& operation) {
  if (operation == "copy") return {"copy", "vkcmdcopy", "cudamemcpy"};
  if (operation == "transpose") {
    return {kPatternBaseline, "copy", "vkcmdcopy", "cudamemcpy", "cublas"};
  }
  if (operation == "relayout") return {kPatternBaseline, "copy", "vkcmdcopy", "cudamemcpy"};
  if (operation == "gemm") return {"cublas", "openblas", kPeakBaseline};
  return {"copy"};
}

Timing time_baseline(const std::string& name, const gen::Problem& problem, const BaselineRun& run) {
  return or_unavailable([&] {
    if (const auto* product = dynamic_cast<const gen::GemmProblem*>(&problem)) {
      if (name == kPeakBaseline) return time_peak(run, product->options().form(), product->flops);
      return time_gemm_baseline(name, run, product->options(), product->size);
    }
    if (const auto* move = dynamic_cast<const gen::MoveProblem*>(&problem)) {
      return time_move_baseline(name, run, *move);
    }
    return time_copy_of(static_cast<std::uint64_t>(problem.bytes), run);
  });
}

}  // namespace vkmoye::bench
