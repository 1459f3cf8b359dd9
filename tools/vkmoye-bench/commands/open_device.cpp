// SPDX-License-Identifier: MIT
#include "commands/open_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

#include "devices/description.hpp"
#include "devices/device_executor.hpp"
#include "devices/fragments.hpp"
#include "devices/host_executor.hpp"
#include "devices/trials.hpp"
#include "io/parse.hpp"
#include "io/program.hpp"
#include "io/progress.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

// For "NVIDIA RTX 4090", the whole name and its words except numbers, which would be taken as an index.
std::vector<std::string> names_of_devices() {
  std::vector<std::string> names = {"host"};
  for (const DeviceCaps& caps : list_devices()) {
    const std::string name = caps.name.substr(0, caps.name.find(" ("));
    names.push_back(lower_case(name));
    for (const std::string& word : split(name, ' ')) {
      const bool is_number = word.find_first_not_of("0123456789") == std::string::npos;
      if (!is_number) names.push_back(lower_case(word));
    }
  }
  return names;
}

// The file of the shipped description that `selector` names; empty: there is none.
std::filesystem::path shipped_file(const std::string& selector) {
  for (const ShippedDescription& shipped : shipped_descriptions()) {
    if (shipped.name == lower_case(selector)) return shipped.file;
  }
  return {};
}

// Whether the name of a device of this machine contains `selector`.
bool names_a_device(const std::string& selector) {
  try {
    const std::vector<DeviceCaps> devices = list_devices();
    return std::any_of(devices.begin(), devices.end(), [&](const DeviceCaps& caps) {
      return lower_case(caps.name).find(lower_case(selector)) != std::string::npos;
    });
  } catch (const DeviceError&) {
    return false;  // no Vulkan, no devices
  }
}

// `error` of opening the device `selector` for a command that needs none: with the descriptions that it takes as well.
std::string with_descriptions(const std::string& error, const std::string& selector) {
  std::vector<std::string> names;
  for (const ShippedDescription& shipped : shipped_descriptions()) names.push_back(shipped.name);
  if (names.empty()) return error;
  std::string text = error + "\nand these are described without being there: " + join(names, " ");
  const std::string near = did_you_mean(lower_case(selector), names);
  if (!near.empty() && error.find("did you mean") == std::string::npos) {
    text += fmt::format("\ndid you mean '{}'?", near);
  }
  return text;
}

// Like Device::open, but suggests the most similar name if `selector` matches no device, and waits longer.
Device open_device(const std::string& selector, bool statistics,
                   std::uint32_t resident_groups = 0) {
  OpenOptions options;
  options.resident_groups = resident_groups;
  options.statistics = statistics;
  // llvmpipe compiles a kernel at its first launch: products on matrix units for a minute and more.
  options.wait_seconds = 600;
  try {
    return Device::open(selector, options);
  } catch (const ArgumentError& error) {
    const std::string near = did_you_mean(lower_case(selector), names_of_devices());
    if (near.empty()) throw;
    throw ArgumentError(fmt::format("{}\ndid you mean '{}'?", error.what(), near));
  }
}

void refuse_description(const std::string& selector) {
  if (!is_description(selector)) return;
  throw ArgumentError(
      fmt::format("--device {}: a saved description cannot run kernels; only emit, explain, list "
                  "and layout take one",
                  selector));
}

// Adds the orders kept from earlier runs; returns the operands without one.
std::vector<gen::ProbedMatrix> add_kept_orders(DeviceCaps& caps) {
  const DeviceFacts facts(DeviceFacts::default_file());
  std::vector<gen::ProbedMatrix> missing;
  for (const gen::MatrixOperand& operand : gen::matrix_operands(caps)) {
    if (!operand.probed) continue;
    if (auto order = stored_order(facts, caps, *operand.probed)) {
      caps.fragment_orders.push_back(std::move(*order));
    } else {
      missing.push_back(*operand.probed);
    }
  }
  return missing;
}

}  // namespace

bool is_description(const std::string& selector) {
  if (selector.ends_with(".json")) return true;
  return !shipped_file(selector).empty() && !names_a_device(selector);
}

