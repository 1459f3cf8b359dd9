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
// From VK_KHR_pipeline_executable_properties. Names and units are each driver's own: RADV says
// "VGPRs" where NVIDIA says "Register Count".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vkmoye/runtime/pipeline.hpp"

namespace vkmoye {

struct PipelineStatistic {
  using Value = std::variant<bool, std::int64_t, std::uint64_t, double>;
  std::string name;
  std::string description;
  Value value;
};

/// "yes" or "no", or the number.
std::string to_string(const PipelineStatistic::Value& value);

/// The kernel at one stage of the driver's compiler, as text: "NIR", "Assembly".
struct PipelineText {
  std::string name;
  std::string description;
  std::string text;
};

/// One of the programs that a pipeline was compiled to; a kernel usually has one.
struct PipelineExecutable {
  std::string name;
  std::string description;
  std::uint32_t subgroup_size = 0;  // 0: the driver does not say
  std::vector<PipelineStatistic> statistics;
  std::vector<PipelineText> texts;  // from first to last stage; many drivers give none

  /// The value of the statistic called `name`, where there is one and it is a whole number.
  std::optional<std::int64_t> count(std::string_view name) const;
};

/// Empty where the device was opened without OpenOptions::statistics, was adopted, or says nothing.
/// Throws DeviceError.
std::vector<PipelineExecutable> executables_of(const Pipeline& pipeline);

}  // namespace vkmoye
