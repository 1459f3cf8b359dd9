// SPDX-License-Identifier: MIT
#pragma once
// A product compared with its definition, computed in f64.
//
// An element may differ from the definition by
//
//   c * (R + 3) * eps * (|alpha| * sum |a||b| + |beta||C|)  +  eps_result * |result|  +  tiny
//
// with R = K, and with R = min(K, 8 sqrt(K)) for the random inputs of a run, whose signs are as likely as not;
// c = 1, or 2 where f64 accumulates, since the reference then rounds as the kernel does. eps is
// the distance from 1 to the next number of the accumulator, twice the error of rounding to nearest:
// Vulkan lets a device truncate (Vulkan specification, "Precision and Operation of SPIR-V
// Instructions"). K products and sums round K times (Higham, Accuracy and Stability of Numerical
// Algorithms, 3.1), 3 more are for alpha, beta and their sum. Roundings of random signs add up as a random walk
// does (Higham, 2.8, "rule of thumb"): to sqrt(K), of which 8 times as much does not happen by chance; K alone
// would forgive a hundred times what a sound kernel does. tiny is the smallest normal number of
// accumulator and result, which a device may flush. What is not finite must be so alike. Where all
// numbers are whole and small, the result must be equal. Where matrix units multiply operands of two
// types, the wider is rounded to the other's, whose eps is added to (R + 3) * eps. What the steps of an
// epilogue add to the bound before the result is rounded stands in products/epilogue.hpp, with eps and tiny of the type of alpha, eps
// twice for f64.

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/products/data.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// Compares `result`, the bytes of C's buffer, with `data`. Sampled: some rows and some columns
/// of C in full, of some matrices of the batch. What lies between the elements of C must be as it
/// was.
Verdict check_gemm(const GemmData& data, const GemmProblem& problem, const Extents& size,
                   std::span<const std::byte> result, Verify verify, std::uint64_t seed);

}  // namespace vkmoye::bench
