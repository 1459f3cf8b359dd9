// SPDX-License-Identifier: MIT
#pragma once
// A device that keeps the pipelines of the last kernels, so that problems of one form share them.

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "devices/device_executor.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/ir/identical.hpp"

namespace vkmoye::test {

class KeptPipelines : public bench::Executor {
 public:
  explicit KeptPipelines(Device& device) : Executor(device.caps()), device_(device) {}

  std::vector<std::string> reasons_against(const bench::RunPlan& plan) const override {
    return bench::reasons_against(caps(), plan);
  }
  std::unique_ptr<bench::Execution> prepare(const bench::RunPlan& plan) override {
    std::vector<Pipeline> kernels;
    for (const bench::Step& step : plan.steps) kernels.push_back(pipeline(step.kernel));
    return std::make_unique<bench::DeviceExecution>(device_, plan, std::move(kernels));
  }

 private:
  const Pipeline& pipeline(const gen::ir::Kernel& kernel) {
    const auto found = std::ranges::find_if(
        pipelines_, [&](const auto& kept) { return gen::ir::identical(kept.first, kernel); });
    if (found != pipelines_.end()) return found->second;
    if (pipelines_.size() == 32) pipelines_.pop_back();
    return pipelines_.emplace_front(kernel, device_.load(gen::compile(kernel))).second;
  }

  Device& device_;
  std::deque<std::pair<gen::ir::Kernel, Pipeline>> pipelines_;
};

}  // namespace vkmoye::test
