// SPDX-License-Identifier: MIT
#include "baselines/products.hpp"

#include <fmt/format.h>

#include <chrono>

#include "baselines/cublas.hpp"
#include "baselines/openblas.hpp"
#include "devices/time_launches.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/gen/problems/products/check.hpp"

namespace vkmoye::bench {
namespace {

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

}  // namespace

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

}  // namespace vkmoye::bench
