// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/recorder.hpp"

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/recorded_kernel.hpp"
#include "vkmoye/runtime/vk/barriers.hpp"
#include "vkmoye/runtime/vk/check.hpp"

namespace vkmoye {

struct Recorder::State {
  vk::RecordedKernel kernel;

  // Precondition: the kernel is bound.
  void record(VkCommandBuffer commands, const Neighbours& neighbours) {
    kernel.take_set();
    // Nothing can fail from here on, so it is safe to start recording.
    const vk::DeviceTable& table = kernel.pipeline().context->table();
    vk::order(table, commands, neighbours.after, kComputePass);
    kernel.record(commands);
    vk::order(table, commands, kComputePass, neighbours.before);
    kernel.release();
  }
};

Recorder::Recorder(Device& device, const CompiledKernel& kernel, const RecorderOptions& options)
    : state_(std::make_unique<State>(State{vk::RecordedKernel(device, kernel, options)})) {}
Recorder::Recorder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

Recorder Recorder::share(const RecorderOptions& options) const {
  const vk::RecordedKernel& kernel = state_->kernel;
  if (!options.specialised.empty()) {
    throw ArgumentError(kernel.pipeline().interface.name +
                        ": a shared recorder takes no specialised arguments, because the kernel "
                        "is loaded already");
  }
  return Recorder(
      std::make_unique<State>(State{kernel.share(options.recordings, options.timestamps)}));
}

const KernelInterface& Recorder::interface() const { return state_->kernel.pipeline().interface; }

bool Recorder::pushes_descriptors() const { return state_->kernel.pipeline().pushes; }

void Recorder::record(VkCommandBuffer commands, std::span<const BufferView> buffers,
                      const Arguments& arguments, const Neighbours& neighbours) {
  vk::require_commands(commands, interface().name);
  state_->kernel.bind(buffers, arguments);
  state_->record(commands, neighbours);
}

void Recorder::record_values(VkCommandBuffer commands, std::span<const BufferView> buffers,
                             std::span<const Argument> values, const Neighbours& neighbours) {
  vk::require_commands(commands, interface().name);
  state_->kernel.bind(buffers, values);
  state_->record(commands, neighbours);
}

std::span<const std::string> Recorder::argument_names() const {
  return state_->kernel.argument_names();
}

std::vector<KernelTime> Recorder::times() const {
  std::vector<KernelTime> times;
  state_->kernel.add_times(0, times);
  return times;
}

void Recorder::reset() { state_->kernel.reset(); }

}  // namespace vkmoye
