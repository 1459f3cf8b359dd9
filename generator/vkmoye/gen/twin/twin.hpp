// SPDX-License-Identifier: MIT
#pragma once
// The host twin: runs a kernel without Vulkan, statement by statement, and watches it.
//
//   std::vector<float> a(33 * 5), b(5 * 33);
//   TwinReport report = run_on_host(transpose(), {bytes(a), bytes(b)}, {{"cols", 33}, {"rows", 5}});
//   report.reasons      empty: nothing wrong was seen; b is the transpose of a
//
// It computes what ir/meaning.hpp says, rounded in each element's own type, and reports, with both
// invocations, both statements and the numbers:
//   - a read of what nothing has written, or that depends on such a read;
//   - an access outside an array, or of a vector that begins at no multiple of its width;
//   - two invocations that touch one element of shared memory, one of them writing, with no barrier
//     between; or of a buffer, in the whole launch, since no barrier orders buffers;
//   - a barrier or a subgroup operation to which not all come that it waits for;
//   - a division by 0 or another undefined value that is stored or decides something;
//   - an element of a result that nothing writes.
// Without data (`watch`) the same is said of everything that does not depend on data.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// A launch takes more steps than it may.
struct TooManySteps : ArgumentError {
  using ArgumentError::ArgumentError;
};

struct TwinOptions {
  std::uint64_t most_steps = std::uint64_t{1} << 32;  // of work; more throws TooManySteps
  std::uint32_t subgroup = 32;                        // lanes, for a kernel that leaves them open
};

struct TwinReport {
  std::vector<std::string> reasons;  // empty: nothing wrong was seen
  bool in_part = false;              // not every workgroup was followed, or not to its end
};

/// Runs the whole launch on `buffers`, the bytes of each binding in order; what the kernel stores is
/// there afterwards. `arguments` as for a launch; those of `first_group_*` are 0.
/// Throws ArgumentError for a missing argument or a buffer of another size than the launch needs.
TwinReport run_on_host(const ir::Kernel& kernel, const std::vector<std::span<std::byte>>& buffers,
                       const Arguments& arguments, const TwinOptions& options = {});

/// The same at these sizes without data: what is loaded is not known, conditions on it may hold or
/// not. Of a launch with many workgroups only some are followed, the outermost among them.
TwinReport watch(const ir::Kernel& kernel, const Arguments& sizes,
                 const TwinOptions& options = {.most_steps = std::uint64_t{1} << 25});

}  // namespace vkmoye::gen
