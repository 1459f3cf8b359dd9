// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/pipeline_statistics.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "vkmoye/runtime/vk/check.hpp"
#include "vkmoye/runtime/vk/pipeline_state.hpp"

namespace vkmoye {
namespace {

PipelineStatistic::Value value_of(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: return statistic.value.b32 != VK_FALSE;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: return statistic.value.i64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR: return statistic.value.f64;
    default: return statistic.value.u64;
  }
}

std::vector<PipelineStatistic> statistics_of(const vk::Context& context,
                                             const VkPipelineExecutableInfoKHR& executable) {
  VkPipelineExecutableStatisticKHR blank = {};
  blank.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
  std::vector<PipelineStatistic> statistics;
  for (const auto& row : vk::enumerate<VkPipelineExecutableStatisticKHR>(
           "vkGetPipelineExecutableStatisticsKHR",
           [&](auto*count, auto*items) {
             return context.table().GetPipelineExecutableStatisticsKHR(context.handle(),
                                                                       &executable, count, items);
           },
           blank)) {
    statistics.push_back({row.name, row.description, value_of(row)});
  }
  return statistics;
}

std::vector<PipelineText> texts_of(const vk::Context& context,
                                   const VkPipelineExecutableInfoKHR& executable) {
  const auto get = [&](auto* count, auto* items) {
    return context.table().GetPipelineExecutableInternalRepresentationsKHR(
        context.handle(), &executable, count, items);
  };
  const char* name = "vkGetPipelineExecutableInternalRepresentationsKHR";
  VkPipelineExecutableInternalRepresentationKHR blank = {};
  blank.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
  // The first call returns the sizes, the second the texts.
  auto rows = vk::enumerate<VkPipelineExecutableInternalRepresentationKHR>(name, get, blank);
  std::vector<std::string> storage(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    storage[i].resize(rows[i].dataSize);
    rows[i].pData = storage[i].data();
  }
  if (rows.empty()) return {};
  auto count = static_cast<std::uint32_t>(rows.size());
  vk::check(get(&count, rows.data()), name);
  std::vector<PipelineText> texts;
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i].isText != VK_TRUE) continue;
    std::string& text = storage[i];
    text.resize(text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
    texts.push_back({rows[i].name, rows[i].description, std::move(text)});
  }
  return texts;
}

}  // namespace

std::string to_string(const PipelineStatistic::Value& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, bool>) {
          return v ? "yes" : "no";
        } else {
          return fmt::format("{}", v);
        }
      },
      value);
}

std::optional<std::int64_t> PipelineExecutable::count(std::string_view wanted) const {
  for (const PipelineStatistic& statistic : statistics) {
    if (statistic.name != wanted) continue;
    if (const auto* number = std::get_if<std::int64_t>(&statistic.value)) return *number;
    if (const auto* number = std::get_if<std::uint64_t>(&statistic.value)) {
      return static_cast<std::int64_t>(*number);
    }
  }
  return std::nullopt;
}

std::vector<PipelineExecutable> executables_of(const Pipeline& pipeline) {
  const vk::PipelineState& state = *pipeline.state();
  const vk::Context& context = *state.context;
  if (!context.device->has_statistics()) return {};
  VkPipelineInfoKHR info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR;
  info.pipeline = state.pipeline.get();
  VkPipelineExecutablePropertiesKHR blank = {};
  blank.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
  const auto rows = vk::enumerate<VkPipelineExecutablePropertiesKHR>(
      "vkGetPipelineExecutablePropertiesKHR",
      [&](auto* count, auto* items) {
        return context.table().GetPipelineExecutablePropertiesKHR(context.handle(), &info, count,
                                                                  items);
      },
      blank);
  std::vector<PipelineExecutable> executables;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    VkPipelineExecutableInfoKHR executable = {};
    executable.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
    executable.pipeline = info.pipeline;
    executable.executableIndex = i;
    executables.push_back({rows[i].name, rows[i].description, rows[i].subgroupSize,
                           statistics_of(context, executable), texts_of(context, executable)});
  }
  return executables;
}

}  // namespace vkmoye
