// SPDX-License-Identifier: MIT
// The functions of vkmoye.h that record and run.

#include <algorithm>
#include <utility>

#include "vkmoye/c/arguments.hpp"
#include "vkmoye/c/objects.hpp"
#include "vkmoye/c/parameters.hpp"
#include "vkmoye/c/status.hpp"
#include "vkmoye/runtime/vk/timed_run.hpp"

namespace vkmoye::c {
namespace {

std::shared_ptr<AnyRecorder> make_any_recorder(const std::shared_ptr<Device>& device,
                                               const CompiledFile& variant,
                                               const RecorderOptions& options,
                                               const std::optional<BufferView>& scratch) {
  auto out = std::make_shared<AnyRecorder>();
  if (const auto* kernel = std::get_if<CompiledKernel>(&variant)) {
    out->kernel.emplace(*device, *kernel, options);
  } else {
    out->plan.emplace(*device, std::get<CompiledPlan>(variant),
                      PlanRecorderOptions{options.recordings, options.timestamps, scratch});
  }
  return out;
}

// A recorder of the same kernels, which are not loaded again.
std::shared_ptr<AnyRecorder> share(const AnyRecorder& recorder, const RecorderOptions& options,
                                   const std::optional<BufferView>& scratch) {
  auto out = std::make_shared<AnyRecorder>();
  if (recorder.kernel) out->kernel.emplace(recorder.kernel->share(options));
  if (recorder.plan) {
    out->plan.emplace(recorder.plan->share({options.recordings, options.timestamps, scratch}));
  }
  return out;
}

BufferView view_of_range(const vkmoye_range& range) {
  const std::uint64_t bytes = range.bytes == 0 ? kToTheEnd : range.bytes;
  if (range.buffer != nullptr) return {range.buffer->buffer, range.offset, bytes};
  return BufferView::of_handle(range.vk_buffer, range.offset, bytes);
}

// vkmoye_recorder_options of any version. Throws ArgumentError naming `function`.
struct WantedRecorder {
  RecorderOptions options;
  std::optional<BufferView> scratch;

