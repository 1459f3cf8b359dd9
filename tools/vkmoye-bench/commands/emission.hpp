// SPDX-License-Identifier: MIT
#pragma once
// What `emit` is asked for: a kernel or a plan, described and compiled, and the file of --kernel.

#include <string>
#include <vector>

#include "commands/options.hpp"
#include "vkmoye/contract/compiled_file.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// The kernels for one device, with the arguments of one size.
struct Emission {
  DeviceCaps caps;
  Workload workload;
  RunPlan plan;
};

/// Throws ArgumentError and KernelError with every reason. Precondition: `options` lists no variants, see variants_in.
Emission described_emission(const CommandOptions& options);

/// The kernels of the steps, in order. Throws DeviceLacks if the device of --device cannot run one of them, and
/// ArgumentError if --kernel is given and steps are missing.
std::vector<CompiledKernel> compiled_steps(const Emission& emission, const CommandOptions& options);

/// What the file of --kernel has.
struct Content {
  CompiledFile file;
  std::string summary;  // for the user: "a kernel with the arguments cols, rows"
};

/// A kernel; or a plan with the arguments of its steps, if sizes are given, or the kernel has arrays of its own.
Content content_of(const Emission& emission, const std::vector<CompiledKernel>& kernels,
                   const CommandOptions& options);

/// `options`, once for each --device and each size of --subgroup-size: in this order, they are the variants of a file.
/// Throws ArgumentError if one is listed twice.
std::vector<CommandOptions> variants_in(const CommandOptions& options);

/// The file of --kernel.
struct KernelFile {
  std::string text;
  std::string summary;
  std::vector<std::string> left_out;  // variants that their own device cannot run, with the reasons
};

/// Throws as the functions above, naming the variant. DeviceLacks if every variant would be left out.
KernelFile kernel_file(const std::vector<CommandOptions>& variants);

}  // namespace vkmoye::bench
