// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/pipeline.hpp"

#include <utility>

#include "vkmoye/runtime/vk/pipeline_state.hpp"

namespace vkmoye {

Pipeline::Pipeline(std::shared_ptr<const vk::PipelineState> state) : state_(std::move(state)) {}

const KernelInterface& Pipeline::interface() const { return state_->interface; }

}  // namespace vkmoye
