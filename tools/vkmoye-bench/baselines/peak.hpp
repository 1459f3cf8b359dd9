// SPDX-License-Identifier: MIT
#pragma once
// The ceiling of arithmetic: chains of multiply-adds whose operands stay in registers.
//
//   numbers    x(v) = a * x(v) + b             16 values of each of 256 threads, round after round
//   matrices   c(i,j) += a(i) * b(j)           2 x 4 matrices of each subgroup, likewise
//
// A round is 8 such steps. Each needs the one before it, and what comes out is stored: no compiler can leave it out.

#include <cstdint>
#include <utility>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// A kernel of such chains, whose argument is "rounds".
struct PeakKernel {
  gen::ir::Kernel kernel;
  double flops_of_a_round = 0;
  std::vector<std::pair<ScalarType, std::uint64_t>> inputs;  // type and elements of each
  std::uint64_t output_bytes = 0;                            // of the buffer behind them
};

/// Of numbers of `type`, which is one that sums are made of, in so many workgroups.
PeakKernel peak_of_numbers(ScalarType type, std::int64_t groups);

/// Of the largest matrices that `device` has for products of `form`. Throws Unavailable where it has none.
PeakKernel peak_of_matrices(const gen::GemmForm& form, const DeviceCaps& device,
                            std::int64_t groups);

/// The time that `flops` would take at the ceiling of what the kernel of `run` computes with: matrices,
/// or numbers of the type that it sums up in. Throws Unavailable.
Timing time_peak(const BaselineRun& run, const gen::GemmForm& form, double flops);

}  // namespace vkmoye::bench
