// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/plan_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/specialisation.hpp"
#include "vkmoye/runtime/recorded_kernel.hpp"
#include "vkmoye/runtime/vk/barriers.hpp"
#include "vkmoye/runtime/vk/buffer_state.hpp"
#include "vkmoye/runtime/vk/check.hpp"

namespace vkmoye {
namespace {

// The arrays that are read and written since the last barrier.
class Use {
 public:
  explicit Use(std::size_t arrays) : read_(arrays), written_(arrays) {}

  bool conflicts(const CompiledStep& step) const {
    bool out = false;
    each(step, [&](std::size_t array, Access access) {
      out = out || written_[array] || (access != Access::read && read_[array]);
    });
    return out;
  }
  void add(const CompiledStep& step) {
    each(step, [&](std::size_t array, Access access) {
      if (access != Access::write) read_[array] = true;
      if (access != Access::read) written_[array] = true;
    });
  }
  bool writes(std::size_t array) const { return written_[array]; }

 private:
  template <class Body>
  static void each(const CompiledStep& step, Body body) {
    for (std::size_t b = 0; b < step.arrays.size(); ++b) {
      body(step.arrays[b], step.kernel.interface.bindings[b].access);
    }
    if (step.indirect) body(*step.indirect, Access::read);
  }
  std::vector<bool> read_, written_;
};

// Two elements of u32, see KernelInterface::arrivals.
constexpr std::uint64_t kArrivalsBytes = 2 * sizeof(std::uint32_t);

// The scope of an indirect step, which also reads its groups.
constexpr SyncScope kIndirectScope = {kComputePass.stages | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                                      kComputePass.access | VK_ACCESS_INDIRECT_COMMAND_READ_BIT};

}  // namespace

struct PlanRecorder::State {
  struct Step {
    vk::RecordedKernel kernel;
    Arguments arguments;
    std::vector<std::size_t> arrays;
    bool waits;  // for an earlier step
    std::optional<std::size_t> indirect;
    std::vector<BufferView> views = {};
    std::optional<vk::CommandPlace> groups = {};  // where they are, of an indirect step
  };
  std::shared_ptr<vk::Context> context;
  std::string name;
  std::vector<PlanArray> arrays;  // the caller's, then scratch
  std::size_t given = 0;          // the number of the caller's arrays
  std::vector<bool> is_written = {};
  ScratchPlaces places = {};
  std::optional<Buffer> scratch_buffer = {};  // keeps it alive, unless it is a VkBuffer
  std::vector<BufferView> scratch = {};
  std::optional<Buffer> arrivals =
      {};  // of kernels whose workgroups wait for each other, one after the other
  std::vector<Step> steps = {};
  // Of the last recording.
  std::vector<BufferView> views = {};
  std::vector<BoundRange> ranges = {};
  std::vector<std::string> reasons = {};

  State(Device& device, const CompiledPlan& plan, const PlanRecorderOptions& options)
      : context(device.context()), name(plan.name), arrays(plan.arrays), given(plan.arrays.size()) {
    reasons = reasons_against(plan);
    if (!reasons.empty()) throw ArgumentError(with_reasons("plan " + name, reasons));
    arrays.insert(arrays.end(), plan.scratch.begin(), plan.scratch.end());
    places = scratch_places(plan, device.caps());
    place_scratch(options.scratch);
    Use all(arrays.size()), since_barrier(arrays.size());
    for (const CompiledStep& step : plan.steps) {
      // The barriers of other steps do not make a command visible.
      const bool waits = step.indirect || since_barrier.conflicts(step);
      if (waits) since_barrier = Use(arrays.size());
      since_barrier.add(step);
      all.add(step);
      const RecorderOptions of_step = {options.recordings, options.timestamps,
                                       specialised_among(step.kernel.interface, step.arguments)};
      steps.push_back({vk::RecordedKernel(device, step.kernel, of_step), step.arguments,
                       step.arrays, waits, step.indirect});
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) is_written.push_back(all.writes(i));
    place_arrivals();
  }

