#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device_fit.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::uint64_t kFullVerification = std::uint64_t{1} << 26;

const char* to_string(Verify verify) {
  return verify == Verify::full ? "full" : verify == Verify::sample ? "sample" : "off";
}

// Runnable as it stands, by the user who sees it.
std::string repeat_command(const Device& device, const Problem& problem, const Workload& workload,
                           const MeasureOptions& options) {
  std::vector<std::string> words = {options.program, "run", problem.entry->name};
  const std::vector<std::string> of_work = workload.words();
  words.insert(words.end(), of_work.begin(), of_work.end());
  const auto add = [&](const std::string& name, const std::string& value) {
    words.push_back("--" + name);
    words.push_back(value);
  };
  for (const auto& [name, value] : problem.request.options) add(name, value);
  const MeasureOptions defaults;
  if (options.verify) add("verify", to_string(*options.verify));
  if (options.min_time != defaults.min_time) add("min-time", fmt::format("{}", options.min_time));
  if (!options.baselines.empty()) add("baseline", join(options.baselines, ","));
  if (options.seed != defaults.seed) add("seed", std::to_string(options.seed));
  add("device", options.device.empty() ? device.caps().name.substr(0, device.caps().name.find(" ("))
                                       : options.device);
  return shell_line(words);
}

double median(const Timing& timing) { return quantile(timing, 0.5); }

void add_baselines(Device& device, const Workload& workload, const Buffers& buffers,
                   const std::vector<std::string>& names, const TimeOptions& times, Row& row) {
  for (const std::string& name : names) {
    const BaselineTime baseline = workload.time_baseline(name, device, buffers, times);
    if (baseline.timing) {
      row.ratio[name] = median(*baseline.timing) / median(*row.timing);
    } else {
      row.no_ratio[name] = baseline.unavailable;
    }
  }
}

// Fills in the verdict and the times of a row whose kernel the device can run.
void check_and_time(Device& device, const Workload& workload, const CompiledKernel& kernel,
                    const MeasureOptions& options, Row& row) {
  const Verify verify = options.verify.value_or(
      workload.result_elements() <= kFullVerification ? Verify::full : Verify::sample);

  const std::vector<Array> arrays = workload.arrays();
  Buffers buffers;
  for (const Array& array : arrays) buffers.emplace_back(device, array.bytes);
  workload.fill(buffers, options.seed);
  std::vector<BufferView> views;
  for (const GuardedBuffer& buffer : buffers) views.push_back(buffer.view());
  const Launch launch = device.prepare(device.load(kernel), views, workload.arguments());
  device.run(launch);
  if (verify != Verify::off) {
    const Verdict verdict = workload.check(buffers, verify, options.seed);
    row.mismatches = verdict.mismatches;
    row.max_error = verdict.max_error;
    row.wrong = verdict.first;
    row.verification = to_string(verify);
  }

  TimeOptions times;
  times.warm_up_seconds = times.min_seconds = options.min_time;
  times.max_seconds = std::max(times.max_seconds, options.min_time);
  row.timing = vkmoye::measure(device, launch, times);
  const double microseconds = median(*row.timing);
  row.gbps = workload.bytes() / (microseconds * 1e3);
  if (workload.flops() > 0) row.tflops = workload.flops() / (microseconds * 1e6);
  add_baselines(device, workload, buffers, options.baselines, times, row);

  // After everything that ran, so that no launch wrote beside its buffers unseen.
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::string damage = buffers[i].damage();
    if (damage.empty()) continue;
    row.wrong += fmt::format("{}{}: {}", row.wrong.empty() ? "" : "; ", arrays[i].name, damage);
  }
  if (verify != Verify::off || !row.wrong.empty()) row.verified = row.wrong.empty();
}

}  // namespace

Row measure(Device& device, const Problem& problem, const MeasureOptions& options) {
  const gen::ir::Kernel kernel = problem.entry->describe(problem.request);
  const std::unique_ptr<Workload> workload = make_workload(problem);
  Row row;
  row.kernel = problem.entry->name;
  row.type = workload->type_text();
  row.size = problem.size;
  row.config = kernel.config;
  row.verification = "off";
  row.command = repeat_command(device, problem, *workload, options);

  const CompiledKernel compiled = gen::compile(kernel);
  row.skipped =
      join(reasons_against(device.caps(), compiled.interface, workload->arguments()), "; ");
  if (!row.skipped.empty()) return row;
  try {
    check_and_time(device, *workload, compiled, options, row);
  } catch (const DeviceError& error) {
    if (error.kind != DeviceError::Kind::kOutOfMemory) throw;
    row.skipped = error.what();
  }
  return row;
}

}  // namespace vkmoye::bench
