// SPDX-License-Identifier: MIT
#pragma once
// Products on a device, as tests run many of them: each kernel is described and loaded once.

#include <map>
#include <string>
#include <vector>

#include "gemm_device/random_problems.hpp"
#include "vkmoye/runtime/device.hpp"
#include "workloads/devices/execution.hpp"

namespace vkmoye::test {

/// `entry` as before, but it describes the first kernel that it is asked for again and again: for
/// problems of one form.
gen::KernelEntry describes_once(const gen::KernelEntry& entry);

class Products : public bench::Executor {
 public:
  /// `device` outlives it.
  explicit Products(Device& device) : device_(device), caps_(device.caps()) {}

  const DeviceCaps& caps() const override { return caps_; }
  void know(const FragmentOrder& order) override { caps_.fragment_orders.push_back(order); }
  std::vector<std::string> reasons_against(const bench::Plan& plan) const override;
  std::unique_ptr<bench::Execution> prepare(const bench::Plan& plan) override;

  /// How the result differs from the definition, and what was written elsewhere; empty: it is right. Every
  /// element is compared up to 2^29 multiplications, beyond that a sample of rows and columns.
  /// Throws Unavailable where the device cannot run it.
  std::string wrong(const Problem& problem, std::uint64_t seed);

 private:
  Device& device_;
  DeviceCaps caps_;
  std::map<std::string, Pipeline> pipelines_;  // by the kernel's text
};

}  // namespace vkmoye::test
