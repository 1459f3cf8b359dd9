// SPDX-License-Identifier: MIT
#pragma once
// Runs kernels on the host with the twin: no Vulkan, no clock. Faults that the twin finds are reported as damage.

#include <vector>

#include "devices/execution.hpp"
#include "vkmoye/gen/ir/arithmetic.hpp"

namespace vkmoye::bench {

class HostExecutor : public Executor {
 public:
  /// `arithmetic`: of the device that the twin stands for.
  explicit HostExecutor(const gen::ir::Arithmetic& arithmetic = {});

  std::vector<std::string> reasons_against(const RunPlan& plan) const override;
  std::unique_ptr<Execution> prepare(const RunPlan& plan) override;

 private:
  gen::ir::Arithmetic arithmetic_;
};

}  // namespace vkmoye::bench