bool is_host(const std::string& selector) { return selector == "host"; }

std::string find_orders(std::size_t index, DeviceCaps& caps) {
  if (!caps.why_unusable.empty()) return caps.why_unusable;
  const std::vector<gen::ProbedMatrix> missing = add_kept_orders(caps);
  if (missing.empty()) return "";
  std::string why;
  try {
    Device device = Device::open(std::to_string(index));
    require_execution(device);
    DeviceExecutor executor(std::move(device));
    for (const gen::ProbedMatrix& probed : missing) {
      try {
        caps.fragment_orders.push_back(find_fragment_order(executor, probed));
      } catch (const Unavailable& reason) {
        why = reason.what();
      }
    }
    save_pipeline_cache(executor);
  } catch (const Error& error) {
    why = error.what();
  }
  return why;
}

Device open_real_device(const std::string& selector, bool statistics,
                        std::uint32_t resident_groups) {
  refuse_description(selector);
  if (is_host(selector)) throw ArgumentError("--device host: is not a device of Vulkan");
  return open_device(selector, statistics, resident_groups);
}

std::unique_ptr<Executor> open_executor(const std::string& selector, bool statistics,
                                        std::uint32_t resident_groups) {
  if (is_host(selector)) return std::make_unique<HostExecutor>();
  Device device = open_real_device(selector, statistics, resident_groups);
  require_execution(device);
  return std::make_unique<DeviceExecutor>(std::move(device));
}

Device open_target(const std::string& selector, bool statistics) {
  try {
    return open_device(selector, statistics);
  } catch (const ArgumentError& error) {
    throw ArgumentError(with_descriptions(error.what(), selector));
  } catch (const DeviceError& error) {
    if (error.kind != DeviceError::Kind::kNoDevice) throw;
    throw DeviceError(error.kind, with_descriptions(error.what(), selector));
  }
}

DeviceCaps described_by(const Device& device) {
  DeviceCaps caps = device.caps();
  add_kept_orders(caps);
  return caps;
}

DeviceCaps described_for(const std::string& selector) {
  if (selector.empty()) return common_device();
  if (is_description(selector)) {
    const bool is_file = selector.ends_with(".json");
    return read_device_description(is_file ? path_of(selector) : shipped_file(selector));
  }
  if (is_host(selector)) return HostExecutor().caps();
  return described_by(open_target(selector, /*statistics=*/false));
}

void throw_cannot_run(std::string_view kernel, std::vector<std::string> reasons) {
  throw DeviceError(DeviceError::Kind::kNoDevice, KernelError(kernel, std::move(reasons)).what());
}

void require_fit(std::string_view name, const KernelInterface& kernel, const DeviceCaps& caps) {
  auto reasons = reasons_against(kernel, caps);
  if (!reasons.empty()) throw DeviceLacks(name, std::move(reasons));
}

std::unique_ptr<Execution> prepared(Executor& executor, const RunPlan& plan,
                                    std::string_view kernel, const std::string& shown) {
  const auto reasons = executor.reasons_against(plan);
  if (!reasons.empty()) throw_cannot_run(kernel, reasons);
  Progress progress;
  progress.compile(shown, executor.caps().name);
  return executor.prepare(plan);
}

std::optional<double> run_undamaged(Executor& executor, Execution& execution,
                                    std::string_view kernel) {
  Progress progress;
  progress.launch(std::string(kernel), executor.caps().name);
  const auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double, std::micro> taken = {};
  try {
    execution.run();
    taken = std::chrono::steady_clock::now() - start;
  } catch (const Unavailable& why) {
    throw_cannot_run(kernel, {why.what()});
  }
  save_pipeline_cache(executor);
  const std::string damage = execution.damage();
  if (damage.empty()) return taken.count();
  print_error(fmt::format("{}: {}; nothing was written", kernel, damage));
  return std::nullopt;
}

void save_pipeline_cache(Executor& executor) {
  const std::string warning = executor.save_pipeline_cache();
  if (!warning.empty()) print_error(warning);
}

}  // namespace vkmoye::bench
