// SPDX-License-Identifier: MIT
// compare BASE.json NEW.json: which rows became faster or slower.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands/command.hpp"
#include "io/output_file.hpp"
#include "io/wrap.hpp"
#include "report/comparison.hpp"
#include "report/report.hpp"
#include "vkmoye/base/error.hpp"

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
    const auto count = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                     [&](const ComparedRow& row) { return row.change == change; });
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(change));
  }
  if (!comparison.failed.empty()) text += fmt::format(", {} failed", comparison.failed.size());
  return text;
}

// `whole`: names longer than a line stay in one piece, for what reads a file.
void print_table(const Comparison& comparison, const Terminal& terminal, bool whole,
                 std::ostream& out) {
  std::size_t kernel = 6, type = 4, size = 4;
  for (const ComparedRow& row : comparison.rows) {
    kernel = std::max(kernel, row.kernel.size());
    type = std::max(type, row.type.size());
    size = std::max(size, row.size.size());
  }
  // Where both do not fit side by side, the times stand below what was timed.
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
  if (!comparison.rows.empty()) {
    out << hanging("", comparison.base_device, terminal.columns) << '\n'
        << painted(line("kernel", "type", "size", "base", "new", "time", "p") + "change",
                   Colour::faint, terminal.colour)
        << '\n';
  }
  for (const ComparedRow& row : comparison.rows) {
    const std::string percent = std::fabs(row.percent) < 1000
                                    ? fmt::format("{:+.1f}%", row.percent)
                                    : fmt::format("{:+.0f}%", std::min(row.percent, 99999.0));
    const std::string p = row.p < 0.001 ? "<.001" : fmt::format("{:.3f}", row.p);
    out << line(row.kernel, row.type, row.size, format_time(row.base_us), format_time(row.new_us),
                percent, p)
        << painted(to_string(row.change), colour_of(row.change), terminal.colour) << '\n';
    if (!row.details.empty()) out << hanging("    ", row.details, terminal.columns);
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
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ComparedRow& row : comparison.rows) {
    rows.push_back({{"kernel", row.kernel},
                    {"type", row.type},
                    {"size", row.size},
                    {"options", row.details},
                    {"base_us", row.base_us},
                    {"new_us", row.new_us},
                    {"percent", row.percent},
                    {"p", row.p},
                    {"change", to_string(row.change)}});
  }
  const nlohmann::ordered_json all = {{"schema", 1},
                                      {"base_device", comparison.base_device},
                                      {"new_device", comparison.new_device},
                                      {"rows", rows},
                                      {"failed", comparison.failed},
                                      {"not_compared", comparison.left_out}};
  out << all.dump(2) << '\n';
}

int compare(const Given& given) {
  if (given.in.size() != 2) {
    throw ArgumentError(
        fmt::format("compare takes two reports, BASE.json and NEW.json, got {}", given.in.size()));
  }
  for (const std::string& report : given.in) {
    std::error_code none;
    if (!given.output.empty() && std::filesystem::equivalent(given.output, report, none)) {
      throw ArgumentError(fmt::format("--output {}: is {}, which is compared; it would be lost",
                                      given.output, report));
    }
  }
  const Comparison comparison = compare_reports(given.in[0], given.in[1], given.least_effect);
  std::optional<StreamedFile> file;
  if (!given.output.empty() && given.output != "-") file.emplace(given.output);
  std::ostream& out = file ? file->stream() : std::cout;
  if (given.format == "json") {
    print_json(comparison, out);
  } else {
    print_table(comparison, file ? Terminal() : terminal_of(STDOUT_FILENO), file.has_value(), out);
  }
  if (file) {
    file->keep();
    file->close();
  }
  if (!comparison.failed.empty()) return kWrongResult;
  if (comparison.rows.empty()) return kNothingRan;
  const bool slower =
      std::any_of(comparison.rows.begin(), comparison.rows.end(),
                  [](const ComparedRow& row) { return row.change == Change::slower; });
  return slower ? kTooSlow : kOk;
}

}  // namespace

const Command kCompare = {
    CommandName::compare, "what became faster or slower between two reports",
    "Compared are rows of one kernel, size, type, config and device. SLOW and FAST:\n"
    "the medians differ by the effect or more, and Mann and Whitney's test holds\n"
    "chance for unlikely (p < 0.002); UNCLEAR: the first alone. Runs differ by\n"
    "themselves: compare two of one program first.\n"
    "Exit status 1: a row of NEW is wrong, or BASE has times for a row that NEW\n"
    "skipped, did not time or does not have; 4: a row is SLOW, and none failed so;\n"
    "3: nothing could be compared.\n\n"
    "Examples:\n"
    "  vkmoye-bench run 'transpose/*' --format json --output base.json\n"
    "  vkmoye-bench compare base.json new.json --effect 5",
    compare};

}  // namespace vkmoye::bench
