// SPDX-License-Identifier: MIT
#pragma once
// Drivers are not trusted. Some compile for absent GPUs, accept every submit and execute nothing. And each matrix shape
// that a driver reports is tried once, and is never used if the result is wrong.
//
//   16x16x16  f16 * f16 + f32 -> f32  subgroup, of 32 lanes
//     A by rows and by columns times B by rows and by columns, whole numbers, through shared memory;
//     sums by rows and by columns: eight results, each element compared
//
// Verdicts are kept between runs, see devices/facts.hpp.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/facts.hpp"
#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/runtime/device.hpp"

namespace vkmoye::bench {

/// Runs a kernel with a known result. Throws DeviceError (kNoDevice) if it did not change memory, and errors of the
/// driver.
void require_execution(Device& device);

/// The product of the trial. nullopt: vkmoye has no kernel for these types, scope or lanes.
std::optional<gen::ir::Kernel> matrix_trial(const MatrixShape& shape, std::uint32_t lanes);

using Compile = std::function<CompiledKernel(const gen::ir::Kernel&)>;

/// Runs the trial. Returns the first wrong element of each result; empty: all are right. Precondition: there is a
/// trial, and the device reports the shape. Throws DeviceError.
std::string try_matrices(Device& device, const MatrixShape& shape, std::uint32_t lanes,
                         const Compile& compile);

/// The verdicts of trials, kept between runs.
class MatrixVerdicts {
 public:
  explicit MatrixVerdicts(DeviceFacts facts) : facts_(std::move(facts)) {}

  /// The result of try_matrices; nullopt: the shape was not tried with this driver.
  std::optional<std::string> find(const DeviceCaps& caps, const MatrixShape& shape,
                                  std::uint32_t lanes) const;
  void store(const DeviceCaps& caps, const MatrixShape& shape, std::uint32_t lanes,
             const std::string& wrong) const;

  /// The verdicts for each number of lanes, in order.
  struct LaneVerdict {
    std::uint32_t lanes;
    std::string wrong;
  };
  std::vector<LaneVerdict> all_of(const DeviceCaps& caps, const MatrixShape& shape) const;

 private:
  DeviceFacts facts_;
};

/// Why this device must not run the matrices of a kernel. Runs a trial unless a verdict is kept; shapes without a
/// trial are rejected as well. Empty: all are right.
std::vector<std::string> reasons_against_matrices(Device& device, const KernelInterface& kernel,
                                                  const MatrixVerdicts& verdicts);

}  // namespace vkmoye::bench
