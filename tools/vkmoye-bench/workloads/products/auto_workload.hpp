// SPDX-License-Identifier: MIT
#pragma once
// gemm/auto: chooses the kernel for a product.
//
//   choose      the first entry of the tuned table, then of the shipped one, that the executor accepts
//   plan        that of the chosen kernel, which may pack operands first, or split k
//
// Without an executor, the description of the device decides which entries are accepted.

#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"
#include "workloads/products/workload.hpp"

namespace vkmoye::bench {

/// Like make_product, for an entry that chooses its kernel.
std::unique_ptr<Workload> make_chosen_product(const WorkloadSpec& spec, const GemmProblem& problem,
                                              const Extents& size);

/// Everything that the choice depends on.
gen::GemmProduct gemm_product(const GemmProblem& problem, const Extents& size);

/// `problem` computed by the kernel of `choice`.
std::unique_ptr<Workload> make_product_by(const gen::GemmChoice& choice, const GemmProblem& problem,
                                          const Extents& size);

/// The choice for `executor`, which has run the necessary probes and trials and checked its limits and memory. Throws
/// KernelError, DeviceError.
struct ChosenPlan {
  gen::GemmChoice choice;
  RunPlan plan;
};
ChosenPlan choose_on(Executor& executor, const GemmProblem& problem, const Extents& size);

}  // namespace vkmoye::bench
