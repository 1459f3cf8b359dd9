// SPDX-License-Identifier: MIT
#pragma once
// Products by whichever kernel suits them: gemm/auto.
//
//   choose      the first row of the tuned table, then of the shipped one, that the executor accepts
//   plan        that of the chosen kernel, which may pack operands or cut k first
//
// Alone, without a device to ask, rows are judged by what its description says.

#include "vkmoye/gen/kernels/products/choice/choice.hpp"
#include "workloads/products/workload.hpp"

namespace vkmoye::bench {

/// As make_product, for an entry that chooses.
std::unique_ptr<Workload> make_chosen_product(const Question& question, const GemmProblem& problem,
                                              const Extents& size);

/// What a choice depends on.
gen::GemmQuestion gemm_question(const GemmProblem& problem, const Extents& size);

/// `problem` by the kernel of `choice`.
std::unique_ptr<Workload> make_product_by(const gen::GemmChoice& choice, const GemmProblem& problem,
                                          const Extents& size);

/// The choice for `executor`, and its plan: probes, limits, memory and trials were asked. Throws
/// KernelError, DeviceError.
struct ChosenPlan {
  gen::GemmChoice choice;
  Plan plan;
};
ChosenPlan choose_on(Executor& executor, const GemmProblem& problem, const Extents& size);

}  // namespace vkmoye::bench
