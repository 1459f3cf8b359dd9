// SPDX-License-Identifier: MIT
#include "devices/driver_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"

namespace vkmoye::bench {
namespace {

// A statistic whose low 32 bits count spills, and its value without spills.
struct Spill {
  const char* name;
  std::int64_t of_every_kernel;
};

constexpr Spill kSpills[] = {
    {"Spilled VGPRs",
     0},  // RADV; spilled scalar registers go to vector registers and are not counted
    {"Spills to memory", 0},    // NVK
    {"Local Memory Size", 36},  // NVIDIA: bytes per thread; 36 without spills
};

// The statistics that say how many subgroups a unit runs at once.
struct Occupancy {
  const char* name;
  const char* unit;
};

constexpr Occupancy kOccupancies[] = {
    {"Subgroups per SIMD", "SIMD"},     // RADV
    {"Max warps/SM", "multiprocessor"}  // NVK
};

bool counts_spills(const PipelineExecutable& executable) {
  return std::any_of(std::begin(kSpills), std::end(kSpills),
                     [&](const Spill& spill) { return executable.count(spill.name).has_value(); });
}

}  // namespace

std::string spilled(const PipelineExecutable& executable) {
  for (const Spill& spill : kSpills) {
    const auto count = executable.count(spill.name);
    if (!count) continue;
    const std::int64_t more = (*count & 0xffffffff) - spill.of_every_kernel;
    if (more > 0) return fmt::format("{} {}", spill.name, more);
  }
  return "";
}

DriverReport compile_with_driver(Device& device, const gen::ir::Kernel& kernel) {
  DriverReport out;
  try {
    out.programs = executables_of(device.load(gen::compile(kernel)));
    if (out.programs.empty()) {
      out.why_none = fmt::format("{} has no statistics (VK_KHR_pipeline_executable_properties)",
                                 device.caps().driver);
    }
  } catch (const KernelError& error) {
    out.why_none = in_one_line("the device cannot run it: " + join(error.reasons, "; "));
  } catch (const DeviceError& error) {
    out.why_none = in_one_line(std::string("it failed: ") + error.what());
  }
  return out;
}

std::string occupancy_of(const PipelineExecutable& program) {
  for (const auto& [name, unit] : kOccupancies) {
    if (const auto count = program.count(name)) {
      return fmt::format("{} subgroups per {}", *count, unit);
    }
  }
  return "";
}

std::string spills_of(const PipelineExecutable& program) {
  const std::string what = spilled(program);
  return what.empty() && counts_spills(program) ? "none" : what;
}

}  // namespace vkmoye::bench
