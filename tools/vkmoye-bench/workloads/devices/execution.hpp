// SPDX-License-Identifier: MIT
#pragma once
// Where a kernel runs: all that checking a workload needs of a device, so that anything that runs
// kernels can take its place.
//
//   plan = {arrays, steps}                       kernels one after the other, over shared arrays
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
#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/gen/kernels/registry/kernel_plan.hpp"
#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

class DeviceExecution;
class DeviceFacts;

/// A library, a symbol or an ability that is not there: no mistake of anybody. `what()` says what was
/// looked for.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A kernel that another device could run. Where it is the only one, nothing ran (exit status 3).
struct DeviceLacks : KernelError {
  using KernelError::KernelError;
};

/// One buffer of a kernel.
struct Array {
  std::string name;
  std::uint64_t bytes = 0;
  std::optional<std::size_t> input = {};  // its place among the arrays that the user gives
  std::uint64_t offset = 0;               // bytes before what the kernel is given
};

/// A step that may run a kernel that was compiled elsewhere.
struct Step : gen::KernelStep {
  std::shared_ptr<const CompiledKernel> compiled =
      {};  // in place of `kernel`, which has its name alone
};

KernelInterface interface_of(const Step& step);

/// Kernels one after the other; each sees what those before it wrote.
struct Plan {
  std::vector<Array> arrays;
  std::vector<Step> steps;
  std::size_t main = 0;        // the step that does the work: its config stands for the plan's
  std::size_t result = 0;      // the array that the result comes to stand in
  std::size_t beforehand = 0;  // steps at the start that a user takes once: no part of its time
  /// What was chosen, where something was: the kernel, and how k is cut.
  std::vector<std::pair<std::string, std::string>> chosen = {};
  /// Steps that are not in it, and why: of Workload::described_plan alone, a line each.
  std::vector<std::string> left_out = {};
};

/// A plan of the generator's: its scratch behind its arrays, of which none is said to be the user's.
Plan plan_of(gen::KernelPlan plan);

/// The plan's kernels with its arrays, which are poisoned until they are written.
class Execution {
 public:
  virtual ~Execution() = default;

  /// Bytes from `offset` on of array number `array`.
  virtual void write(std::size_t array, std::span<const std::byte> from,
                     std::uint64_t offset = 0) = 0;
  virtual void read(std::size_t array, std::span<std::byte> to, std::uint64_t offset = 0) const = 0;

  /// Runs each kernel once and waits. Throws DeviceError, or Unavailable if that takes too long here.
  virtual void run() = 0;
  /// What was done to memory that is not the kernels'; empty: nothing.
  virtual std::string damage() const = 0;

  /// What its kernels were described for.
  virtual const DeviceCaps& caps() const = 0;
  /// Whether matrix units multiply: of operands of two types they round the wider one.
  virtual bool has_matrices() const { return false; }
  /// Itself, where it runs on a device, which alone has a clock.
  virtual DeviceExecution* on_device() { return nullptr; }
};

/// Where a step has not one array for each binding, or one that ends before what its arguments say.
std::vector<std::string> reasons_against_arrays(const Plan& plan);

/// All of array number `array`, which has `bytes`.
std::vector<std::byte> read_all(const Execution& execution, std::size_t array, std::uint64_t bytes);

class Executor {
 public:
  virtual ~Executor() = default;

  /// What kernels are described for.
  virtual const DeviceCaps& caps() const = 0;
  /// Every reason why it cannot run the plan; empty: it can.
  virtual std::vector<std::string> reasons_against(const Plan& plan) const = 0;
  /// What of it the device was seen to compute wrong; tried now where it was not tried before.
  /// Precondition: nothing is against it. Throws DeviceError.
  virtual std::vector<std::string> distrusts(const Plan&) { return {}; }
  /// Precondition: nothing is against it. Throws DeviceError; Unavailable for what is distrusted.
  virtual std::unique_ptr<Execution> prepare(const Plan& plan) = 0;

  /// Adds to what kernels are described for: an order that was found by running a probe.
  virtual void know(const FragmentOrder& order) = 0;
  /// Where such findings are kept between starts; nullptr: nowhere.
  virtual const DeviceFacts* facts() const { return nullptr; }

  /// After the last kernel: keeps what makes the next start faster. Returns what was in the way, one
  /// line; empty: nothing.
  virtual std::string keep() { return {}; }
};

}  // namespace vkmoye::bench
