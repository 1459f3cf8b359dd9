// SPDX-License-Identifier: MIT
#pragma once
// Statistics of a compiled kernel from the driver: registers, spills, shared memory, instructions.
//
//   Device device = Device::open({}, {.statistics = true});
//   for (const PipelineExecutable& part : executables_of(device.load(code))) {
//     for (const PipelineStatistic& s : part.statistics) {
//       std::printf("%s: %s\n", s.name.c_str(), to_string(s.value).c_str());   // "VGPRs: 72"
//     }
//   }
//
// From VK_KHR_pipeline_executable_properties. Each driver has its own names and units: RADV has "VGPRs", NVIDIA
// "Register Count".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vkmoye/runtime/pipeline.hpp"

namespace vkmoye {

/// A number or a truth value that the driver tells of a compiled kernel.
struct PipelineStatistic {
  /// The formats of VkPipelineExecutableStatisticFormatKHR.
  using Value = std::variant<bool, std::int64_t, std::uint64_t, double>;
  std::string name;
  std::string description;
  Value value;
};

/// "yes" or "no", or the number.
std::string to_string(const PipelineStatistic::Value& value);

/// The kernel as text after one stage of the driver's compiler: "NIR", "Assembly".
struct PipelineText {
  std::string name;
  std::string description;
  std::string text;
};

/// One of the programs that a pipeline was compiled to; a kernel usually has one.
struct PipelineExecutable {
  std::string name;
  std::string description;
  std::uint32_t subgroup_size = 0;  // 0: not reported
  std::vector<PipelineStatistic> statistics;
  std::vector<PipelineText> texts;  // from first to last stage; many drivers have none

  /// The value of the statistic `name`, if it exists and is a whole number.
  std::optional<std::int64_t> count(std::string_view name) const;
};

/// Empty if the device was opened without OpenOptions::statistics, was adopted, or reports nothing.
/// Throws DeviceError.
std::vector<PipelineExecutable> executables_of(const Pipeline& pipeline);

}  // namespace vkmoye
