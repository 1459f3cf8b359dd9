// SPDX-License-Identifier: MIT
#pragma once
// A kernel, ready to be launched on one device.

#include <memory>

#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

namespace vk {
struct PipelineState;
}

/// Immutable; copies share it. Thread-safe. Made by Device::load.
class Pipeline {
 public:
  /// Called by Device::load.
  explicit Pipeline(std::shared_ptr<const vk::PipelineState> state);

  /// The interface of the kernel, with the values of specialised arguments.
  const KernelInterface& interface() const;

  const std::shared_ptr<const vk::PipelineState>& state() const {
    return state_;
  }  // for the runtime

 private:
  std::shared_ptr<const vk::PipelineState> state_;
};

}  // namespace vkmoye
