// SPDX-License-Identifier: MIT
#pragma once
// Kernels that the compiler of a device would not finish in a reasonable time.

#include <string>
#include <vector>

#include "commands/measure_all.hpp"
#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::bench {

/// Removes the workloads whose kernels compilers for devices such as `device` take minutes to compile, except those of
/// the kernels `named`, and says on stderr which kernels these are: "suite: leaves out .., which ..".
void leave_out_slow_compiles(const std::string& command, const DeviceCaps& device,
                             const std::vector<std::string>& named, Workloads& workloads);

}  // namespace vkmoye::bench
