// SPDX-License-Identifier: MIT
#pragma once
// The interface of whatever runs kernels: a device, or the host. It provides everything that checking a workload needs.
//
//   plan = {arrays, steps}                       several kernels over shared arrays, in order
//   executor.prepare(plan) -> execution:         write, run, read, damage

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/gen/ir/kernel_plan.hpp"
#include "vkmoye/gen/problems/problem.hpp"
#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

class DeviceExecution;
class DeviceFacts;

/// A library, a symbol or a feature is missing, which is not an error of the user. `what()` names it.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns what `work` returns. Refusals of a kernel, and exhausted memory of a device, are thrown as Unavailable.
template <class Work>
auto or_unavailable(const Work& work) {
  try {
    return work();
  } catch (const KernelError& error) {
    throw Unavailable(join(error.reasons, "; "));
  } catch (const DeviceError& error) {
    if (error.kind != DeviceError::Kind::kOutOfMemory) throw;
    throw Unavailable(error.what());
  }
}

/// This device cannot run the kernel, but another one could. If it is the only kernel, nothing ran (exit status 3).
struct DeviceLacks : KernelError {
  using KernelError::KernelError;
};

/// One buffer of a plan.
struct Array {
  std::string name;
  std::uint64_t bytes = 0;
  std::optional<std::size_t> input = {};  // its index among the arrays of the user
  std::uint64_t offset = 0;               // bytes before the part that the kernel uses
  bool is_zero = false;  // at first, see KernelInterface::arrivals; others are poisoned
};

/// A step of a plan; its kernel may have been compiled elsewhere.
struct Step : gen::KernelStep {
  /// Replaces `kernel`, which then has only a name.
  std::shared_ptr<const CompiledKernel> compiled = {};
};

KernelInterface interface_of(const Step& step);

/// A plan as this program runs and reports it: kernels in order, each of which sees the writes of the earlier ones.
struct RunPlan {
  std::vector<Array> arrays;
  std::vector<Step> steps;
  std::size_t given = 0;   // arrays at the start that are the caller's; the others are scratch
  std::size_t main = 0;    // the step that does the main work; its config is reported for the plan
  std::size_t result = 0;  // the array with the result
  std::size_t beforehand = 0;  // steps at the start that run only once and are not timed
  /// The choice, if there was one: the kernel, and the number of slices of k.
  std::vector<std::pair<std::string, std::string>> chosen = {};
  /// Why it was chosen, one line each; empty: there is no choice.
  std::vector<std::string> why = {};
  /// Steps that described_plan left out, and why, one line each.
  std::vector<std::string> left_out = {};
};

/// Converts a plan of the generator: its scratch arrays follow its arrays; no array is marked as one of the user's.
RunPlan plan_of(gen::KernelPlan plan);

/// A plan ready to run, with its arrays, which are poisoned until they are written.
class Execution : public gen::ArrayMemory {
 public:
  explicit Execution(const RunPlan& plan);

  /// Runs each kernel once and waits. Throws DeviceError, or Unavailable if that would take too long.
  virtual void run() = 0;
  /// Describes damage to memory outside the arrays; empty: there is none.
  virtual std::string damage() const = 0;

  /// The device that its kernels were described for.
  virtual const DeviceCaps& caps() const = 0;
  /// This, if it runs on a device; only devices have a clock.
  virtual DeviceExecution* on_device() { return nullptr; }

  bool has_matrices() const override { return has_matrices_; }
  std::size_t summing_threads() const override { return summing_threads_; }

 private:
  bool has_matrices_;
  std::size_t summing_threads_;
};

/// Why the arrays do not fit the steps: a step does not have one array for each binding, or an array is too small for
/// its arguments.
std::vector<std::string> reasons_against_arrays(const RunPlan& plan);

using gen::read_all;

class Executor {
 public:
  explicit Executor(DeviceCaps caps) : caps_(std::move(caps)) {}
  virtual ~Executor() = default;

  /// The device to describe kernels for, with the orders of matrices that were found so far.
  const DeviceCaps& caps() const { return caps_; }
  void add_fragment_order(const FragmentOrder& order) { caps_.fragment_orders.push_back(order); }
  /// Every reason why it cannot run the plan; empty: it can.
  virtual std::vector<std::string> reasons_against(const RunPlan& plan) const = 0;
  /// The matrix shapes of the plan for which the device's products are wrong; shapes are tried now if they were not
  /// tried before. Precondition: reasons_against is empty. Throws DeviceError.
  virtual std::vector<std::string> trial_failures(const RunPlan&) { return {}; }
  /// Precondition: reasons_against is empty. Throws DeviceError; Unavailable for matrix shapes that are wrong.
  virtual std::unique_ptr<Execution> prepare(const RunPlan& plan) = 0;

  /// The store that keeps what probes and trials find between runs; nullptr: none.
  virtual const DeviceFacts* facts() const { return nullptr; }

  /// Call after the last kernel: saves the pipeline cache. Returns what failed, as one line; empty: nothing.
  virtual std::string save_pipeline_cache() { return {}; }

 private:
  DeviceCaps caps_;
};

}  // namespace vkmoye::bench
