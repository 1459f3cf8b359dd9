// SPDX-License-Identifier: MIT
#pragma once
// What the handles of the C interface point to. Each keeps alive what it was made from.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/compiled_file.hpp"
#include "vkmoye/runtime/vulkan.hpp"
#include "vkmoye/vkmoye.h"

struct vkmoye_file {
  /// At least one; the first describes all.
  std::vector<vkmoye::CompiledFile> variants;
  std::vector<std::string> arguments;  // names, sorted

  vkmoye_file() = default;
  /// Precondition: `of` is not empty.
  explicit vkmoye_file(std::vector<vkmoye::CompiledFile> of);

  /// One of the two, the other is null.
  const vkmoye::CompiledKernel* kernel() const {
    return std::get_if<vkmoye::CompiledKernel>(&variants.front());
  }
  const vkmoye::CompiledPlan* plan() const {
    return std::get_if<vkmoye::CompiledPlan>(&variants.front());
  }
  /// The variant that a device takes. Throws KernelError if it can run none of several.
  const vkmoye::CompiledFile& for_device(const vkmoye::DeviceCaps& caps) const {
    return variants[vkmoye::fitting_variant(variants, caps)];
  }
  const std::string& name() const { return kernel() ? kernel()->interface.name : plan()->name; }
  /// The name of an array. Precondition: number < array_count().
  const std::string& array_name(std::size_t number) const {
    return kernel() ? kernel()->interface.bindings[number].name : plan()->arrays[number].name;
  }
  std::size_t array_count() const {
    return kernel() ? kernel()->interface.bindings.size() : plan()->arrays.size();
  }
  /// Calls `visit` with the binding of an array in the kernel, or in each step of the plan, and the arguments of the
  /// step: null for a kernel. Precondition: number < array_count().
  template <class Visit>
  void for_each_use(std::size_t number, const Visit& visit) const {
    const vkmoye::Arguments* none = nullptr;
    if (kernel()) return visit(kernel()->interface.bindings[number], none);
    for (const vkmoye::CompiledStep& step : plan()->steps) {
      for (std::size_t i = 0; i < step.arrays.size(); ++i) {
        if (step.arrays[i] == number) visit(step.kernel.interface.bindings[i], &step.arguments);
      }
    }
  }
};

struct vkmoye_requirements {
  vkmoye::DeviceRequirements needs;
};

struct vkmoye_device {
  std::shared_ptr<vkmoye::Device> device;
};

struct vkmoye_buffer {
  std::shared_ptr<vkmoye::Device> device;
  vkmoye::Buffer buffer;
};

namespace vkmoye::c {

/// A kernel or a plan that records.
struct AnyRecorder {
  // One of the two.
  std::optional<Recorder> kernel;
  std::optional<PlanRecorder> plan;
};

}  // namespace vkmoye::c

struct vkmoye_recorder {
  std::shared_ptr<vkmoye::Device> device;
  vkmoye_file file;  // its kernel has the values of specialised arguments
  std::shared_ptr<vkmoye::c::AnyRecorder> recording;
  bool is_timed = false;
  /// The caller's scratch; a Buffer of `scratch` stays alive here.
  std::optional<vkmoye::Buffer> scratch_buffer;
  std::optional<vkmoye::BufferView> scratch;
  /// The recorder that vkmoye_run resets, because the descriptor sets of `recording` may be in use. Null until then.
  std::shared_ptr<vkmoye::c::AnyRecorder> run_recorder;
  // Kept from the last call, so that the next one finds room for its own.
  std::vector<vkmoye::BufferView> views;
  std::vector<vkmoye::Argument> values;
};
