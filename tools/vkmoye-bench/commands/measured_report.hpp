// SPDX-License-Identifier: MIT
#pragma once
// The report of a command that measures.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>

#include "commands/options.hpp"
#include "io/output_file.hpp"
#include "io/progress.hpp"
#include "report/report.hpp"
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

}  // namespace vkmoye::bench
