#pragma once
// What one row of `run` is about: a kernel and what it is applied to.

#include <cstdint>
#include <string>
#include <vector>

#include "io/parse.hpp"
#include "vkmoye/gen/kernels/registry.hpp"
#include "workloads/gemm_options.hpp"
#include "workloads/gemm_problem.hpp"

namespace vkmoye::bench {

struct Problem {
  const gen::KernelEntry* entry = nullptr;
  gen::Request request;
  Extents size;           // of a move: of src in C's order; of a product: M, N, K
  GemmProblem gemm = {};  // of a product, with `request.gemm` its form
};

/// `extents` as a size for kernels of `operation`: a single number n stands for n in every place.
/// Throws ArgumentError for another number of extents.
Extents size_of_problem(gen::Operation operation, const Extents& extents);

/// The problems that `type`, as typed once for --type, means for `entry`: a move has one for each
/// type between commas, a product takes all of them together. `size` has the right rank.
std::vector<Problem> problems_of(const gen::KernelEntry& entry, const std::string& type,
                                 const Extents& size, const gen::Options& config,
                                 const GemmOptions& gemm);

/// Whether `entry` has kernels for elements of the type that `request` names.
bool has_type(const gen::KernelEntry& entry, const gen::Request& request);

/// The one kernel of `entry` that `type` and the options mean. Throws ArgumentError.
gen::Request request_of(const gen::KernelEntry& entry, const std::string& type,
                        const gen::Options& config, const GemmOptions& gemm);

}  // namespace vkmoye::bench
