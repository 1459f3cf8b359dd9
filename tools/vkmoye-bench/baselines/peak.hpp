// SPDX-License-Identifier: MIT
#pragma once
// Kernels that do one thing as fast as a device can, to measure its ceilings.
//
//   numbers    x(v) = a * x(v) + b             16 values in each of 256 threads, repeated
//   matrices   c(i,j) += a(i) * b(j)           2 x 4 matrices in each subgroup, repeated
//   l2         sum(v) += src(v, place)         each workgroup reads 2 MiB, in an order of its own
//   shared     sum(v) += held(v, place)        each workgroup reads 16 KiB of its own
//
// A round is 8 such steps. Each depends on the one before or on the round, and the result is stored, so that no
// compiler can remove them.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "baselines/copy.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::bench {

/// The steps of a round.
inline constexpr std::uint32_t kPeakSteps = 8;

/// The elements of each input of a kernel, as numbers.
using PeakInputs = std::vector<std::vector<double>>;

/// A kernel that measures one ceiling; its argument is "rounds".
struct PeakKernel {
  gen::ir::Kernel kernel;
  double work_of_a_round = 0;  // of all workgroups: operations, or bytes that are read
  /// The type and the number of elements of each input.
  std::vector<std::pair<ScalarType, std::uint64_t>> inputs = {};
  ScalarType result = ScalarType::f32;
  std::uint64_t output_bytes = 0;  // size of the output buffer, which follows the inputs

  /// The definition: what every workgroup writes after `rounds_to_check` rounds, exactly, if the inputs are whole
  /// numbers from `least` to `most`.
  std::int64_t rounds_to_check = 1, least = 0, most = 0;
  std::function<std::vector<double>(const PeakInputs& inputs)> definition = {};
};

/// Multiplies and adds numbers of `type`, which must be an accumulator type, in `groups` workgroups.
PeakKernel peak_of_numbers(ScalarType type, std::int64_t groups);

/// Multiplies the largest matrices that `device` has for products of `form`. Throws Unavailable if it has none.
PeakKernel peak_of_matrices(const gen::GemmForm& form, const DeviceCaps& device,
                            std::int64_t groups);

/// Reads an array that fits into the L2 of most GPUs, and into the L1 of none (peak_of_memory.cpp).
PeakKernel peak_of_l2(std::int64_t groups);

/// Reads shared memory (peak_of_memory.cpp).
PeakKernel peak_of_shared(std::int64_t groups);

/// The number of workgroups that fills the device several times.
std::int64_t groups_for_peak(const DeviceCaps& device);

/// Checks the kernel against its definition, then times it. Throws WrongResult; KernelError and DeviceError if the
/// device cannot run it.
TimedWork time_peak(Device& device, const PeakKernel& peak, TimingRules rules, std::uint64_t seed);

/// The time that `flops` would take at the peak of what the kernel of `run` uses: matrix units, or
/// arithmetic on its accumulator type. Throws Unavailable, KernelError, DeviceError.
Timing time_peak(const BaselineRun& run, const gen::GemmForm& form, double flops);

}  // namespace vkmoye::bench
