#pragma once
// Matrix products: see gemm_problem.hpp for what they are, gemm_check.hpp for when they are right.

#include "workloads/gemm_problem.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation products();

/// `problem` with `size` {M, N, K}. Throws ArgumentError as matrices_of.
std::unique_ptr<Workload> make_product(const Question& question, const GemmProblem& problem,
                                       const Extents& size);

}  // namespace vkmoye::bench
