// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/recorded_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/timestamps.hpp"

namespace vkmoye::vk {

namespace {

// With descriptors that are pushed if the device can push all of them.
std::shared_ptr<const PipelineState> load_to_record(Device& device, const CompiledKernel& kernel,
                                                    const Arguments& specialised) {
  const std::uint64_t descriptors = descriptor_count(kernel.interface);
  const bool pushes =
      descriptors > 0 && descriptors <= device.context()->device->max_push_descriptors();
  return load(device.context(), kernel, specialised, pushes);
}

}  // namespace

RecordedKernel::RecordedKernel(Device& device, const CompiledKernel& kernel,
                               const RecorderOptions& options)
    : RecordedKernel(load_to_record(device, kernel, options.specialised), options.recordings,
                     options.timestamps) {}

RecordedKernel::RecordedKernel(std::shared_ptr<const PipelineState> pipeline,
                               std::uint32_t recordings, std::uint32_t timestamps)
    : pipeline_(std::move(pipeline)),
      formula_(pipeline_->interface, pipeline_->context->caps()),
      max_timed_(timestamps) {
  const Context& context = *pipeline_->context;
  if (max_timed_ > 0) {
    queries_ = std::make_shared<const Owned<VkQueryPool>>(
        make_timestamps(context, pipeline_->interface.name, max_timed_));
    reset_queries();
  }
  if (!takes_sets()) return;
  max_sets_ = recordings;
  if (max_sets_ > 0) pool_ = make_pool(context, pipeline_->interface, max_sets_);
}

RecordedKernel RecordedKernel::share(std::uint32_t recordings, std::uint32_t timestamps) const {
  return {pipeline_, recordings, timestamps};
}

bool RecordedKernel::takes_sets() const {
  return !pipeline_->pushes && descriptor_count(pipeline_->interface) > 0;
}

void RecordedKernel::bind(std::span<const BufferView> views, const Arguments& arguments) {
  vk::bind(*pipeline_->context, pipeline_->interface, views, arguments, launch_);
  require_set();
}

void RecordedKernel::bind(std::span<const BufferView> views, std::span<const Argument> values) {
  vk::bind(*pipeline_->context, pipeline_->interface, views, formula_, values, launch_);
  require_set();
}

void RecordedKernel::require_set() const {
  if (!runs() || !takes_sets() || used_ < max_sets_) return;
  throw ArgumentError(fmt::format(
      "{}: all {} recordings of RecorderOptions::recordings are used, and the "
      "device does not push descriptors (VK_KHR_push_descriptor, {} of them); give a larger "
      "number, or call reset() once the device has finished them",
      pipeline_->interface.name, max_sets_, descriptor_count(pipeline_->interface)));
}

void RecordedKernel::take_set() {
  if (!runs() || !takes_sets()) return;
  if (taken_ == VK_NULL_HANDLE) taken_ = allocate_set(*pipeline_, pool_.get());
  writes_.assign(pipeline_->interface, launch_, taken_);
  pipeline_->context->table().UpdateDescriptorSets(pipeline_->context->handle(), writes_.count(),
                                                   writes_.data(), 0, nullptr);
}

void RecordedKernel::record(VkCommandBuffer commands, const std::optional<CommandPlace>& groups) {
  const std::uint32_t number = recorded_;
  if (recorded_ < std::numeric_limits<std::uint32_t>::max()) ++recorded_;
  if (!runs()) return;
  const DeviceTable& table = pipeline_->context->table();
  const DebugLabel label(pipeline_->context->names, commands, pipeline_->label);
  const bool is_timed = number < max_timed_;
  const auto stamp = [&](std::uint32_t index) {
    if (!is_timed) return;
    table.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_->get(),
                            2 * number + index);
  };
  if (is_timed) table.CmdResetQueryPool(commands, queries_->get(), 2 * number, 2);
  stamp(0);
  const VkPipelineLayout layout = pipeline_->layout.get();
  table.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_->pipeline.get());
  if (pipeline_->pushes) {
    writes_.assign(pipeline_->interface, launch_, VK_NULL_HANDLE);
    table.CmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0,
                                  writes_.count(), writes_.data());
  } else if (taken_ != VK_NULL_HANDLE) {
    table.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &taken_, 0,
                                nullptr);
    taken_ = VK_NULL_HANDLE;
    ++used_;
  }
  if (groups) {
    vk::record(commands, *pipeline_, launch_.dispatches, *groups);
  } else {
    vk::record(commands, *pipeline_, launch_.dispatches);
  }
  stamp(1);
}

void RecordedKernel::add_times(std::uint32_t step, std::vector<KernelTime>& times) const {
  const std::uint32_t count = std::min(recorded_, max_timed_);
  if (count == 0) return;
  const std::vector<std::optional<double>> known =
      read_known_intervals_us(*pipeline_->context, queries_->get(), count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (known[i]) times.push_back({i, step, *known[i]});
  }
}

// Queries that no command has reset must not be read.
void RecordedKernel::reset_queries() {
  if (!queries_) return;
  const Context& context = *pipeline_->context;
  context.commands->run(
      [&](VkCommandBuffer commands) {
        context.table().CmdResetQueryPool(commands, queries_->get(), 0, 2 * max_timed_);
      },
      std::make_shared<std::pair<decltype(pipeline_), decltype(queries_)>>(pipeline_, queries_));
}

void RecordedKernel::reset() {
  reset_queries();
  recorded_ = 0;
  if (!pool_) return;
  const Context& context = *pipeline_->context;
  check(context.table().ResetDescriptorPool(context.handle(), pool_.get(), 0),
        "vkResetDescriptorPool");
  used_ = 0;
  taken_ = VK_NULL_HANDLE;
}

}  // namespace vkmoye::vk
