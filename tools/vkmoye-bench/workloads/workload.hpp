#pragma once
// What a kernel is given and what it must make of it: all that `run` and `apply` know of an
// operation. One implementation for each kind of operation; make_workload chooses.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/runtime/guarded_buffer.hpp"
#include "vkmoye/runtime/timing.hpp"
#include "workloads/gemm_options.hpp"
#include "workloads/problem.hpp"

namespace vkmoye::bench {

enum class Verify { full, sample, off };

/// One buffer of a kernel.
struct Array {
  std::string name;
  std::uint64_t bytes = 0;
  std::optional<std::size_t> input = {};  // its place among the arrays that the user gives
  std::uint64_t offset = 0;               // bytes before what the kernel is given
};

/// How a result compares with the definition.
struct Verdict {
  std::uint64_t mismatches = 0;  // elements beyond what rounding explains
  double max_error = 0;          // largest absolute difference
  std::string first;             // the first mismatch, for a reader; empty: there is none
};

using Buffers = std::vector<GuardedBuffer>;  // in the order of `Workload::arrays`

/// Poisoned buffers for `arrays`, and what of them a kernel is given.
Buffers make_buffers(Device& device, const std::vector<Array>& arrays);
std::vector<BufferView> views_of(const Buffers& buffers, const std::vector<Array>& arrays);

/// What a baseline is timed with: after the kernel itself, on its buffers or on the same data.
struct BaselineRun {
  Device& device;
  const Buffers& buffers;
  TimeOptions times;
  std::uint64_t seed;
};

class Workload {
 public:
  virtual ~Workload() = default;

  /// The element types, as --type takes them.
  virtual std::string type_text() const = 0;
  /// What of the command line makes this work, without kernel, config and seed.
  virtual std::vector<std::string> words() const = 0;

  /// One for each binding of the kernel, in their order. The last holds the result.
  virtual std::vector<Array> arrays() const = 0;
  virtual Arguments arguments() const = 0;

  /// Bytes that have to be read and written at least.
  virtual double bytes() const = 0;
  /// Floating-point operations, a multiplication and an addition counted apart; 0: moves only.
  virtual double flops() const { return 0; }
  /// Whether checking every element takes no longer than a second or so.
  virtual bool is_checked_in_full() const = 0;

  /// Gives each buffer what it holds before the kernel runs: random, reproducible from `seed`.
  /// What the kernel must not read is left as it is: poisoned.
  virtual void fill(Buffers& buffers, std::uint64_t seed) const = 0;
  /// Compares the result of one run on buffers as `fill` leaves them. `verify` is not off.
  virtual Verdict check(const Buffers& buffers, Verify verify, std::uint64_t seed) const = 0;

  /// Times the baseline called `name`, one of `baseline_names`, for the same work on the same data.
  /// Throws Unavailable where it cannot be had.
  virtual Timing time_baseline(const std::string& name, const BaselineRun& run) const = 0;

  /// The shape in C's order of the array that `apply` writes.
  virtual std::vector<std::int64_t> result_shape() const = 0;
  virtual ScalarType result_type() const = 0;
};

std::unique_ptr<Workload> make_workload(const Problem& problem);

/// An array that a user applies a kernel to.
struct GivenArray {
  std::string name;  // the file it comes from
  ScalarType type;
  std::vector<std::int64_t> shape;
};

/// The problem of applying a kernel to arrays. `type` as --type has it; empty: that of the arrays.
/// Throws ArgumentError where their number, types or shapes are not what it takes.
Problem problem_of(const gen::KernelEntry& entry, const gen::Options& config,
                   const GemmOptions& gemm, const std::string& type,
                   const std::vector<GivenArray>& given);

}  // namespace vkmoye::bench
