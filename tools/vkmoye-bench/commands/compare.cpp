// SPDX-License-Identifier: MIT
// compare BASE.json NEW.json: which results became faster or slower.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "commands/options.hpp"
#include "io/output_file.hpp"
#include "io/terminal.hpp"
#include "report/comparison.hpp"
#include "report/report.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/contract/json.hpp"

namespace vkmoye::bench {
namespace {

Colour colour_of(Change change) {
  switch (change) {
    case Change::faster: return Colour::good;
    case Change::slower: return Colour::bad;
    case Change::unclear: return Colour::faint;
    case Change::same: break;
  }
  return Colour::plain;
}

std::string counts_text(const Comparison& comparison) {
  std::string text;
  for (const Change change : {Change::same, Change::faster, Change::slower, Change::unclear}) {
    const auto count =
        std::count_if(comparison.results.begin(), comparison.results.end(),
                      [&](const ComparedResult& result) { return result.change == change; });
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(change));
  }
  if (!comparison.failed.empty()) text += fmt::format(", {} failed", comparison.failed.size());
  return text;
}

// `whole`: names longer than a line are not broken, for scripts that read the file.
void print_table(const Comparison& comparison, const Terminal& terminal, bool whole,
                 std::ostream& out) {
  std::size_t kernel = 6, type = 4, size = 4;
  for (const ComparedResult& result : comparison.results) {
    kernel = std::max(kernel, result.kernel.size());
    type = std::max(type, result.type.size());
    size = std::max(size, result.size.size());
  }
  // Where both do not fit on one line, the times are printed below what was timed.
  constexpr std::size_t kTimes = 9 + 1 + 9 + 1 + 7 + 1 + 6 + 2 + 7;  // with the change
  const bool beside = kernel + 1 + type + 1 + size + 1 + kTimes <= terminal.columns;
  const auto line = [&](const std::string& of, const std::string& in, const std::string& extents,
                        const std::string& base, const std::string& changed,
                        const std::string& percent, const std::string& p) {
    const std::string subject =
        beside ? fmt::format("{:<{}} {:<{}} {:>{}} ", of, kernel, in, type, extents, size)
               : hanging("", fmt::format("{} {} {}", of, in, extents),
                         whole ? std::string::npos : terminal.columns) +
                     "    ";
    return subject + fmt::format("{:>9} {:>9} {:>7} {:>6}  ", base, changed, percent, p);
  };
  if (!comparison.results.empty()) {
    out << hanging("", comparison.base_device, terminal.columns) << '\n'
        << painted(line("kernel", "type", "size", "base", "new", "time", "p") + "change",
                   Colour::faint, terminal.colour)
        << '\n';
  }
  for (const ComparedResult& result : comparison.results) {
    const std::string percent = std::fabs(result.percent) < 1000
                                    ? fmt::format("{:+.1f}%", result.percent)
                                    : fmt::format("{:+.0f}%", std::min(result.percent, 99999.0));
    const std::string p = result.p < 0.001 ? "<.001" : fmt::format("{:.3f}", result.p);
    out << line(result.kernel, result.type, result.size, format_time(result.base_us),
                format_time(result.new_us), percent, p)
        << painted(to_string(result.change), colour_of(result.change), terminal.colour) << '\n';
    if (!result.details.empty()) out << hanging("    ", result.details, terminal.columns);
  }
  for (const std::string& why : comparison.left_out) {
    out << hanging("not compared: ", why, terminal.columns);
  }
  for (const std::string& why : comparison.failed) {
    out << hanging("failed: ", why, terminal.columns);
  }
  out << counts_text(comparison) << '\n';
}

void print_json(const Comparison& comparison, std::ostream& out) {
  Json results = Json::array();
  for (const ComparedResult& result : comparison.results) {
    results.push_back({{"kernel", result.kernel},
                       {"type", result.type},
                       {"size", result.size},
                       {"options", result.details},
                       {"base_us", result.base_us},
                       {"new_us", result.new_us},
                       {"percent", result.percent},
                       {"p", result.p},
                       {"change", to_string(result.change)}});
  }
  const Json all = {{"schema", 1},
                    {"base_device", comparison.base_device},
                    {"new_device", comparison.new_device},
                    {"rows", results},
                    {"failed", comparison.failed},
                    {"not_compared", comparison.left_out}};
  out << all.dump(2) << '\n';
}

int compare(const CommandOptions& options) {
  if (options.in.size() != 2) {
    throw ArgumentError(fmt::format("compare takes two reports, BASE.json and NEW.json, got {}",
                                    options.in.size()));
  }
  for (const std::string& report : options.in) {
    std::error_code none;
    if (!options.output.empty() &&
        std::filesystem::equivalent(path_of(options.output), path_of(report), none)) {
      throw ArgumentError(
          fmt::format("--output {}: is {}, one of the reports to compare; it would be overwritten",
                      options.output, report));
    }
  }
  const Comparison comparison =
      compare_reports(path_of(options.in[0]), path_of(options.in[1]), options.min_effect);
  StreamedFile file(options.output);
  if (options.format == "json") {
    print_json(comparison, file.stream());
  } else {
    const bool whole = !file.goes_to_stdout();
    print_table(comparison, whole ? Terminal() : terminal_of(system::Stream::output), whole,
                file.stream());
  }
  file.keep();
  file.close();
  if (!comparison.failed.empty()) return kWrongResult;
  if (comparison.results.empty()) return kNothingRan;
  const bool slower =
      std::any_of(comparison.results.begin(), comparison.results.end(),
                  [](const ComparedResult& result) { return result.change == Change::slower; });
  return slower ? kTooSlow : kOk;
}

}  // namespace

const Command kCompare = {
    CommandName::compare, "compare two reports: what became faster or slower",
    "Results with the same kernel, size, type, config and device are compared. SLOW\n"
    "and FAST: the medians differ by at least the effect, and the difference is\n"
    "significant (Mann-Whitney U test, p < 0.002); UNCLEAR: it is not significant.\n"
    "Two runs of the same program differ as well: compare such a pair first.\n"
    "Exit status 1: a result of NEW is wrong, or has times in BASE and was skipped,\n"
    "not timed or is missing in NEW; 4: a result is SLOW and none failed; 3: nothing\n"
    "could be compared.\n\n"
    "Examples:\n"
    "  vkmoye-bench run 'transpose/*' --format json --output base.json\n"
    "  vkmoye-bench compare base.json new.json --effect 5",
    compare};

}  // namespace vkmoye::bench
