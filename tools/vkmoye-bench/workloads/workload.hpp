// SPDX-License-Identifier: MIT
#pragma once
// A kernel and a problem that it solves, and the plan that runs it on a device.

#include <memory>
#include <string>
#include <vector>

#include "devices/execution.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/gen/problems/operation.hpp"

namespace vkmoye::bench {

struct Workload {
  const gen::KernelEntry* entry = nullptr;
  std::shared_ptr<const gen::Problem> problem;
  gen::Options config = {};  // options of the kernel
  /// A kernel from a file, in place of the one that the entry describes.
  std::shared_ptr<const CompiledKernel> compiled = {};
  /// The words after `run` on the command line that select the kernel; empty: the name of the entry.
  std::vector<std::string> subject = {};

  /// The request for the kernel on the device of `caps`.
  gen::KernelRequest request(const DeviceCaps& caps) const;
  /// Whether the entry supports the types of the problem.
  bool has_type() const { return gen::reasons_against_types(*entry, problem->form).empty(); }
};

using Workloads = std::vector<Workload>;

/// The workload of `text` with `size`, or of the arrays of a user. Throws ArgumentError for an invalid request.
Workload workload_of(const gen::ProblemText& text, const Extents& size);
Workload workload_of(const gen::ProblemText& text, const std::vector<gen::GivenArray>& arrays);

/// The plan on the executor's device, after finding the orders of matrices that it needs. Throws KernelError with every
/// reason.
RunPlan plan_on(Executor& executor, const Workload& workload);
/// The plan for a description of the device. Steps that need an order that `caps` lacks are left out.
RunPlan described_plan(const Workload& workload, const DeviceCaps& caps);

/// How plans are made for the executor's device: orders are probed, and what it cannot run or trust is refused. Both
/// must outlive the options.
gen::PlanOptions plan_options(Executor& executor, const Workload& workload);

/// `plan` over the arrays of `problem`.
RunPlan plan_over(gen::KernelPlan plan, const gen::Problem& problem);

/// Specialises each kernel of `plan` for those of the sizes `names` that it has: "rows,cols", or "all" for all sizes
/// that its arguments do not make 0. Throws ArgumentError naming each that no kernel has, and with the reasons of
/// gen::with_specialised_sizes.
void specialise_sizes(RunPlan& plan, const std::string& names);

/// Makes the steps of `plan` one launch, see gen::resident: `groups` is "no", "yes" for as many workgroups as the
/// device of `caps` runs at once, or a number of them. Throws ArgumentError for other words, KernelError with the
/// reasons of gen::resident, and if the device does not say how many it runs.
void make_resident(RunPlan& plan, const std::string& groups, const DeviceCaps& caps);
/// As above, for the device of `executor`; first runs a trial, see require_resident. Throws DeviceLacks if it fails.
void make_resident(RunPlan& plan, const std::string& groups, Executor& executor);
/// The number of workgroups in that word; 0: "yes" or "no". Throws ArgumentError for other words.
std::uint32_t groups_in(const std::string& groups);

}  // namespace vkmoye::bench
