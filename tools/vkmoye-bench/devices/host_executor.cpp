// SPDX-License-Identifier: MIT
#include "devices/host_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/specialisation.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::bench {
namespace {

// Takes about a minute.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 28;
// The most bytes of an array that is filled, read and checked.
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 24;
// The most bytes of all arrays together, including those before the first elements (--offset-a).
constexpr std::uint64_t kMaxBytesInAll = std::uint64_t{1} << 31;
constexpr std::byte kPoison{0xff};  // NaN, so that reading a poisoned element changes the result

class HostExecution : public Execution {
 public:
  HostExecution(const DeviceCaps& caps, const gen::ir::Arithmetic& arithmetic, RunPlan plan)
      : Execution(plan), caps_(caps), arithmetic_(arithmetic), plan_(std::move(plan)) {
    for (const Array& array : plan_.arrays)
      memory_.emplace_back(array.bytes, array.is_zero ? std::byte{0} : kPoison);
  }

  void write(std::size_t array, std::span<const std::byte> from, std::uint64_t offset) override {
    std::copy(from.begin(), from.end(),
              memory_[array].begin() + static_cast<std::ptrdiff_t>(offset));
  }
  void read(std::size_t array, std::span<std::byte> to, std::uint64_t offset) const override {
    std::copy_n(memory_[array].begin() + static_cast<std::ptrdiff_t>(offset), to.size(),
                to.begin());
  }
  void run() override {
    reasons_.clear();
    for (const Step& step : plan_.steps) run(step);
  }
  const DeviceCaps& caps() const override { return caps_; }
  std::string damage() const override { return join(reasons_, "; "); }

 private:
  // The groups of an indirect step follow from the sizes that it reads; none, if the step before refused these.
  bool has_groups(const Step& step) const {
    if (!step.indirect) return true;
    std::array<std::uint32_t, 3> groups = {};
    read(*step.indirect, std::as_writable_bytes(std::span(groups)), /*offset=*/0);
    return std::count(groups.begin(), groups.end(), 0u) == 0;
  }

  void run(const Step& step) {
    if (!has_groups(step)) return;
    const KernelInterface interface = interface_of(step.kernel);
    std::vector<gen::HostArray> buffers;
    for (std::size_t i = 0; i < step.arrays.size(); ++i) {
      const std::size_t array = step.arrays[i];
      const Binding& binding = interface.bindings[i];
      buffers.push_back(
          std::span(memory_[array])
              .subspan(plan_.arrays[array].offset,
                       element_count(binding, step.arguments) * size_of(binding.type)));
    }
    try {
      const auto report = gen::run_on_host(step.kernel, buffers, step.arguments,
                                           {.most_steps = kMaxSteps, .arithmetic = arithmetic_});
      reasons_.insert(reasons_.end(), report.reasons.begin(), report.reasons.end());
    } catch (const gen::TooManySteps& error) {
      throw Unavailable(error.what());
    }
  }

  const DeviceCaps& caps_;
  gen::ir::Arithmetic arithmetic_;
  RunPlan plan_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::string> reasons_;
};

DeviceCaps host_caps() {
  DeviceCaps caps = common_device();
  caps.name = "host";
  caps.driver = "the twin";
  caps.api = "none";
  caps.kind = DeviceKind::cpu;
  caps.max_shared_bytes = 65536;
  caps.features.add(Feature::cooperative_matrix);
  for (const char* sum : {"f32", "f16"}) {
    caps.matrix_shapes.push_back({16, 16, 16, "f16", "f16", sum, sum, "subgroup"});
  }
  caps.features.add(Feature::bf16_matrix);
  caps.matrix_shapes.push_back({16, 16, 16, "bf16", "bf16", "f32", "f32", "subgroup"});
  caps.resident_groups = 8;
  return caps;
}

}  // namespace

HostExecutor::HostExecutor(const gen::ir::Arithmetic& arithmetic)
    : Executor(host_caps()), arithmetic_(arithmetic) {}

std::vector<std::string> HostExecutor::reasons_against(const RunPlan& plan) const {
  std::vector<std::string> reasons = reasons_against_arrays(plan);
  std::uint64_t total = 0;
  for (const Array& array : plan.arrays) total += array.bytes;
  if (total > kMaxBytesInAll) {
    reasons.push_back(fmt::format("the arrays have {} bytes in all, the host takes at most {}",
                                  total, kMaxBytesInAll));
  }
  for (const Step& step : plan.steps) {
    const KernelInterface kernel = interface_of(step);
    if (step.compiled) reasons.push_back("the host runs kernels of the registry, but not SPIR-V");
    if (step.kernel.hand_written) {
      reasons.push_back("its shader was written by hand, and only devices run GLSL");
    }
    add_all(reasons, vkmoye::reasons_against(kernel, caps()));
    add_all(reasons, reasons_against_specialised(kernel, step.arguments));
    for (const Binding& binding : kernel.bindings) {
      try {
        const std::uint64_t count = element_count(binding, step.arguments);
        if (count <= kMaxElements) continue;
        reasons.push_back(fmt::format("{} has {} elements, the host takes at most {}", binding.name,
                                      count, kMaxElements));
      } catch (const ArgumentError& error) {
        reasons.push_back(error.what());
      }
    }
  }
  return reasons;
}

std::unique_ptr<Execution> HostExecutor::prepare(const RunPlan& plan) {
  return std::make_unique<HostExecution>(caps(), arithmetic_, plan);
}

}  // namespace vkmoye::bench
