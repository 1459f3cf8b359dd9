// SPDX-License-Identifier: MIT
#pragma once
// Records a CompiledPlan, several kernels that compute one result, into your own command buffers. Like recorder.hpp,
// which records one kernel.
//
//   PlanRecorder product(device, read_plan_file("product.json"), {.recordings = 256});
//   ..
//   product.record(commands, {a, b, c}, {.after = kComputePass, .before = kComputePass});
//
// Sizes and arguments are those of the plan; the buffers can differ in each recording. Barriers between the steps
// of the plan are recorded here, wherever one step reads or writes what another wrote.

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/runtime/recorder.hpp"

namespace vkmoye {

/// How many recordings a PlanRecorder is for, and what it uses.
struct PlanRecorderOptions {
  std::uint32_t recordings = 0;  // recordings of the whole plan, see RecorderOptions
  std::uint32_t timestamps = 0;  // recordings that are timed, see RecorderOptions
  /// Your own memory for the scratch arrays of the plan: scratch_places(plan, caps).bytes bytes, at a multiple of
  /// storage_buffer_alignment and of 16. Nothing else may use it while a recording runs. For a plan with an indirect
  /// step, its VkBuffer also needs VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT. If it is not given, the PlanRecorder allocates
  /// it once.
  std::optional<BufferView> scratch = {};
};

/// All recordings of one PlanRecorder use the same scratch. On one queue, each recording waits for the one before
/// it; to use several queues at once, `share` one for each. The rules of recorder.hpp on memory, threads
/// and lifetimes apply here too; a recording allocates nothing.
class PlanRecorder {
 public:
  /// Loads the kernels. Throws ArgumentError with every reason: an invalid plan (reasons_against), or scratch that
  /// is too short; KernelError and DeviceError like Recorder.
  PlanRecorder(Device& device, const CompiledPlan& plan, const PlanRecorderOptions& options = {});
  PlanRecorder(PlanRecorder&&) noexcept;
  PlanRecorder& operator=(PlanRecorder&&) noexcept;
  ~PlanRecorder();

  /// Another PlanRecorder of the kernels as they are loaded, for another thread or queue: with scratch, descriptor sets
  /// and timestamps of its own. It loads nothing; with `timestamps`, it submits a command and waits for it. Throws like
  /// the constructor.
  PlanRecorder share(const PlanRecorderOptions& options = {}) const;

  /// The arrays that `record` takes, in order.
  std::span<const PlanArray> arrays() const;

  /// Records all steps, or nothing if it throws. Each view starts at the array's first element. Throws
  /// ArgumentError with every reason of every step: those of Recorder::record; too few or too many arrays; an array
  /// that is written and overlaps another one, even if no step uses both; an indirect step whose grid, at the maxima of
  /// its sizes, exceeds maxComputeWorkGroupCount.
  void record(VkCommandBuffer commands, std::span<const BufferView> arrays,
              const Neighbours& neighbours = {});
  void record(VkCommandBuffer commands, std::initializer_list<BufferView> arrays,
              const Neighbours& neighbours = {}) {
    record(commands, std::span(arrays.begin(), arrays.size()), neighbours);
  }

  /// For a plan with a kernel whose workgroups wait for each other: throws DeviceError if one of them waited in vain in
  /// a recording that has run, so that its results are wrong; the next recording can wait again. Reads a few bytes from
  /// the device, after all work that was submitted through it. Other plans: nothing happens.
  void require_arrivals();

  /// The times of each step, as Recorder::times gives them for a kernel.
  std::vector<KernelTime> times() const;

  /// Makes all recordings available again, as Recorder::reset does.
  void reset();

 private:
  struct State;
  explicit PlanRecorder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vkmoye
