// SPDX-License-Identifier: MIT
// tune gemm: searches the fastest kernels and configs for products on this device; writes a table for later runs.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commands/measure_all.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "io/parse.hpp"
#include "io/program.hpp"
#include "measure/measure.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "workloads/tuned_table.hpp"
#include "workloads/tuning.hpp"

namespace vkmoye::bench {
namespace {

// A product to tune, with its types and its size.
struct Subject {
  gen::GemmOptions problem;
  Extents size;
};

std::vector<Subject> subjects_of(const CommandOptions& options) {
  for (const std::string& kernel : options.kernels) {
    if (kernel == "gemm" || kernel == "gemm/auto") continue;
    throw ArgumentError(fmt::format("tune {}: only gemm can be tuned", kernel));
  }
  const std::vector<std::string> types =
      options.types.empty() ? std::vector<std::string>{"f32"} : options.types;
  std::vector<Subject> subjects;
  for (const std::string& type : types) {
    for (const Extents& extents : options.sizes) {
      const Operation& operation = operation_of(*gen::find_kernel("gemm/auto"));
      Subject subject{gen::read_product(options.values, type),
                      gen::size_of_form(operation.size, extents)};
      if (std::count(subject.size.begin(), subject.size.end(), 0) > 0) {
        throw ArgumentError(
            fmt::format("tune: a product of size {} has no work to time", size_text(extents)));
      }
      subjects.push_back(std::move(subject));
    }
  }
  for (const auto& [name, value] : options.values) {
    if (!is_searched(name)) continue;
    throw ArgumentError(fmt::format("--{}: tune searches its values itself", name));
  }
  return subjects;
}

Result result_of(const TunedConfig& one, const Tuning& tuning, const Subject& subject,
                 const CommandOptions& options, const DeviceCaps& caps) {
  const Workload workload = workload_by(one.choice, subject.problem, subject.size);
  Result result;
  result.kernel = one.choice.entry->name;
  result.type = workload.problem->type_text;
  result.size = subject.size;
  result.config = one.config;
  if (one.choice.slices > 1)
    result.config.emplace_back("split-k", std::to_string(one.choice.slices));
  result.timing = one.timing;
  if (one.median_us > 0) {
    result.gbps = workload.problem->bytes / (one.median_us * 1e3);
    result.tflops = workload.problem->flops / (one.median_us * 1e6);
    if (tuning.before_us > 0) result.ratio["auto"] = tuning.before_us / one.median_us;
  }
  result.options = shell_line(workload.problem->command_words);
  result.verified = true;
  result.verification = tuning.checked_small ? "sample" : "full";
  result.command = repeat_command(caps, workload, options);
  return result;
}

void print_lines(const char* what, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    print_error(fmt::format("{}: {}", what, line));
  }
}

// Throws ArgumentError if `output` is a table of gemm/auto or the file `table`, where the table will be written.
void refuse_table_as_report(const std::string& output, const std::filesystem::path& table) {
  if (output.empty() || output == "-") return;
  const bool is_table = is_tuned_table(path_of(output)) ||
                        std::filesystem::absolute(path_of(output)).lexically_normal() ==
                            std::filesystem::absolute(table).lexically_normal();
  if (!is_table) return;
  throw ArgumentError(fmt::format(
      "tune: --output {}: is a table of gemm/auto; --output names the file of the report, "
      "--table that of the table",
      output));
}

// The style of a table of the kernels of products.
TableStyle style_of(const std::vector<Subject>& subjects) {
  TableStyle style;
  style.kernel = 0;
  style.has_ceiling = false;
  for (const gen::KernelEntry& entry : gen::registry()) {
    if (entry.operation == "gemm") style.kernel = std::max(style.kernel, entry.name.size());
  }
  for (const Subject& subject : subjects) {
    style.type = std::max(style.type, subject.problem.type_text().size());
    style.size = std::max(style.size, size_text(subject.size).size());
  }
  return style;
}

int tune(const CommandOptions& options) {
  const std::vector<Subject> subjects = subjects_of(options);
  if (is_host(options.device)) throw ArgumentError("tune: kernels cannot be timed on the host");
  const auto opened = open_executor(options.device, /*statistics=*/true);
  auto& executor = dynamic_cast<DeviceExecutor&>(*opened);
  const DeviceCaps caps = executor.caps();
  const std::filesystem::path file = options.table.empty()
                                         ? tuned_table_file(caps)
                                         : std::filesystem::absolute(path_of(options.table));
  if (file.empty())
    throw ArgumentError("tune: there is no cache folder for the table; give --table FILE");
  refuse_table_as_report(options.output, file);
  const std::string reason = reason_against_writing(file);
  if (!reason.empty()) throw ArgumentError(fmt::format("tune: {}: {}", path_text(file), reason));
  const std::string ignored = read_tuned_table(file, caps).ignored;
  if (!ignored.empty()) print_error(fmt::format("{}; it is replaced", ignored));

  TuneOptions tune_options;
  tune_options.budget_seconds = options.tune_budget / static_cast<double>(subjects.size());
  tune_options.seed = options.seed;
  bool any_wrong = false, any_right = false;
  // Whatever ends the program, the best config that was found so far is kept.
  Tuning so_far;
  const Subject* tuned = nullptr;
  // Reports what was timed, and writes the best to the table. Returns what failed; empty: nothing.
  const auto keep = [&](MeasuredReport& report, const Tuning& found, const Subject& subject) {
    for (const TunedConfig& one : found.timed) {
      report.add(result_of(one, found, subject, options, caps));
    }
    return found.timed.empty()
               ? std::string()
               : write_tuned_entries(file, caps,
                                     {tuned_entry(found, subject.problem, subject.size)});
  };
  const auto keep_best = [&](MeasuredReport& report) {
    if (so_far.timed.empty()) return;
    const std::string failure = keep(report, so_far, *tuned);
    print_error(failure.empty()
                    ? fmt::format("interrupted: {} has the fastest of {} configs of {}",
                                  path_text(file), so_far.timed.size(), size_text(tuned->size))
                    : fmt::format("{}: {}", path_text(file), failure));
  };
  MeasuredReport report(options, caps, style_of(subjects), Summary::none, keep_best);
  tune_options.on_trial = [&](const TuneTrial& trial) {
    const auto later = static_cast<double>(&subjects.back() - tuned);  // searches after this one
    report.progress().step(trial.number, trial.count,
                           trial.seconds_left + later * tune_options.budget_seconds);
    report.progress().compile(
        fmt::format("{} {} {}", tuned->problem.type_text(), size_text(tuned->size), trial.config),
        caps.name);
  };
  tune_options.on_timed = [&](const Tuning& found) {
    const auto lock = report.lock();
    so_far = found;
  };
  for (const Subject& subject : subjects) {
    {
      const auto lock = report.lock();
      tuned = &subject;
      so_far = {};
    }
    const Tuning tuning = tune_gemm(executor, subject.problem, subject.size, tune_options);
    report.progress().clear();
    const auto lock = report.lock();
    so_far = {};
    // Written after each search, so that its result is kept if a later search fails.
    const std::string failure = keep(report, tuning, subject);
    fmt::print(stderr,
               "{}: {} configs timed, {} refused, {} spill registers, {} wrong, {} not tried in "
               "{} s\n",
               size_text(subject.size), tuning.timed.size(), tuning.refused.size(),
               tuning.spilling.size(), tuning.wrong.size(), tuning.not_tried,
               tune_options.budget_seconds);
    print_lines("wrong", tuning.wrong);
    any_wrong = any_wrong || !tuning.wrong.empty();
    if (tuning.timed.empty()) {
      print_lines("refused", tuning.refused);
      print_lines("spills", tuning.spilling);
      continue;
    }
    if (!failure.empty()) throw ArgumentError(fmt::format("{}: {}", path_text(file), failure));
    any_right = true;
  }
  report.ignore_signals();
  save_pipeline_cache(executor);
  report.finish();
  if (!any_right) return any_wrong ? kWrongResult : kNothingRan;
  fmt::print(stderr, "gemm/auto reads {}\n", path_text(file));
  return any_wrong ? kWrongResult : kOk;
}

}  // namespace

const Command kTune = {CommandName::tune, "search the best configs for later runs of gemm/auto",
                       "Examples:\n"
                       "  vkmoye-bench tune gemm --type f16,f32 --size 4096x4096x4096 --budget 60\n"
                       "  vkmoye-bench tune gemm --size 16x4096x4096,512x512x16384 --budget 120",
                       tune};

}  // namespace vkmoye::bench