  // With the kernels of `other`.
  State(const State& other, const PlanRecorderOptions& options)
      : context(other.context),
        name(other.name),
        arrays(other.arrays),
        given(other.given),
        is_written(other.is_written),
        places(other.places) {
    place_scratch(options.scratch);
    for (const Step& step : other.steps) {
      steps.push_back({step.kernel.share(options.recordings, options.timestamps), step.arguments,
                       step.arrays, step.waits, step.indirect});
    }
    place_arrivals();
  }

  // Arrivals are 0 before the first launch, and must not be overwritten between two, so they are not in scratch.
  void place_arrivals() {
    std::vector<std::size_t> numbers;  // of their arrays
    for (const Step& step : steps) {
      const auto& binding = step.kernel.pipeline().interface.arrivals;
      if (binding) numbers.push_back(step.arrays.at(*binding));
    }
    if (numbers.empty()) return;
    const std::uint64_t each =
        std::max<std::uint64_t>(kArrivalsBytes, context->caps().storage_buffer_alignment);
    arrivals.emplace(std::make_shared<vk::BufferState>(context, each * numbers.size(),
                                                       "arrivals of plan " + name));
    arrivals->fill(std::byte{0});
    for (std::size_t i = 0; i < numbers.size(); ++i)
      scratch.at(numbers[i] - given) = BufferView(*arrivals, each * i, kArrivalsBytes);
  }

  void place_scratch(const std::optional<BufferView>& theirs) {
    if (places.bytes == 0) return;
    if (!theirs) {
      scratch_buffer.emplace(
          std::make_shared<vk::BufferState>(context, places.bytes, "scratch of plan " + name));
    } else if (theirs->buffer != nullptr) {
      scratch_buffer.emplace(theirs->buffer->state());
    }
    BufferView whole = theirs ? *theirs : BufferView(*scratch_buffer);
    if (scratch_buffer) whole.buffer = &*scratch_buffer;
    const vk::BoundBuffer bound = vk::resolve(*context, "scratch of plan " + name, whole);
    if (bound.range.bytes < places.bytes) {
      throw ArgumentError(fmt::format("plan {}: needs {} bytes of scratch, got {}", name,
                                      places.bytes, bound.range.bytes));
    }
    for (std::size_t i = 0; i < places.offsets.size(); ++i) {
      BufferView& view = scratch.emplace_back(whole);
      view.offset += places.offsets[i];
      view.bytes = arrays[given + i].bytes;
    }
  }

  // Adds the errors that `body` throws to `reasons`.
  template <class Body>
  void collect(Body body) {
    try {
      body();
    } catch (const ArgumentError& error) {
      reasons.emplace_back(error.what());
    }
  }

  void bind(std::span<const BufferView> theirs) {
    reasons.clear();
    views.assign(theirs.begin(), theirs.end());
    if (views.size() != given) {
      throw ArgumentError(
          fmt::format("plan {}: takes {} arrays, got {}", name, given, views.size()));
    }
    views.insert(views.end(), scratch.begin(), scratch.end());
    collect([&] { check_overlaps(); });
    for (Step& step : steps) {
      step.views.clear();
      for (const std::size_t array : step.arrays) step.views.push_back(views[array]);
      collect([&] {
        step.kernel.bind(step.views, step.arguments);
        if (step.indirect) bind_groups(step);
      });
    }
    if (!reasons.empty()) throw ArgumentError(with_reasons("plan " + name, reasons));
  }

  void bind_groups(Step& step) const {
    const vk::BoundBuffer bound = vk::resolve(*context, name, views[*step.indirect]);
    step.groups = {bound.handle, bound.range.offset};
    if (step.kernel.dispatches() <= 1) return;
    throw ArgumentError(fmt::format(
        "{}: its grid takes {} dispatches at the maxima of its sizes, because the device limits "
        "the groups of each (maxComputeWorkGroupCount); an indirect dispatch cannot be split",
        step.kernel.pipeline().interface.name, step.kernel.dispatches()));
  }

