// SPDX-License-Identifier: MIT
#pragma once
// Runs many products on a device: each kernel is described and loaded once.

#include <map>
#include <string>
#include <vector>

#include "devices/execution.hpp"
#include "gemm_device/random_problems.hpp"
#include "vkmoye/runtime/device.hpp"

namespace vkmoye::test {

/// A copy of `entry` that always returns the first kernel that it described: for problems of one form.
gen::KernelEntry describes_once(const gen::KernelEntry& entry);

class Products : public bench::Executor {
 public:
  /// `device` must outlive it.
  explicit Products(Device& device) : Executor(device.caps()), device_(device) {}

  std::vector<std::string> reasons_against(const bench::RunPlan& plan) const override;
  std::unique_ptr<bench::Execution> prepare(const bench::RunPlan& plan) override;

  /// The errors of the result, and writes outside it; empty: it is right. Checks every element up to 2^29
  /// multiplications, beyond that a sample of rows and columns. Throws Unavailable if the device cannot run it.
  std::string wrong(const Problem& problem, std::uint64_t seed);

 private:
  Device& device_;
  std::map<std::string, Pipeline> pipelines_;  // by the text of the kernel
};

}  // namespace vkmoye::test
