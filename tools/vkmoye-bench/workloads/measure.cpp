#include "workloads/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "baselines/baselines.hpp"
#include "baselines/library.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/passes/bake.hpp"
#include "workloads/device_fit.hpp"

namespace vkmoye::bench {
namespace {

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
  if (options.bake) words.push_back("--bake");
  if (options.verify) add("verify", to_string(*options.verify));
  if (options.min_time != defaults.min_time) add("min-time", fmt::format("{}", options.min_time));
  if (!options.baselines.empty()) add("baseline", join(options.baselines, ","));
  if (options.gate) add("gate", fmt::format("{}", *options.gate));
  if (options.seed != defaults.seed) add("seed", std::to_string(options.seed));
  add("device", options.device.empty() ? device.caps().name.substr(0, device.caps().name.find(" ("))
                                       : options.device);
  return shell_line(words);
}

double median(const Timing& timing) { return quantile(timing, 0.5); }

void add_baselines(Device& device, gen::Operation operation, const Workload& workload,
                   const Buffers& buffers, const MeasureOptions& options, const TimeOptions& times,
                   Row& row) {
  for (const std::string& name : options.baselines) {
    if (!applies(name, operation)) continue;
    try {
      const Timing timing = workload.time_baseline(name, {device, buffers, times, options.seed});
      row.ratio[name] = median(timing) / median(*row.timing);
    } catch (const Unavailable& why) {
      row.no_ratio[name] = why.what();
    }
  }
}

// Fills in the verdict and the times of a row whose kernel the device can run.
void check_and_time(Device& device, gen::Operation operation, const Workload& workload,
                    const CompiledKernel& kernel, const Arguments& arguments,
                    const MeasureOptions& options, Row& row) {
  const Verify verify =
      options.verify.value_or(workload.is_checked_in_full() ? Verify::full : Verify::sample);

  const std::vector<Array> arrays = workload.arrays();
  Buffers buffers = make_buffers(device, arrays);
  workload.fill(buffers, options.seed);
  const Launch launch = device.prepare(device.load(kernel), views_of(buffers, arrays), arguments);
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
  add_baselines(device, operation, workload, buffers, options, times, row);

  // After everything that ran, so that no launch wrote beside its buffers unseen.
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::string damage = buffers[i].damage();
    if (damage.empty()) continue;
    row.wrong += fmt::format("{}{}: {}", row.wrong.empty() ? "" : "; ", arrays[i].name, damage);
  }
  if (verify != Verify::off || !row.wrong.empty()) row.verified = row.wrong.empty();
}

// Moves the sizes among `arguments` into `kernel`.
void bake_sizes(gen::ir::Kernel& kernel, Arguments& arguments) {
  Arguments sizes;
  for (const PushConstant& constant : kernel.arguments) {
    if (constant.type != ScalarType::u32 || !arguments.contains(constant.name)) continue;
    sizes.insert(arguments.extract(constant.name));
  }
  kernel = gen::bake(kernel, sizes);
}

}  // namespace

Row measure(Device& device, const Problem& problem, const MeasureOptions& options) {
  const std::unique_ptr<Workload> workload = make_workload(problem);
  Row row;
  row.kernel = problem.entry->name;
  row.type = workload->type_text();
  row.size = problem.size;
  row.verification = "off";
  row.command = repeat_command(device, problem, *workload, options);
  if (!has_type(*problem.entry, problem.request)) {
    row.skipped = fmt::format("there is no such kernel for {}", row.type);
    return row;
  }
  gen::Request request = problem.request;
  request.shared_bytes = device.caps().max_shared_bytes;
  gen::ir::Kernel kernel = problem.entry->describe(request);
  Arguments arguments = workload->arguments();
  if (options.bake) bake_sizes(kernel, arguments);
  row.config = kernel.config;
  const CompiledKernel compiled = gen::compile(kernel);
  row.skipped = join(reasons_against(device.caps(), compiled.interface, arguments), "; ");
  if (!row.skipped.empty()) return row;
  try {
    check_and_time(device, problem.entry->operation, *workload, compiled, arguments, options, row);
  } catch (const DeviceError& error) {
    if (error.kind != DeviceError::Kind::kOutOfMemory) throw;
    row.skipped = error.what();
  }
  return row;
}

}  // namespace vkmoye::bench
