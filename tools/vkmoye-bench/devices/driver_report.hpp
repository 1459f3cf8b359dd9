// SPDX-License-Identifier: MIT
#pragma once
// What the driver's compiler says about a kernel: registers, spills, shared memory, instructions, under its own names.
//
//   VGPRs 48, Spilled VGPRs 0, LDS size 16384, Instructions 512, Subgroups per SIMD 10    RADV

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/runtime/device.hpp"
#include "vkmoye/runtime/pipeline_statistics.hpp"

namespace vkmoye::bench {

/// "Spilled VGPRs 109", with the driver's name of the statistic; empty: no spills, or the driver does not report
/// them.
std::string spilled(const PipelineExecutable& executable);

struct DriverReport {
  std::vector<PipelineExecutable> programs;  // usually one
  std::string why_none;                      // why there is none, as one line; empty: there are
};

/// Compiles `kernel` on `device`, which must have been opened with OpenOptions::statistics; runs nothing.
DriverReport compile_with_driver(Device& device, const gen::ir::Kernel& kernel);

/// How many subgroups run at once, if the driver says so: "10 subgroups per SIMD"; empty: it does not.
std::string occupancy_of(const PipelineExecutable& program);

/// "Spilled VGPRs 109"; "none" if the driver counts them and there are none; empty: it does not count them.
std::string spills_of(const PipelineExecutable& program);

}  // namespace vkmoye::bench
