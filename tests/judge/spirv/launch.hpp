// SPDX-License-Identifier: MIT
#pragma once
// An interpreter that runs a whole launch of a compiled kernel, from its SPIR-V alone, and reports its faults.
//
//   std::vector<std::vector<std::byte>> buffers = ..;      the bytes of each binding
//   Report report = launch(compile(transpose()), buffers, {{"cols", 33}, {"rows", 5}});
//   report.faults            empty: no fault in this launch; the buffers have the results
//   report.unsupported       why the kernel was not judged; empty: it was
//
// It does not use the verifier, the twin or the meaning of the IR: the library of this folder cannot include their
// headers. Each invocation is interpreted alone from barrier to barrier. Faults are:
//
//   - a race in shared memory between two barriers, or in a buffer between two barriers of all workgroups;
//   - an access outside an array or a buffer, or one that is not aligned as its pointer requires;
//   - an undefined value that is stored, or decides a branch or an address: read from shared memory, a result or a
//     variable before it was written; divided by 0; shifted by too many bits; from a lane that does not exist;
//   - a barrier that not all invocations of the workgroup reach, or a subgroup operation that not all lanes reach;
//   - an element of a result that is not written.

#include <cstdint>
#include <string>
#include <vector>

#include "judge/spirv/memory.hpp"
#include "vkmoye/contract/compiled_kernel.hpp"

namespace vkmoye::judge::spirv {

struct LaunchOptions {
  std::uint32_t subgroup_size = 32;  // lanes, for a kernel that does not require a number
  std::uint64_t max_steps = std::uint64_t{1} << 30;
  bool to_first_fault = false;  // ends after the first workgroup with a fault
};

struct Report {
  std::string unsupported;  // why the kernel was not judged; empty: it was
  std::vector<Faults::Fault> faults;
  bool finished = false;  // false: too many steps, or a fault that makes it impossible to continue
  std::uint64_t steps = 0, accesses = 0, invocations = 0;
};

/// Runs the launch on `buffers`. `arguments` as for a launch on a device; those of first_group_* are 0.
/// Throws ArgumentError for a missing argument and for a buffer of another size.
Report launch(const CompiledKernel& kernel, std::vector<std::vector<std::byte>>& buffers,
              const Arguments& arguments, const LaunchOptions& options = {});

}  // namespace vkmoye::judge::spirv