  WantedRecorder(const vkmoye_recorder_options* given, const vkmoye_file& file,
                 const char* function) {
    const auto theirs = read_struct(
        given, offsetof(vkmoye_recorder_options, reserved) + sizeof(std::uint32_t), function);
    require_zero(theirs.reserved, function, "reserved");
    require_zero(theirs.reserved_2, function, "reserved_2");
    options = {theirs.recordings, theirs.timestamps,
               arguments_of(file, {theirs.specialised, theirs.specialised_count, function})};
    if (theirs.scratch != nullptr) scratch = view_of_range(*theirs.scratch);
    if (file.plan() && !options.specialised.empty()) {
      throw ArgumentError("plan " + file.name() +
                          ": takes no specialised arguments, because it has their values");
    }
  }
};

// The handle of `recording`, for which `wanted` was given. Its scratch stays alive.
vkmoye_recorder* handle_of_recorder(std::shared_ptr<Device> device, const CompiledFile& variant,
                                    std::shared_ptr<AnyRecorder> recording,
                                    const WantedRecorder& wanted) {
  auto out = std::make_unique<vkmoye_recorder>();
  out->device = std::move(device);
  out->file = vkmoye_file({variant});
  out->recording = std::move(recording);
  out->is_timed = wanted.options.timestamps > 0;
  out->scratch = wanted.scratch;
  if (out->scratch && out->scratch->buffer != nullptr) {
    out->scratch_buffer.emplace(out->scratch->buffer->state());
    out->scratch->buffer = &*out->scratch_buffer;
  }
  if (auto* kernel = std::get_if<CompiledKernel>(&out->file.variants.front())) {
    kernel->interface = out->recording->kernel->interface();
  }
  return out.release();
}

// Room for the views of `arrays` is kept in the recorder.
std::span<const BufferView> views_of(vkmoye_recorder& recorder, const vkmoye_range* arrays,
                                     std::uint32_t count, const char* function) {
  require_elements(arrays, count, function, "arrays");
  recorder.views.clear();
  for (const vkmoye_range& range : std::span(arrays, count)) {
    recorder.views.push_back(view_of_range(range));
  }
  return recorder.views;
}

Neighbours neighbours_of(const vkmoye_order* given) {
  if (given == nullptr) return {};
  return {{given->runs_after.stages, given->runs_after.access},
          {given->runs_before.stages, given->runs_before.access}};
}

void record(AnyRecorder& recording, VkCommandBuffer commands, std::span<const BufferView> views,
            const Arguments& arguments, const Neighbours& order) {
  if (recording.kernel) {
    recording.kernel->record(commands, views, arguments, order);
  } else {
    recording.plan->record(commands, views, order);
  }
}

// The recording for vkmoye_run, all of whose descriptor sets are free, and which counts no recordings of the user.
std::shared_ptr<AnyRecorder> recorder_to_run(vkmoye_recorder& recorder) {
  if (!recorder.is_timed && recorder.recording->kernel &&
      recorder.recording->kernel->pushes_descriptors()) {
    return recorder.recording;
  }
  if (recorder.run_recorder == nullptr) {
    recorder.run_recorder = share(*recorder.recording, {.recordings = 1}, recorder.scratch);
  } else if (recorder.run_recorder->kernel) {
    recorder.run_recorder->kernel->reset();
  } else {
    recorder.run_recorder->plan->reset();
  }
  return recorder.run_recorder;
}

// Not freed while the device may use it, even if a run does not finish in time.
struct InUse {
  std::shared_ptr<AnyRecorder> recording;
  std::vector<std::shared_ptr<const vk::BufferState>> buffers;
};

double run(vkmoye_recorder& recorder, std::span<const BufferView> views,
           const Arguments& arguments) {
  auto in_use = std::make_shared<InUse>();
  in_use->recording = recorder_to_run(recorder);
  for (const BufferView& view : views) {
    if (view.buffer != nullptr) in_use->buffers.push_back(view.buffer->state());
  }
  AnyRecorder& recording = *in_use->recording;
  double time = 0;
  try {
    time = vk::run_timed(
        *recorder.device->context(),
        [&](VkCommandBuffer commands) { record(recording, commands, views, arguments, {}); },
        in_use);
  } catch (...) {
    recorder.run_recorder = nullptr;  // the device may still use its descriptor sets
    throw;
  }
  if (recording.plan) recording.plan->require_arrivals();
  return time;
}

}  // namespace
}  // namespace vkmoye::c

using namespace vkmoye::c;

