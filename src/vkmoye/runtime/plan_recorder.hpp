// SPDX-License-Identifier: MIT
#pragma once
// Several kernels that compute one thing, in command buffers of yours: recorder.hpp for a CompiledPlan.
//
//   PlanRecorder product(device, read_plan_file("product.json"), {.recordings = 256});
//   ..
//   product.record(commands, {a, b, c}, {.after = kComputePass, .before = kComputePass});
//
// Sizes and arguments are those of the plan; buffers are others each time. What its steps need of each other
// is ours: barriers stand where one reads or writes what another wrote.

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>

#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/runtime/recorder.hpp"

namespace vkmoye {

struct PlanRecorderOptions {
  std::uint32_t recordings = 0;  // as RecorderOptions: of the whole plan
  /// Memory of yours for the plan's scratch, scratch_places(plan, caps).bytes of it at a multiple of
  /// storage_buffer_alignment and of 16, which nothing else uses while a recording runs. Nothing: it is allocated
  /// here, once.
  std::optional<BufferView> scratch = {};
};

/// All recordings of one PlanRecorder use the same scratch. One after the other on one queue, they wait for
/// each other; on several queues at once, take a PlanRecorder for each. What recorder.hpp says of
/// memory, threads and life times holds here too; a recording allocates nothing at all.
class PlanRecorder {
 public:
  /// Loads the kernels. Throws ArgumentError with every reason: a plan that is none (reasons_against),
  /// scratch that is too short; KernelError, DeviceError as Recorder.
  PlanRecorder(Device& device, const CompiledPlan& plan, const PlanRecorderOptions& options = {});
  PlanRecorder(PlanRecorder&&) noexcept;
  PlanRecorder& operator=(PlanRecorder&&) noexcept;
  ~PlanRecorder();

  /// What `record` takes, in order.
  std::span<const PlanArray> arrays() const;

  /// Records all steps, or, where it throws, nothing. Each view begins with the array's first element. Throws
  /// ArgumentError with every reason of every step: those of Recorder::record; too few or too many arrays;
  /// one that is written and overlaps another, though no step is given both.
  void record(VkCommandBuffer commands, std::span<const BufferView> arrays,
              const Neighbours& neighbours = {});
  void record(VkCommandBuffer commands, std::initializer_list<BufferView> arrays,
              const Neighbours& neighbours = {}) {
    record(commands, std::span(arrays.begin(), arrays.size()), neighbours);
  }

  /// As Recorder::reset.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vkmoye
