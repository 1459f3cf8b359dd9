// SPDX-License-Identifier: MIT
#pragma once
// Kernels on the host, by the twin: no Vulkan, no clock; whatever the twin sees wrong is damage.

#include <vector>

#include "workloads/devices/execution.hpp"

namespace vkmoye::bench {

class HostExecutor : public Executor {
 public:
  HostExecutor();

  const DeviceCaps& caps() const override { return caps_; }
  void know(const FragmentOrder& order) override { caps_.fragment_orders.push_back(order); }
  std::vector<std::string> reasons_against(const Plan& plan) const override;
  std::unique_ptr<Execution> prepare(const Plan& plan) override;

 private:
  DeviceCaps caps_;
};

}  // namespace vkmoye::bench