extern "C" {

vkmoye_status vkmoye_make_recorder(vkmoye_device* device, const vkmoye_file* file,
                                   const vkmoye_recorder_options* options, vkmoye_recorder** out) {
  return guarded([&] {
    constexpr const char* kName = "vkmoye_make_recorder";
    require(device, kName, "device");
    require(file, kName, "file");
    require(out, kName, "out");
    const WantedRecorder wanted(options, *file, kName);
    const vkmoye::CompiledFile& variant = file->for_device(device->device->caps());
    *out = handle_of_recorder(
        device->device, variant,
        make_any_recorder(device->device, variant, wanted.options, wanted.scratch), wanted);
  });
}

vkmoye_status vkmoye_share_recorder(const vkmoye_recorder* recorder,
                                    const vkmoye_recorder_options* options, vkmoye_recorder** out) {
  return guarded([&] {
    constexpr const char* kName = "vkmoye_share_recorder";
    require(recorder, kName, "recorder");
    require(out, kName, "out");
    const WantedRecorder wanted(options, recorder->file, kName);
    *out = handle_of_recorder(recorder->device, recorder->file.variants.front(),
                              share(*recorder->recording, wanted.options, wanted.scratch), wanted);
  });
}

vkmoye_status vkmoye_scratch_bytes(const vkmoye_device* device, const vkmoye_file* file,
                                   uint64_t* out) {
  return guarded([&] {
    constexpr const char* kName = "vkmoye_scratch_bytes";
    require(device, kName, "device");
    require(file, kName, "file");
    require(out, kName, "out");
    const vkmoye::DeviceCaps& caps = device->device->caps();
    const auto* plan = std::get_if<vkmoye::CompiledPlan>(&file->for_device(caps));
    *out = plan ? scratch_places(*plan, caps).bytes : 0;
  });
}

void vkmoye_free_recorder(vkmoye_recorder* recorder) { delete recorder; }

vkmoye_status vkmoye_run(vkmoye_recorder* recorder, const vkmoye_range* arrays,
                         uint32_t array_count, const vkmoye_argument* arguments,
                         uint32_t argument_count, double* microseconds) {
  return guarded([&] {
    constexpr const char* kName = "vkmoye_run";
    require(recorder, kName, "recorder");
    const auto views = views_of(*recorder, arrays, array_count, kName);
    const vkmoye::Arguments all =
        complete_arguments(recorder->file, {arguments, argument_count, kName});
    const double time = run(*recorder, views, all);
    if (microseconds != nullptr) *microseconds = time;
  });
}

vkmoye_status vkmoye_record(vkmoye_recorder* recorder, VkCommandBuffer commands,
                            const vkmoye_range* arrays, uint32_t array_count,
                            const vkmoye_argument* arguments, uint32_t argument_count,
                            const vkmoye_order* order) {
  return guarded([&] {
    constexpr const char* kName = "vkmoye_record";
    require(recorder, kName, "recorder");
    require(commands, kName, "commands");
    record(*recorder->recording, commands, views_of(*recorder, arrays, array_count, kName),
           complete_arguments(recorder->file, {arguments, argument_count, kName}),
           neighbours_of(order));
  });
}

vkmoye_status vkmoye_record_values(vkmoye_recorder* recorder, VkCommandBuffer commands,
                                   const vkmoye_range* arrays, uint32_t array_count,
                                   const vkmoye_value* values, uint32_t value_count,
                                   const vkmoye_order* order) {
  return guarded([&] {
    constexpr const char* kName = "vkmoye_record_values";
    require(recorder, kName, "recorder");
    require(commands, kName, "commands");
    require_elements(values, value_count, kName, "values");
    const auto views = views_of(*recorder, arrays, array_count, kName);
    if (recorder->file.plan()) {
      refuse_arguments(recorder->file, value_count);
      return record(*recorder->recording, commands, views, {}, neighbours_of(order));
    }
    recorder->values.clear();
    for (const vkmoye_value& value : std::span(values, value_count)) {
      recorder->values.push_back(argument_of(value));
    }
    recorder->recording->kernel->record_values(commands, views, recorder->values,
                                               neighbours_of(order));
  });
}

vkmoye_status vkmoye_times(const vkmoye_recorder* recorder, vkmoye_time* times, uint32_t capacity,
                           uint32_t* count) {
  return guarded([&] {
    constexpr const char* kName = "vkmoye_times";
    require(recorder, kName, "recorder");
    require(count, kName, "count");
    require_elements(times, capacity, kName, "times");
    const AnyRecorder& recording = *recorder->recording;
    const std::vector<vkmoye::KernelTime> known =
        recording.kernel ? recording.kernel->times() : recording.plan->times();
    *count = static_cast<uint32_t>(known.size());
    for (std::size_t i = 0; i < std::min<std::size_t>(known.size(), capacity); ++i) {
      times[i] = {known[i].recording, known[i].step, known[i].microseconds};
    }
  });
}

vkmoye_status vkmoye_reset(vkmoye_recorder* recorder) {
  return guarded([&] {
    require(recorder, "vkmoye_reset", "recorder");
    AnyRecorder& recording = *recorder->recording;
    if (recording.kernel) recording.kernel->reset();
    if (recording.plan) recording.plan->reset();
  });
}

vkmoye_status vkmoye_require_arrivals(vkmoye_recorder* recorder) {
  return guarded([&] {
    require(recorder, "vkmoye_require_arrivals", "recorder");
    if (recorder->recording->plan) recorder->recording->plan->require_arrivals();
  });
}

}  // extern "C"
