// SPDX-License-Identifier: MIT
#include "commands/measured_report.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "report/formats.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {

MeasuredReport::MeasuredReport(const CommandOptions& options, const DeviceCaps& device,
                               TableStyle style, Summary summary,
                               std::function<void(MeasuredReport&)> on_signal)
    : on_signal_(std::move(on_signal)), file_(options.output) {
  if (!options.report.empty()) {
    if (options.report == (file_->goes_to_stdout() ? "-" : options.output)) {
      throw ArgumentError(fmt::format("--report {}: the other report goes there", options.report));
    }
    page_file_.emplace(options.report);
    page_.emplace(kHtml, page_text_, ReportContents{device});
  }
  if (file_->goes_to_stdout()) style.terminal = terminal_of(system::Stream::output);
  style.commands = options.commands || !file_->goes_to_stdout();
  report_ = make_report(options.format, file_->stream(), device, style, summary);
  signals_.emplace([this] { handle_signal(); });
}

void MeasuredReport::handle_signal() {
  const std::unique_lock lock(writing_, std::chrono::seconds(1));
  if (!lock) return;  // a write to a pipe that nobody reads has not ended
  progress_.clear();
  on_signal_(*this);
  finish(End::interrupted);
  file_.reset();
}

void MeasuredReport::add(const Result& result) {
  if (!file_) return;  // a signal has ended the report
  report_->add(result);
  if (page_) page_->add(result);
  if (!is_lost()) file_->keep();
}

void MeasuredReport::finish(End end) {
  report_->finish(end);
  if (!page_) return;
  page_->finish(end);
  page_file_->write(page_text_.str());
  page_file_->commit();
}

void MeasuredReport::finish() {
  if (!file_) return;
  finish(End::complete);
  file_->close();  // errors on stdout are reported by bench::main
}

}  // namespace vkmoye::bench
