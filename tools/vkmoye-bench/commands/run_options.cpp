#include "commands/run_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <optional>

#include "commands/command.hpp"
#include "commands/open_device.hpp"
#include "io/output_file.hpp"
#include "report/performance_summary.hpp"

namespace vkmoye::bench {
namespace {

// One line on a terminal that the next line overwrites; nothing elsewhere.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total), shown_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() { clear(); }
  void show(const std::string& what) {
    if (shown_) std::cerr << fmt::format("\r\x1b[K[{}/{}] {}", ++done_, total_, what) << std::flush;
  }
  void clear() {
    if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  }

 private:
  std::size_t total_, done_ = 0;
  bool shown_;
};

// A baseline that could not be had does not let anything through.
bool is_too_slow(const Row& row, double gate) {
  for (const auto& [name, ratio] : row.ratio) {
    if (!(ratio >= gate)) return true;
  }
  return !row.no_ratio.empty();
}

}  // namespace

void OutputOptions::add_to(CLI::App& command) {
  command.add_option("--device", device, "index or part of the name (the best one)")
      ->check(not_empty());
  command.add_option("--format", format, "table, json, csv or markdown (table)")
      ->check(one_of("format", {"table", "json", "csv", "markdown"}));
  command.add_option("--output", output, "write the report into this file (stdout)")
      ->check(not_empty());
}

int run_problems(Device& device, const std::vector<Problem>& problems,
                 const MeasureOptions& options, const OutputOptions& output, bool summary) {
  std::optional<StreamedFile> file;
  if (!output.output.empty()) file.emplace(output.output);
  std::ostream& out = file ? file->stream() : std::cout;

  bool any_ran = false, any_wrong = false, any_too_slow = false;
  std::vector<Row> rows;  // for the summary
  Progress progress(problems.size());
  const auto report = make_report(output.format, out, device.caps());
  for (const Problem& problem : problems) {
    progress.show(fmt::format("{} {}", problem.entry->name, to_string(problem.size)));
    const Row row = measure(device, problem, options);
    progress.clear();
    report->add(row);
    any_ran = any_ran || row.skipped.empty();
    any_too_slow = any_too_slow || (options.gate && is_too_slow(row, *options.gate));
    any_wrong = any_wrong || (row.verified && !*row.verified);
    if (summary) rows.push_back(row);
    if (!out) break;  // the rows to come would be lost as well
    if (file) file->keep();
  }
  save_cache(device);
  if (summary) report->add_summary(ladders_of(rows));
  report->finish();
  if (file) file->close();  // of stdout, the program tells at its end
  return any_wrong ? kWrongResult : !any_ran ? kNothingRan : any_too_slow ? kTooSlow : kOk;
}

}  // namespace vkmoye::bench
