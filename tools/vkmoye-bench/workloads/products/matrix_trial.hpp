// SPDX-License-Identifier: MIT
#pragma once
// No driver is trusted: what it says that its matrix units multiply is tried once, and what is wrong
// is never used.
//
//   16x16x16  f16 * f16 + f32 -> f32  subgroup, of 32 lanes
//     A by rows and by columns times B by rows and by columns, whole numbers, through shared memory;
//     sums by rows and by columns: eight results, each element compared
//
// Verdicts are kept, see devices/facts.hpp.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/runtime/device.hpp"
#include "workloads/devices/facts.hpp"

namespace vkmoye::bench {

/// The product that is tried. Nothing: vkmoye has no kernel for these types, scope or lanes.
std::optional<gen::ir::Kernel> matrix_trial(const MatrixShape& shape, std::uint32_t lanes);

using Compile = std::function<CompiledKernel(const gen::ir::Kernel&)>;

/// What the device multiplies wrong, the first element of each result; empty: all of it is right.
/// Precondition: there is a trial, and the device says that it has the shape. Throws DeviceError.
std::string try_matrices(Device& device, const MatrixShape& shape, std::uint32_t lanes,
                         const Compile& compile);

/// What came of the trials, kept between starts.
class MatrixVerdicts {
 public:
  explicit MatrixVerdicts(DeviceFacts facts) : facts_(std::move(facts)) {}

  /// Of try_matrices; nothing: the shape was not tried with this driver.
  std::optional<std::string> of(const DeviceCaps& caps, const MatrixShape& shape,
                                std::uint32_t lanes) const;
  void keep(const DeviceCaps& caps, const MatrixShape& shape, std::uint32_t lanes,
            const std::string& wrong) const;

  /// For whatever number of lanes the device has, in order: what is wrong, or nothing.
  struct OfLanes {
    std::uint32_t lanes;
    std::string wrong;
  };
  std::vector<OfLanes> all_of(const DeviceCaps& caps, const MatrixShape& shape) const;

 private:
  DeviceFacts facts_;
};

/// Why the matrices of a kernel are not to be used on this device: tried now, unless a verdict was
/// kept. What has no trial is not used either. Empty: they are right.
std::vector<std::string> reasons_against_matrices(Device& device, const KernelInterface& kernel,
                                                  const MatrixVerdicts& verdicts);

}  // namespace vkmoye::bench
