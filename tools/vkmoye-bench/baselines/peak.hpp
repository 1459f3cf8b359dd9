// SPDX-License-Identifier: MIT
#pragma once
// The peak of arithmetic: chains of multiply-adds whose operands stay in registers.
//
//   numbers    x(v) = a * x(v) + b             16 values in each of 256 threads, repeated
//   matrices   c(i,j) += a(i) * b(j)           2 x 4 matrices in each subgroup, repeated
//
// A round is 8 such steps. Each depends on the one before, and the result is stored, so that no compiler can remove
// them.

#include <cstdint>
#include <utility>
#include <vector>

#include "baselines/baseline_run.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::bench {

/// A kernel of such chains; its argument is "rounds".
struct PeakKernel {
  gen::ir::Kernel kernel;
  double flops_of_a_round = 0;
  /// The type and the number of elements of each input.
  std::vector<std::pair<ScalarType, std::uint64_t>> inputs;
  std::uint64_t output_bytes = 0;  // size of the output buffer, which follows the inputs
};

/// For numbers of `type`, which must be an accumulator type, with `groups` workgroups.
PeakKernel peak_of_numbers(ScalarType type, std::int64_t groups);

/// For the largest matrices that `device` has for products of `form`. Throws Unavailable if it has none.
PeakKernel peak_of_matrices(const gen::GemmForm& form, const DeviceCaps& device,
                            std::int64_t groups);

/// The time that `flops` would take at the peak of the units that the kernel of `run` uses: matrix units, or
/// arithmetic on its accumulator type. Throws Unavailable.
Timing time_peak(const BaselineRun& run, const gen::GemmForm& form, double flops);

}  // namespace vkmoye::bench
