#pragma once
// Where a kernel runs: all that checking a workload needs of a device, so that anything that runs
// kernels can take its place.
//
//   executor.prepare(kernel, arrays, arguments) -> execution:  write, run, read, damage

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

class DeviceExecution;

/// A library, a symbol or an ability that is not there: no mistake of anybody. `what()` says what was
/// looked for.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One buffer of a kernel.
struct Array {
  std::string name;
  std::uint64_t bytes = 0;
  std::optional<std::size_t> input = {};  // its place among the arrays that the user gives
  std::uint64_t offset = 0;               // bytes before what the kernel is given
};

/// A kernel with its arrays, which are poisoned until they are written.
class Execution {
 public:
  virtual ~Execution() = default;

  /// Bytes from `offset` on of array number `array`.
  virtual void write(std::size_t array, std::span<const std::byte> from,
                     std::uint64_t offset = 0) = 0;
  virtual void read(std::size_t array, std::span<std::byte> to, std::uint64_t offset = 0) const = 0;

  /// Runs the kernel once and waits. Throws DeviceError, or Unavailable if that takes too long here.
  virtual void run() = 0;
  /// What was done to memory that is not the kernel's; empty: nothing.
  virtual std::string damage() const = 0;

  /// What its kernel was described for.
  virtual const DeviceCaps& caps() const = 0;
  /// Itself, where it runs on a device, which alone has a clock.
  virtual DeviceExecution* on_device() { return nullptr; }
};

/// All of array number `array`, which has `bytes`.
std::vector<std::byte> read_all(const Execution& execution, std::size_t array, std::uint64_t bytes);

class Executor {
 public:
  virtual ~Executor() = default;

  /// What kernels are described for.
  virtual const DeviceCaps& caps() const = 0;
  /// Every reason why it cannot run a kernel with these arguments; empty: it can.
  virtual std::vector<std::string> reasons_against(const KernelInterface& kernel,
                                                   const Arguments& arguments) const = 0;
  /// `arrays`: one for each binding. Precondition: nothing is against it. Throws DeviceError.
  virtual std::unique_ptr<Execution> prepare(const gen::ir::Kernel& kernel,
                                             const std::vector<Array>& arrays,
                                             const Arguments& arguments) = 0;

  /// After the last kernel: keeps what makes the next start faster. Returns what was in the way, one
  /// line; empty: nothing.
  virtual std::string keep() { return {}; }
};

}  // namespace vkmoye::bench
