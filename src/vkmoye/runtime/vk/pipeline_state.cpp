// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/pipeline_state.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/specialisation.hpp"
#include "vkmoye/runtime/values/kernel_label.hpp"
#include "vkmoye/runtime/vk/features.hpp"

namespace vkmoye::vk {
namespace {

Owned<VkDescriptorSetLayout> make_set_layout(const Context& context,
                                             const std::vector<Binding>& bindings, bool pushes) {
  std::vector<VkDescriptorSetLayoutBinding> rows;
  for (std::uint32_t i = 0; i < bindings.size(); ++i) {
    if (bindings[i].addressing != Addressing::descriptor) continue;
    VkDescriptorSetLayoutBinding& row = rows.emplace_back();
    row.binding = i;
    row.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    row.descriptorCount = 1;
    row.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  if (pushes) info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  info.bindingCount = static_cast<std::uint32_t>(rows.size());
  info.pBindings = rows.data();
  return create<VkDescriptorSetLayout>("vkCreateDescriptorSetLayout", context.handle(),
                                       context.table().CreateDescriptorSetLayout,
                                       context.table().DestroyDescriptorSetLayout, info);
}

Owned<VkPipelineLayout> make_layout(const Context& context, VkDescriptorSetLayout set,
                                    std::uint32_t push_constant_bytes) {
  VkPushConstantRange range = {};
  range.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  range.size = push_constant_bytes;
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &set;
  info.pushConstantRangeCount = push_constant_bytes == 0 ? 0 : 1;
  info.pPushConstantRanges = &range;
  return create<VkPipelineLayout>("vkCreatePipelineLayout", context.handle(),
                                  context.table().CreatePipelineLayout,
                                  context.table().DestroyPipelineLayout, info);
}

// The specialisation constants of a kernel as Vulkan takes them.
struct Specialisation {
  std::vector<std::uint32_t> values;
  std::vector<VkSpecializationMapEntry> entries;

  explicit Specialisation(const KernelInterface& kernel) {
    for (const SpecialisedArgument& argument : kernel.specialised) {
      const auto id = static_cast<std::uint32_t>(values.size());
      entries.push_back({id, id * static_cast<std::uint32_t>(sizeof id), sizeof id});
      values.push_back(argument.value.value());
    }
  }
  VkSpecializationInfo info() const {
    return {static_cast<std::uint32_t>(entries.size()), entries.data(),
            values.size() * sizeof values[0], values.data()};
  }
};

// `interface`: that of the kernel, with the values of specialised arguments.
Owned<VkPipeline> make_pipeline(const Context& context, VkPipelineLayout layout,
                                const CompiledKernel& kernel, const KernelInterface& interface) {
  const DeviceTable& table = context.table();
  VkShaderModuleCreateInfo module_info = {};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = kernel.spirv.size() * sizeof(std::uint32_t);
  module_info.pCode = kernel.spirv.data();
  const auto shader_module =
      create<VkShaderModule>("vkCreateShaderModule", context.handle(), table.CreateShaderModule,
                             table.DestroyShaderModule, module_info);
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader_module.get();
  info.stage.pName = "main";
  const Specialisation specialisation(interface);
  const VkSpecializationInfo constants = specialisation.info();
  if (constants.mapEntryCount > 0) info.stage.pSpecializationInfo = &constants;
  // If it cannot be chosen, the device has only this size (reasons_against).
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo lanes = {};
  lanes.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  lanes.requiredSubgroupSize = interface.subgroup_size;
  if (lanes.requiredSubgroupSize != 0 && context.caps().has(Feature::subgroup_size_control)) {
    info.stage.pNext = &lanes;
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  if (context.device->has_statistics()) {
    info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
                 VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
  }
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  check(table.CreateComputePipelines(context.handle(), context.cache->handle(), 1, &info, nullptr,
                                     &pipeline),
        fmt::format("vkCreateComputePipelines({})", interface.name));
  context.cache->mark_changed();
  return {context.handle(), pipeline, table.DestroyPipeline};
}

// What to enable on an adopted device if a kernel needs a feature that the device has, but that was not listed.
std::string remedy(const Context& context, Feature feature) {
  std::vector<std::string> what;
  for (const Bit* bit : bits_of({feature})) what.push_back(bit->homes.front().name);
  for (const char* name : extensions_of({feature}, context.physical.api_version)) {
    what.push_back(name);
  }
  return fmt::format(
      "needs the feature {}, which the device has, but AdoptedDevice::features does not list{}{}",
      to_string(feature), what.empty() ? "" : "; enable ", join(what, " and "));
}

}  // namespace

std::vector<std::string> reasons_against(const Context& context, const KernelInterface& kernel,
                                         bool adopted) {
  if (!adopted) return vkmoye::reasons_against(kernel, context.caps());
  DeviceCaps able = context.caps();
  able.features.add(context.physical.supported);
  std::vector<std::string> reasons = vkmoye::reasons_against(kernel, able);
  for (const Feature feature : kernel.features.list()) {
    if (able.has(feature) && !context.caps().has(feature)) {
      reasons.push_back(remedy(context, feature));
    }
  }
  return reasons;
}

std::shared_ptr<const PipelineState> load(const std::shared_ptr<Context>& context,
                                          const CompiledKernel& kernel, const Arguments& values,
                                          bool pushes) {
  constexpr std::uint32_t kSpirvMagic = 0x07230203;
  std::vector<std::string> reasons =
      reasons_against(*context, kernel.interface, context->device->is_borrowed());
  if (kernel.spirv.size() < 5 || kernel.spirv.front() != kSpirvMagic) {
    reasons.push_back(fmt::format("its {} words are not SPIR-V", kernel.spirv.size()));
  }
  if (!reasons.empty()) {
    throw KernelError(fmt::format("{} on {}", kernel.interface.name, context->caps().name),
                      std::move(reasons));
  }
  auto state = std::make_shared<PipelineState>();
  state->context = context;
  state->interface = specialised(kernel.interface, values);
  state->pushes = pushes;
  state->set_layout = make_set_layout(*context, kernel.interface.bindings, pushes);
  state->layout =
      make_layout(*context, state->set_layout.get(), push_constant_bytes(kernel.interface));
  state->pipeline = make_pipeline(*context, state->layout.get(), kernel, state->interface);
  state->label = label_of(kernel);
  for (const auto& [name, value] : state->interface.specialised) {
    state->label += fmt::format(" {}={}", name, *value);
  }
  context->names.name(VK_OBJECT_TYPE_PIPELINE, std::bit_cast<std::uint64_t>(state->pipeline.get()),
                      state->label);
  return state;
}

}  // namespace vkmoye::vk
