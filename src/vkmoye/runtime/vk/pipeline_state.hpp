// SPDX-License-Identifier: MIT
#pragma once
// A kernel that is loaded on a device: the state of a Pipeline.

#include <memory>
#include <string>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye::vk {

struct PipelineState {
  std::shared_ptr<Context> context;
  KernelInterface interface;  // with the values of specialised arguments
  std::string label;          // for debuggers
  Owned<VkDescriptorSetLayout> set_layout;
  Owned<VkPipelineLayout> layout;
  Owned<VkPipeline> pipeline;
  bool pushes = false;  // its descriptors are pushed into command buffers: it has no sets
};

/// What `reasons_against` returns and, for an `adopted` device, what to enable on it.
std::vector<std::string> reasons_against(const Context& context, const KernelInterface& kernel,
                                         bool adopted);

/// Loads a kernel, see Device::load; `pushes`: for descriptors that are pushed. Precondition: the device
/// does.
std::shared_ptr<const PipelineState> load(const std::shared_ptr<Context>& context,
                                          const CompiledKernel& kernel, const Arguments& values,
                                          bool pushes);

}  // namespace vkmoye::vk
