#pragma once
// Matrix products: see gemm_problem.hpp for what they are, gemm_check.hpp for when they are right.

#include <memory>

#include "workloads/gemm_options.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// Precondition: a product, with three extents. Throws ArgumentError as matrices_of.
std::unique_ptr<Workload> make_gemm(const Problem& problem);

/// See problem_of. Takes A and B, and C if beta is not 0; arrays of three dimensions are batches.
Problem gemm_of(const gen::KernelEntry& entry, const gen::Options& config,
                const GemmOptions& options, const std::string& type,
                const std::vector<GivenArray>& given);

}  // namespace vkmoye::bench
