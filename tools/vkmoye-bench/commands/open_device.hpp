// SPDX-License-Identifier: MIT
#pragma once
// The device of a command, and messages about it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/execution.hpp"
#include "vkmoye/runtime/device.hpp"

namespace vkmoye::bench {

/// Whether `selector` names a saved description: a file FILE.json, or a shipped one (devices/shipped.hpp) if no device
/// of this machine has a name that contains it.
bool is_description(const std::string& selector);

/// Whether `selector` names the host, without Vulkan.
bool is_host(const std::string& selector);

/// Adds to `caps`, which describes device number `index`, the orders in which its lanes hold matrices: those kept
/// from earlier runs, and others by running probes. Returns why some are still unknown, which is not an error;
/// empty: all are known.
std::string find_orders(std::size_t index, DeviceCaps& caps);

/// Opens the host or Device::open(selector). Throws DeviceError if that device executes nothing. `statistics`:
/// collect the statistics of the driver's compiler, see pipeline_statistics.hpp.
/// `resident_groups`: see OpenOptions.
std::unique_ptr<Executor> open_executor(const std::string& selector, bool statistics = false,
                                        std::uint32_t resident_groups = 0);

/// The device `selector` without checking that it executes anything. Throws ArgumentError for the host and for a saved
/// description, which are no devices, and with the most similar name if there is no such device; DeviceError.
Device open_real_device(const std::string& selector, bool statistics = false,
                        std::uint32_t resident_groups = 0);

/// The device `selector` for a command that also takes saved descriptions: the errors list the shipped ones.
/// Precondition: it is neither the host nor a description.
Device open_target(const std::string& selector, bool statistics);

/// The capabilities to describe kernels for `device` with, including the orders kept from earlier runs.
DeviceCaps described_by(const Device& device);

/// The device to describe kernels for when nothing runs: the device or the saved description that `selector` names, or
/// a common device if it is empty. Throws like Device::open; the error also lists the shipped descriptions.
DeviceCaps described_for(const std::string& selector);

/// Throws DeviceError with every reason. The caller made no mistake: another device could run the kernel.
[[noreturn]] void throw_cannot_run(std::string_view kernel, std::vector<std::string> reasons);

/// Throws DeviceLacks with every reason if the device of `caps` cannot run the kernel.
void require_fit(std::string_view name, const KernelInterface& kernel, const DeviceCaps& caps);

/// Prepares `plan` for `kernel`; `shown`: what is compiled, on stderr. Calls throw_cannot_run if the executor cannot
/// run it.
std::unique_ptr<Execution> prepared(Executor& executor, const RunPlan& plan,
                                    std::string_view kernel, const std::string& shown);

/// Runs `execution` of `executor` once, and saves the pipeline cache. Returns the microseconds from submission to
/// completion; nullopt, after a message on stderr, if the kernel damaged memory outside its arrays. Throws
/// DeviceError.
std::optional<double> run_undamaged(Executor& executor, Execution& execution,
                                    std::string_view kernel);

/// Executor::save_pipeline_cache; prints a failure on stderr.
void save_pipeline_cache(Executor& executor);

}  // namespace vkmoye::bench