  // Also between arrays that no step uses together.
  void check_overlaps() {
    ranges.clear();
    for (const BufferView& view : views) {
      ranges.push_back(vk::resolve(*context, name, view).range);
    }
    for (std::size_t j = 0; j < ranges.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if ((!is_written[i] && !is_written[j]) || !overlap(ranges[i], ranges[j])) continue;
        reasons.push_back(
            fmt::format("plan {}: {}", name,
                        overlap_reason(arrays[i].name, ranges[i], arrays[j].name, ranges[j],
                                       arrays[is_written[j] ? j : i].name)));
      }
    }
  }
};

PlanRecorder::PlanRecorder(Device& device, const CompiledPlan& plan,
                           const PlanRecorderOptions& options)
    : state_(std::make_unique<State>(device, plan, options)) {}
PlanRecorder::PlanRecorder(std::unique_ptr<State> state) : state_(std::move(state)) {}
PlanRecorder::PlanRecorder(PlanRecorder&&) noexcept = default;
PlanRecorder& PlanRecorder::operator=(PlanRecorder&&) noexcept = default;
PlanRecorder::~PlanRecorder() = default;

PlanRecorder PlanRecorder::share(const PlanRecorderOptions& options) const {
  return PlanRecorder(std::make_unique<State>(*state_, options));
}

std::span<const PlanArray> PlanRecorder::arrays() const {
  return std::span(state_->arrays).first(state_->given);
}

void PlanRecorder::record(VkCommandBuffer commands, std::span<const BufferView> arrays,
                          const Neighbours& neighbours) {
  State& state = *state_;
  vk::require_commands(commands, "a plan");
  state.bind(arrays);
  for (State::Step& step : state.steps) step.kernel.take_set();
  // Nothing can fail from here on, so it is safe to start recording.
  const vk::DeviceTable& table = state.context->table();
  vk::order(table, commands, neighbours.after, kComputePass);
  // The previous recording may still use the scratch; its indirect reads come before its compute stage.
  if (!state.scratch.empty()) vk::order(table, commands, kComputePass, kComputePass);
  for (State::Step& step : state.steps) {
    const SyncScope& scope = step.indirect ? kIndirectScope : kComputePass;
    if (step.waits) vk::order(table, commands, kComputePass, scope);
    step.kernel.record(commands, step.groups);
    step.kernel.release();
  }
  vk::order(table, commands, kComputePass, neighbours.before);
}

std::vector<KernelTime> PlanRecorder::times() const {
  std::vector<KernelTime> times;
  std::uint32_t number = 0;
  for (const State::Step& step : state_->steps) step.kernel.add_times(number++, times);
  std::stable_sort(times.begin(), times.end(), [](const KernelTime& a, const KernelTime& b) {
    return a.recording < b.recording;
  });
  return times;
}

void PlanRecorder::require_arrivals() {
  State& state = *state_;
  if (!state.arrivals) return;
  std::vector<std::uint32_t> words(state.arrivals->bytes() / sizeof(std::uint32_t));
  state.arrivals->read(std::as_writable_bytes(std::span(words)));
  const std::size_t each = std::max<std::size_t>(
      2, state.context->caps().storage_buffer_alignment / sizeof(std::uint32_t));
  bool in_vain = false;
  for (std::size_t i = 1; i < words.size(); i += each) in_vain = in_vain || words[i] != 0;
  if (!in_vain) return;
  state.arrivals->fill(std::byte{0});
  throw DeviceError(DeviceError::Kind::kLost,
                    fmt::format("plan {}: a workgroup waited in vain for others of its launch, "
                                "which did not run at the same time; "
                                "the results are wrong",
                                state.name));
}

void PlanRecorder::reset() {
  for (State::Step& step : state_->steps) step.kernel.reset();
}

}  // namespace vkmoye
