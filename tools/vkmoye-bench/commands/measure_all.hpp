// SPDX-License-Identifier: MIT
#pragma once
// The report of a command that measures, and the loop over the workloads of `run` and `suite`.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "commands/options.hpp"
#include "io/output_file.hpp"
#include "io/progress.hpp"
#include "report/report.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/system/signal_handler.hpp"

namespace vkmoye::bench {

/// The report goes to the file of --output or to stdout, each result as soon as it is there, and as a page to the file
/// of --report. If a signal ends the program, the report of the results so far is completed.
class MeasuredReport {
 public:
  /// Throws ArgumentError if a file cannot be written. `style`: of a table, without what depends on where it goes.
  /// `on_signal` is called after a signal, before the report ends.
  MeasuredReport(
      const CommandOptions& options, const DeviceCaps& device, TableStyle style,
      Summary summary = Summary::none,
      std::function<void(MeasuredReport&)> on_signal = [](MeasuredReport&) {});

  /// The progress on stderr until the next result.
  Progress& progress() { return progress_; }
  /// A signal waits until the lock ends.
  [[nodiscard]] std::unique_lock<std::timed_mutex> lock() { return std::unique_lock(writing_); }

  /// Precondition of the next two: there is a lock, or a signal is handled.
  void add(const Result& result);
  /// Whether results can no longer be written.
  bool is_lost() { return !file_ || !file_->stream(); }
  /// From now on, signals end the program without a report.
  void ignore_signals() { signals_.reset(); }
  /// Ends the report. Precondition: signals are ignored. Throws ArgumentError if a file is not whole.
  void finish();

 private:
  void finish(End end);
  void handle_signal();

  std::function<void(MeasuredReport&)> on_signal_;
  std::optional<StreamedFile> file_;  // nullopt after a signal
  std::optional<OutputFile> page_file_;
  Progress progress_;
  std::unique_ptr<Report> report_;
  std::ostringstream page_text_;
  std::optional<Report> page_;
  std::timed_mutex writing_;
  std::optional<system::SignalHandler> signals_;
};

/// Measures `workloads` in order, with options.measure, and reports each result as soon as it is there, in the format
/// and to the file of `options`; shows progress on stderr. If a signal ends the program, the report of the results so
/// far is completed. Returns the exit status. Throws ArgumentError if the file cannot be written.
int measure_all(Executor& executor, const Workloads& workloads, const CommandOptions& options,
                Summary summary = Summary::none);

/// Removes the workloads whose kernels compilers for devices such as `device` take minutes to compile, except those of
/// the kernels `named`, and says on stderr which kernels these are: "suite: leaves out .., which ..".
void leave_out_slow_compiles(const std::string& command, const DeviceCaps& device,
                             const std::vector<std::string>& named, Workloads& workloads);

}  // namespace vkmoye::bench
