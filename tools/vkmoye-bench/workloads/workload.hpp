// SPDX-License-Identifier: MIT
#pragma once
// A kernel and what it is applied to: its arrays, what must come out, what else does the same. One
// implementation for each kind of operation; see operation.hpp for how one is made.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/parse.hpp"
#include "vkmoye/gen/kernels/products/fragments/probe.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "workloads/devices/execution.hpp"
#include "workloads/timing/rules.hpp"

namespace vkmoye::bench {

class DeviceExecution;

enum class Verify { full, sample, off };

/// How a result compares with the definition.
struct Verdict {
  std::uint64_t mismatches = 0;  // elements beyond what rounding explains
  double max_error = 0;          // largest absolute difference
  std::string first;             // the first mismatch, for a reader; empty: there is none
};

/// What a baseline is timed with: after the kernel itself, on its buffers or on the same data.
struct BaselineRun {
  DeviceExecution& execution;
  const Step& step;  // the kernel itself
  TimingRules rules;
  std::uint64_t seed;
};

class Workload {
 public:
  Workload(const gen::KernelEntry& entry, gen::KernelRequest request, Extents size)
      : entry_(&entry), request_(std::move(request)), size_(std::move(size)) {}
  virtual ~Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  const gen::KernelEntry& entry() const { return *entry_; }
  /// Which kernel of the entry, for whatever device. The entry may not have its type.
  const gen::KernelRequest& request() const { return request_; }
  /// Whether the entry has it.
  bool has_type() const {
    const auto& types = entry_->types;
    return std::find(types.begin(), types.end(), request_.type) != types.end();
  }
  /// That kernel for the device of `caps`. Throws KernelError with every reason.
  virtual gen::ir::Kernel describe(const DeviceCaps& caps) const {
    return entry_->describe(request_for(caps));
  }
  /// As --size takes it.
  const Extents& size() const { return size_; }

  /// Why there is no result, whatever runs the kernel; empty: there is one.
  virtual std::string refusal() const { return {}; }

  /// The element types, as --type takes them.
  virtual std::string type_text() const { return std::string(to_string(request_.type)); }
  /// The options of the command line that say what is computed, where they are not the usual ones.
  virtual std::vector<std::string> words() const { return {}; }
  /// What stands behind `run` on the command line.
  virtual std::vector<std::string> subject() const { return {entry_->name}; }

  /// The user's arrays. The last holds the result.
  virtual std::vector<Array> arrays() const = 0;
  /// Which of them each binding of a kernel takes that is a plan by itself: one after the other, unless said
  /// otherwise.
  virtual std::vector<std::size_t> bindings() const {
    std::vector<std::size_t> numbers(arrays().size());
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  virtual Arguments arguments() const = 0;
  /// The kernel for the device of `caps`, and its own arguments. Throws KernelError likewise.
  virtual Step step(const DeviceCaps& caps) const { return {{describe(caps), arguments(), {}}}; }
  /// All that has to run on the device of `caps`: the kernel alone, unless said otherwise. Its arrays
  /// begin with `arrays`. Throws KernelError with every reason.
  virtual Plan plan(const DeviceCaps& caps) const;
  /// The same as far as a description of the device tells: steps that take what only the device itself
  /// can say, and `caps` does not know, are left out.
  virtual Plan described_plan(const DeviceCaps& caps) const { return plan(caps); }
  /// The plan, where it depends on more than a description: on what `executor` accepts and trusts.
  /// Nothing: `plan` is it.
  virtual std::optional<Plan> plan_chosen_on(Executor&) const { return std::nullopt; }
  /// Which kernel was chosen for the device of `caps`, and why, a line each; empty: there is no choice.
  virtual std::vector<std::string> choice(const DeviceCaps&) const { return {}; }
  /// The matrices of which the plan has to know how lanes hold them, see DeviceCaps::fragment_orders.
  virtual std::vector<gen::ProbedMatrix> probes(const DeviceCaps&) const { return {}; }

  /// Bytes that have to be read and written at least.
  virtual double bytes() const = 0;
  /// Floating-point operations, a multiplication and an addition counted apart; 0: moves only.
  virtual double flops() const { return 0; }
  /// Whether its speed is bounded by memory's, on whatever device: it makes sense beside a copy.
  virtual bool is_bound_by_memory() const = 0;
  /// Whether checking every element takes no longer than a second or so.
  virtual bool is_checked_in_full() const = 0;

  /// Gives each array what it holds before the kernel runs: random, reproducible from `seed`.
  /// What the kernel must not read is left as it is: poisoned.
  virtual void fill(Execution& execution, std::uint64_t seed) const = 0;
  /// Compares the result of one run on arrays as `fill` leaves them. `verify` is not off.
  virtual Verdict check(const Execution& execution, Verify verify, std::uint64_t seed) const = 0;

  /// Times the baseline called `name`, one of Operation::baselines, for the same work on the same
  /// data. Throws Unavailable where it cannot be had.
  virtual Timing time_baseline(const std::string& name, const BaselineRun& run) const = 0;

  /// The shape of the array that `apply` writes.
  virtual std::vector<std::int64_t> result_shape() const = 0;
  /// The array lies in memory in Fortran's order: as what it was made of, without being rearranged.
  virtual bool result_in_fortran_order() const { return false; }
  virtual ScalarType result_type() const { return request_.type; }

 protected:
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

inline Plan Workload::plan(const DeviceCaps& caps) const {
  Plan plan{arrays(), {step(caps)}};
  plan.result = plan.arrays.size() - 1;
  plan.steps.front().arrays = bindings();
  return plan;
}

}  // namespace vkmoye::bench
