// SPDX-License-Identifier: MIT
#pragma once
// Checks a product against its definition, which is computed in f64.
//
// An element may differ from the definition by
//
//   c * (R + 3) * eps * (|alpha| * sum |a||b| + |beta||C|)  +  eps_result * |result|  +  tiny
//
// R = K in general, and R = min(K, 8 sqrt(K)) for the random inputs of `run`, whose signs are random. c = 1, or 2
// for f64 accumulators, since the reference then has the same rounding errors as the kernel. eps is the distance from
// 1 to the next number of the accumulator type, twice the error of rounding to nearest, since Vulkan allows a device
// to truncate (Vulkan specification, "Precision and Operation of SPIR-V Instructions"). K multiply-adds round K times
// (Higham, Accuracy and Stability of Numerical Algorithms, 3.1); the 3 is for alpha, beta and their sum. Rounding
// errors of random signs add up like a random walk (Higham, 2.8, "rule of thumb"): to sqrt(K), and practically never
// to 8 sqrt(K); the bound with R = K would be a hundred times the error of a correct kernel. tiny is the sum of the
// smallest normal numbers of accumulator and result, which a device may flush. NaN and infinity must be equal. If all
// numbers are small whole numbers, the result must be exact. If matrix units multiply operands of two types, the
// wider one is rounded to the type of the other, whose eps is added to (R + 3) * eps. products/epilogue.hpp has
// the bounds of the steps of an epilogue, with eps and tiny of the type of alpha, and twice the eps for f64.
//
// Hard numbers have R = K, and besides
//
//   |alpha| * (the errors of the operands, products/hard_sum.hpp)  +  (K + 3) * max(1, |alpha|) * tiny
//
// tiny here is the smallest normal number of the accumulator, as each partial sum may be flushed. Each partial sum
// lies between the sum of all negative terms and that of all positive ones: if these are beyond the largest number of
// the accumulator, times alpha and with beta * C beyond that of the type of alpha, the result may be infinite, NaN if
// both are, and whatever the epilogue makes of that. It may be any of these if an operand is beyond the largest number
// of the type that it is rounded to. No other result may. Weights are numbers of f32 (gen/kernels/common/quantise.hpp).
// i32 and u32 are taken modulo 2^32.

#include <cstdint>
#include <span>
#include <vector>

#include "vkmoye/gen/problems/problem.hpp"
#include "vkmoye/gen/problems/products/data.hpp"

namespace vkmoye::gen {

/// Whether the kernel may round the wider one of operands with two types to the type of the other.
enum class WiderOperand : std::uint8_t { kept, rounded };

/// Checks `result`, the bytes of C's buffer, against the definition for `data`. Sampled: some full rows and some full
/// columns of C, in some matrices of the batch. Bytes between the elements of C must be unchanged.
CheckResult check_gemm(const GemmData& data, const GemmOptions& problem, const Extents& size,
                       std::span<const std::byte> result, Verify verify, std::uint64_t seed,
                       WiderOperand wider = WiderOperand::kept);

}  // namespace vkmoye::gen
