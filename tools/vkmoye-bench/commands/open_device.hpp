// SPDX-License-Identifier: MIT
#pragma once
// The device that a command runs on, and what the user is told about it.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/devices/execution.hpp"

namespace vkmoye::bench {

/// Whether `selector` means a saved description.
bool is_description(const std::string& selector);

/// Whether `selector` means the host, without Vulkan.
bool is_host(const std::string& selector);

/// What is not known of how lanes of device number `index` hold matrices goes into `caps`, its own: as it
/// was kept, else found now, by running probes on it. Returns why some of it is not known still, which
/// is no error; empty: all is.
std::string find_orders(std::size_t index, DeviceCaps& caps);

/// What runs kernels: the host, or Device::open(selector). Throws DeviceError where that device executes
/// nothing. `statistics`: drivers say what became of kernels, see pipeline_statistics.hpp.
std::unique_ptr<Executor> open_executor(const std::string& selector, bool statistics = false);

/// What kernels are described for where nothing runs: the device that `selector` means, a description
/// FILE.json as `devices --format json` writes it, or, where it is empty, a common one.
DeviceCaps described_for(const std::string& selector);

/// Throws DeviceError with every reason: no mistake of the caller's, another device could.
[[noreturn]] void throw_cannot_run(std::string_view kernel, std::vector<std::string> reasons);

/// Throws so if the device of `caps` cannot run the kernel.
void require_fit(std::string_view name, const KernelInterface& kernel, const DeviceCaps& caps);

/// Runs `execution` of `executor` once, for a result that is to be written, and keeps what makes the next
/// start faster. The microseconds from submitting it to its end; nothing if memory was damaged that is not
/// the kernel's, and that is said on stderr. Throws DeviceError.
std::optional<double> run_undamaged(Executor& executor, Execution& execution,
                                    std::string_view kernel);

/// Executor::keep; what was in the way is said on stderr.
void keep(Executor& executor);

}  // namespace vkmoye::bench
