// SPDX-License-Identifier: MIT
#pragma once
// The host twin: runs a kernel without Vulkan, statement by statement, and reports problems.
//
//   std::vector<float> a(33 * 5), b(5 * 33);
//   TwinReport report = run_on_host(transpose(), {a, b}, {{"cols", 33}, {"rows", 5}});
//   report.reasons      empty: no problem was found; b is the transpose of a
//
// Operations compute what ir/evaluate.hpp says, rounded to the type of each element. Reports name the invocations, the
// statements and the numbers of
//   - a read of an element that nothing has written;
//   - an access outside an array, or of a vector that does not begin at a multiple of its width;
//   - a race: two invocations access an element of shared memory without a barrier between, or an element of a buffer
//     between two grid barriers (barriers do not order buffers), and one of them writes;
//   - a barrier or a subgroup operation that only some of its invocations reach;
//   - an undefined value, such as the result of a division by 0, that is stored or is used as a condition;
//   - an element of a result that nothing writes;
//   - an assumption of the kernel's author that does not hold: with the values in it, or as one of the faults above.
// Without data, `watch` reports the same as far as it does not depend on data.

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/ir/arithmetic.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// A launch takes more steps than TwinOptions allow.
struct TooManySteps : ArgumentError {
  using ArgumentError::ArgumentError;
};

/// A launch breaks an assumption of the kernel about its arguments, see Builder::assume.
struct BrokenAssumption : ArgumentError {
  using ArgumentError::ArgumentError;
};

/// How the twin runs a kernel.
struct TwinOptions {
  std::uint64_t most_steps = std::uint64_t{1} << 32;  // maximum work, see TooManySteps
  std::uint32_t subgroup_size = 32;  // lanes of a subgroup, if the kernel leaves them open
  ir::Arithmetic arithmetic = {};    // that of the device
  // Arrays whose elements are known to be written before they are read, in a run without data.
  std::set<std::string> written = {};
};

/// The options of `watch`.
inline const TwinOptions kWithoutData = {.most_steps = std::uint64_t{1} << 25};

/// What the twin found.
struct TwinReport {
  std::vector<std::string> reasons;  // the problems; empty: none was found
  bool in_part = false;              // some workgroups were not run, or not to their end
  bool depends_on_data = false;      // a condition or the end of a loop was not known
};

/// An array on the host, made from any contiguous range that outlives it, such as a std::vector<float>.
struct HostArray {
  template <std::ranges::contiguous_range Range>
  HostArray(Range&& elements)
      : bytes(std::as_writable_bytes(std::span(elements))) {}  // NOLINT: implicit

  std::span<std::byte> bytes;
};

/// Runs the whole launch on `arrays`, one for each binding in order, and stores the results there. `arguments`
/// are those of a launch; `first_group_*` are 0. Those that the kernel reads from a buffer are taken from there,
/// whatever `arguments` has, and the other arrays may then be larger than the launch needs. Throws ArgumentError if an
/// argument is missing, or an array is not as large as the launch needs, BrokenAssumption, and TooManySteps.
TwinReport run_on_host(const ir::Kernel& kernel, const std::vector<HostArray>& arrays,
                       const Arguments& arguments, const TwinOptions& options = {});

/// Checks a launch of these sizes without data: loaded values are unknown, and conditions that depend on them may
/// hold or fail. If there are many workgroups, only some are run, the first and the last along each dimension among
/// them.
TwinReport watch(const ir::Kernel& kernel, const Arguments& sizes,
                 const TwinOptions& options = kWithoutData);

}  // namespace vkmoye::gen
