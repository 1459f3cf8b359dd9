// SPDX-License-Identifier: MIT
#pragma once
// Matrix products: see products/problem.hpp for what they are, products/check.hpp for when they are right.

#include "workloads/operation.hpp"
#include "workloads/products/packed_workload.hpp"
#include "workloads/products/problem.hpp"

namespace vkmoye::bench {

Operation products();

/// The problem that the options `values` and `type` say. Throws ArgumentError.
GemmProblem read_product(const gen::Options& values, const std::string& type);

/// Which kernel of the question's entry computes `problem` with `size` {M, N, K}.
gen::KernelRequest request_of(const Question& question, const GemmProblem& problem,
                              const Extents& size);

/// `problem` with `size` {M, N, K}. Throws ArgumentError as matrices_of.
std::unique_ptr<Workload> make_product(const Question& question, const GemmProblem& problem,
                                       const Extents& size);

/// What `pack` makes of an array: operand A or B of the product that the question's options mean. Throws
/// ArgumentError with every reason.
OperandToPack operand_to_pack(const Question& question, bool is_a, const GivenArray& array);

}  // namespace vkmoye::bench
