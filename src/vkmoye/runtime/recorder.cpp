// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/recorder.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/runtime/recorded_kernel.hpp"
#include "vkmoye/runtime/vk/barriers.hpp"

namespace vkmoye {

struct Recorder::State {
  vk::RecordedKernel kernel;
  std::vector<std::string> argument_names;
};

Recorder::Recorder(Device& device, const CompiledKernel& kernel, const RecorderOptions& options)
    : state_(std::make_unique<State>(State{vk::RecordedKernel(device, kernel, options.recordings),
                                           vkmoye::argument_names(kernel.interface)})) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

const KernelInterface& Recorder::interface() const { return state_->kernel.pipeline().interface; }

bool Recorder::pushes_descriptors() const { return state_->kernel.pipeline().pushes; }

void Recorder::record(VkCommandBuffer commands, std::span<const BufferView> buffers,
                      const Arguments& arguments, const Neighbours& neighbours) {
  vk::RecordedKernel& kernel = state_->kernel;
  kernel.bind(buffers, arguments);
  kernel.take_set();
  // Nothing can fail from here on, so it is safe to start recording.
  const vk::DeviceTable& table = kernel.pipeline().context->table();
  vk::order(table, commands, neighbours.after, kKernelScope);
  kernel.record(commands);
  vk::order(table, commands, kKernelScope, neighbours.before);
  kernel.release();
}

void Recorder::record_values(VkCommandBuffer commands, std::span<const BufferView> buffers,
                             std::span<const Argument> values, const Neighbours& neighbours) {
  const std::vector<std::string>& names = state_->argument_names;
  if (values.size() != names.size()) {
    throw ArgumentError(fmt::format("{}: takes {} values ({}), got {}", interface().name,
                                    names.size(), join(names, ", "), values.size()));
  }
  Arguments arguments;
  for (std::size_t i = 0; i < names.size(); ++i) arguments.emplace(names[i], values[i]);
  record(commands, buffers, arguments, neighbours);
}

std::span<const std::string> Recorder::argument_names() const { return state_->argument_names; }

void Recorder::reset() { state_->kernel.reset(); }

}  // namespace vkmoye
