#pragma once
// What a kernel is given and what it must make of it: all that `run` and `apply` know of an
// operation. One implementation for each kind of operation; make_workload chooses.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problem.hpp"
#include "vkmoye/runtime/guarded_buffer.hpp"
#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

enum class Verify { full, sample, off };

/// One buffer of a kernel.
struct Array {
  std::string name;
  std::uint64_t bytes = 0;
  std::optional<std::size_t> input = {};  // its place among the arrays that the user gives
};

/// How a result compares with the definition.
struct Verdict {
  std::uint64_t mismatches = 0;  // elements beyond what rounding explains
  double max_error = 0;          // largest absolute difference
  std::string first;             // the first mismatch, for a reader; empty: there is none
};

/// How long a baseline takes for the same work, or why nobody can say.
struct BaselineTime {
  std::optional<Timing> timing;
  std::string unavailable;
};

using Buffers = std::vector<GuardedBuffer>;  // in the order of `Workload::arrays`

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
  /// Elements of the result: many are verified by a sample unless the user says otherwise.
  virtual std::uint64_t result_elements() const = 0;

  /// Gives each buffer what it holds before the kernel runs: random, reproducible from `seed`.
  /// What the kernel must not read is left as it is: poisoned.
  virtual void fill(Buffers& buffers, std::uint64_t seed) const = 0;
  /// Compares the result of one run on buffers as `fill` leaves them. `verify` is not off.
  virtual Verdict check(const Buffers& buffers, Verify verify, std::uint64_t seed) const = 0;

  /// Times the baseline called `name`, one of `baseline_names`, for the same work on the same data.
  virtual BaselineTime time_baseline(const std::string& name, Device& device,
                                     const Buffers& buffers, const TimeOptions& times) const = 0;

  /// The shape in C's order of the array that `apply` writes.
  virtual std::vector<std::int64_t> result_shape() const = 0;
  virtual ScalarType result_type() const = 0;
};

std::unique_ptr<Workload> make_workload(const Problem& problem);

/// The problem of applying `request` to arrays of these types and shapes. Throws ArgumentError where
/// their number, types or shapes are not what it takes; `names` are the files they come from.
struct GivenArray {
  std::string name;
  ScalarType type;
  std::vector<std::int64_t> shape;
};
Problem problem_of(const gen::KernelEntry& entry, const gen::Options& config,
                   const std::vector<GivenArray>& given);

}  // namespace vkmoye::bench
