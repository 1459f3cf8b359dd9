// SPDX-License-Identifier: MIT
#pragma once
// A kernel with its arrays, the expected result and the baselines. Each kind of operation has an implementation; an
// Operation creates it (operation.hpp).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "baselines/baseline_run.hpp"
#include "devices/execution.hpp"
#include "io/parse.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {

enum class Verify { full, sample, off };

/// "full", "sample", "off": as for --verify.
const char* to_string(Verify verify);

/// The comparison of a result with the definition.
struct CheckResult {
  std::uint64_t mismatches = 0;  // elements that differ by more than rounding explains
  double max_error = 0;          // largest absolute difference
  std::string first;             // the first mismatch as text; empty: there is none
};

/// A result that a kernel has besides the one that gives it its name, such as the sum of a norm with a residual.
struct FurtherResult {
  std::size_t array;  // its number among Workload::arrays
  Extents shape;
  ScalarType type;
};

class Workload {
 public:
  Workload(const gen::KernelEntry& entry, gen::KernelRequest request, Extents size)
      : entry_(&entry), request_(std::move(request)), size_(std::move(size)) {}
  virtual ~Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  const gen::KernelEntry& entry() const { return *entry_; }
  /// The request for the kernel, without the device. The entry may not have its type.
  const gen::KernelRequest& request() const { return request_; }
  /// Whether the entry has the types of the request.
  bool has_type() const { return gen::reasons_against_types(*entry_, request_).empty(); }
  /// Describes the kernel for the device of `caps`. Throws KernelError with every reason.
  virtual gen::ir::Kernel describe(const DeviceCaps& caps) const {
    return entry_->describe(request_for(caps));
  }
  /// In the form of --size.
  const Extents& size() const { return size_; }

  /// Why no device can compute a result; empty: the result exists.
  virtual std::string refusal() const { return {}; }

  /// The reasons against the contents of the user's array `input`: what a kernel relies on, and cannot check.
  virtual std::vector<std::string> reasons_against_contents(
      std::size_t /*input*/, const std::vector<std::byte>& /*contents*/) const {
    return {};
  }

  /// The element types in the form of --type.
  virtual std::string type_text() const { return std::string(to_string(request_.type)); }
  /// The command-line options of the problem, without those at their defaults.
  virtual std::vector<std::string> command_options() const { return {}; }
  /// The words after `run` on the command line that select the kernel.
  virtual std::vector<std::string> subject() const { return {entry_->name}; }

  /// The user's arrays. The last holds the result.
  virtual std::vector<Array> arrays() const = 0;
  /// For a plan with a single kernel: the array of each binding. By default they are in the same order.
  virtual std::vector<std::size_t> bindings() const {
    std::vector<std::size_t> numbers(arrays().size());
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  virtual Arguments arguments() const = 0;
  /// The kernel for the device of `caps` with its arguments. Throws KernelError with every reason.
  virtual Step step(const DeviceCaps& caps) const { return {{describe(caps), arguments(), {}}}; }
  /// All steps to run on the device of `caps`, by default only the kernel. Its arrays begin with those of `arrays()`.
  /// Throws KernelError with every reason.
  virtual RunPlan plan(const DeviceCaps& caps) const;
  /// The same from a description of the device: steps that need a fact that only the device itself can provide,
  /// and that is not in `caps`, are left out.
  virtual RunPlan described_plan(const DeviceCaps& caps) const { return plan(caps); }
  /// The plan, if it depends on more than a description: on what `executor` accepts and trusts. nullopt: use
  /// `plan`.
  virtual std::optional<RunPlan> plan_chosen_on(Executor&) const { return std::nullopt; }
  /// The kernel chosen for the device of `caps` and the reasons, one per line; empty: there is no choice.
  virtual std::vector<std::string> choice(const DeviceCaps&) const { return {}; }
  /// The matrices for which the plan needs the order in which lanes hold them, see DeviceCaps::fragment_orders.
  virtual std::vector<gen::ProbedMatrix> probes(const DeviceCaps&) const { return {}; }

  /// The least number of bytes that must be read and written.
  virtual double bytes() const = 0;
  /// The number of floating-point operations; a multiply-add counts as two. 0: only moves.
  virtual double flops() const { return 0; }
  /// Whether memory bounds its speed on every device, so that a comparison with a copy makes sense.
  virtual bool is_bound_by_memory() const = 0;
  /// Whether checking every element takes at most about a second.
  virtual bool is_checked_in_full() const = 0;

  /// Fills the arrays before the kernel runs: random, reproducible from `seed`. Elements that the kernel must not
  /// read stay poisoned.
  virtual void fill(Execution& execution, std::uint64_t seed) const = 0;
  /// Checks the result of one run on the arrays of `fill`. Precondition: `verify` is not off.
  virtual CheckResult check(const Execution& execution, Verify verify,
                            std::uint64_t seed) const = 0;

  /// Times the baseline `name`, one of Operation::baselines, for the same work on the same data. Throws
  /// Unavailable if it cannot run.
  virtual Timing time_baseline(const std::string& name, const BaselineRun& run) const = 0;

  /// The shape of the result, which is the last array, and the first that `apply` writes.
  virtual std::vector<std::int64_t> result_shape() const = 0;
  /// Whether that array is in Fortran order, like the input, which is not rearranged.
  virtual bool result_in_fortran_order() const { return false; }
  virtual ScalarType result_type() const { return request_.type; }
  /// Results besides it, which `apply` writes after it.
  virtual std::vector<FurtherResult> further_results() const { return {}; }

 protected:
  /// The plan of `kernels`, whose arrays are those of `arrays()`, with the inputs that these have.
  RunPlan plan_over_arrays(gen::KernelPlan kernels) const;
  gen::KernelRequest request_for(const DeviceCaps& caps) const {
    gen::KernelRequest request = request_;
    request.device = caps;
    return request;
  }

 private:
  const gen::KernelEntry* entry_;
  gen::KernelRequest request_;
  Extents size_;
};

/// The plan of `workload` for the executor's device, after finding the orders that it needs. Throws KernelError with
/// every reason.
RunPlan plan_on(Executor& executor, const Workload& workload);

}  // namespace vkmoye::bench
