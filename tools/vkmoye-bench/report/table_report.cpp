// SPDX-License-Identifier: MIT
// Tables: as text that fits a terminal, and as Markdown.
//
//   kernel            type       size     median    GB/s  % copy  check
//   transpose/padded   f32  2048x2048    1.05 ms    32.0      97  ok
//       copy 0.97 x  ###################
//
// A text table shows as many columns as fit, the most important first. Where kernel, type and size leave no
// room for the time, they are printed on a line above it.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "io/parse.hpp"
#include "io/terminal.hpp"
#include "report/report.hpp"
#include "report/summaries.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

enum class Align : std::uint8_t { left, right };

struct Column {
  const char* title;
  int rank;           // by importance; the most important has 0
  std::size_t width;  // of text; 0: taken from the style
  Align align;
  std::string (*text)(const Result&);
};

template <int hundredths>
std::string time_text(const Result& result) {
  return result.timing ? format_time(quantile(*result.timing, hundredths / 100.0)) : "-";
}

std::string optional_text(const std::optional<double>& value) {
  return value ? rate_text(*value) : "-";
}

constexpr const char* kCeiling = "% top";  // shown with the name of the ceiling

const Column kColumns[] = {
    {"kernel", 0, 0, Align::left, [](const Result& r) { return r.kernel; }},
    {"type", 1, 0, Align::left, [](const Result& r) { return r.type; }},
    {"size", 2, 0, Align::right, [](const Result& r) { return size_text(r.size); }},
    {"median", 3, 9, Align::right, time_text<50>},
    {"+-%", 8, 4, Align::right,
     [](const Result& r) {
       return r.timing ? fmt::format("{:.1f}", std::min(99.9, noise_percent(*r.timing))) : "-";
     }},
    {"min", 9, 9, Align::right, time_text<0>},
    {"p95", 10, 9, Align::right, time_text<95>},
    {"samples", 11, 7, Align::right,
     [](const Result& r) { return r.timing ? std::to_string(r.timing->samples_us.size()) : "-"; }},
    {"GB/s", 6, 6, Align::right, [](const Result& r) { return optional_text(r.gbps); }},
    {kCeiling, 7, 6, Align::right,
     [](const Result& r) {
       return r.percent_of_ceiling ? fmt::format("{:.0f}", *r.percent_of_ceiling) : "-";
     }},
    {"TFLOP/s", 5, 7, Align::right, [](const Result& r) { return optional_text(r.tflops); }},
    {"check", 4, 7, Align::left, check_text},
};

constexpr std::size_t kGap = 2;
constexpr int kNeeded = 4;               // columns up to this rank are always shown
constexpr std::size_t kOfSubject = 3;    // the first columns name what was timed
constexpr const char* kMargin = "    ";  // before the lines below a result

std::string title_of(const Column& column, const TableStyle& style) {
  return column.title == kCeiling ? "% " + style.ceiling : column.title;
}

std::size_t width_of(const Column& column, const TableStyle& style) {
  const std::string title = column.title;
  const std::size_t wanted = title == "kernel" ? style.kernel
                             : title == "type" ? style.type
                             : title == "size" ? style.size
                                               : column.width;
  return std::max(wanted, title.size());
}

bool is_of_subject(const Column& column) { return &column < kColumns + kOfSubject; }

// Whether the columns that name what was timed leave no room for the time.
bool needs_own_line(const TableStyle& style) {
  std::size_t used = 0;
  for (const Column& column : kColumns) {
    if (column.rank <= kNeeded) used += width_of(column, style) + (used > 0 ? kGap : 0);
  }
  return used > style.terminal.columns;
}

// The columns that fit on a line, in the order in which they are shown; without those of the subject, if these are
// printed on a line above.
std::vector<const Column*> fitting_columns(const TableStyle& style) {
  const bool above = needs_own_line(style);
  std::vector<const Column*> by_rank;
  for (const Column& column : kColumns) {
    if (above && is_of_subject(column)) continue;
    const std::string title = column.title;
    if (!is_of_subject(column) && title != "check" && !style.has_times) continue;
    if (title == "TFLOP/s" && !style.has_flops) continue;
    if (title == kCeiling && !style.has_ceiling) continue;
    by_rank.push_back(&column);
  }
  std::sort(by_rank.begin(), by_rank.end(),
            [](const Column* a, const Column* b) { return a->rank < b->rank; });
  std::size_t used = above ? std::string_view(kMargin).size() : 0;
  std::vector<const Column*> shown;
  for (const Column* column : by_rank) {
    const std::size_t width = width_of(*column, style) + (shown.empty() ? 0 : kGap);
    if (column->rank > kNeeded && used + width > style.terminal.columns) continue;
    used += width;
    shown.push_back(column);
  }
  std::sort(shown.begin(), shown.end());  // in the order of kColumns
  return shown;
}

template <class Cell>
std::string line_of(const TableStyle& style, Cell cell) {
  std::string out;
  if (needs_own_line(style)) {
    std::vector<std::string> subject;
    for (std::size_t i = 0; i < kOfSubject; ++i) subject.push_back(cell(kColumns[i]));
    out = hanging("", join(subject, " "), style.terminal.columns) + kMargin;
  }
  const std::vector<const Column*> columns = fitting_columns(style);
  for (const Column* column : columns) {
    const std::string text = cell(*column);
    const std::size_t width = width_of(*column, style);
    if (column != columns.front()) out += std::string(kGap, ' ');
    if (column == columns.back()) {
      out += text;
    } else {
      out += column->align == Align::left ? fmt::format("{:<{}}", text, width)
                                          : fmt::format("{:>{}}", text, width);
    }
  }
  return out;
}

std::string begin_table(const ReportContents& contents) {
  const TableStyle& style = contents.style;
  const std::string warning = caution(contents.device);
  return hanging("", device_text(contents.device), style.terminal.columns) +
         (warning.empty() ? "" : hanging("", warning, style.terminal.columns)) + '\n' +
         painted(line_of(style, [&](const Column& column) { return title_of(column, style); }),
                 Colour::faint, style.terminal.colour) +
         '\n';
}

// The ratio to the baseline `name`. The bar has length `kEqual` where both take the same time.
std::string ratio_bar(const Result& result, const std::string& name, double ratio,
                      const Terminal& terminal) {
  constexpr std::size_t kEqual = 20;
  std::size_t width = 0;
  for (const auto& one : result.ratio) width = std::max(width, one.first.size());
  std::string out, head = fmt::format("{}{:<{}} {:>5.2f} x  ", kMargin, name, width, ratio);
  if (head.size() > terminal.columns) {
    out = hanging(kMargin, name, terminal.columns);
    head = fmt::format("{}{:>5.2f} x  ", kMargin, ratio);
  }
  const std::size_t room = terminal.columns > head.size() ? terminal.columns - head.size() : 0;
  const double max = static_cast<double>(room) / static_cast<double>(kEqual);
  out +=
      head +
      painted(bar(ratio, max, room), ratio >= 1 ? Colour::good : Colour::plain, terminal.colour) +
      '\n';
  const auto note = result.notes.find(name);
  if (note == result.notes.end()) return out;
  return out + hanging(kMargin, fmt::format("{}: {}", name, note->second), terminal.columns);
}

std::string line_of_table(const ReportContents& contents, const Result& result, bool) {
  const TableStyle& style = contents.style;
  std::string out = line_of(style, [&](const Column& column) { return column.text(result); });
  const std::string check = check_text(result);
  const Colour colour = check == "WRONG"                      ? Colour::bad
                        : check == "ok" || check == "sampled" ? Colour::good
                                                              : Colour::faint;
  out.erase(out.size() - check.size());  // it comes last
  out += painted(check, colour, style.terminal.colour) + '\n';
  for (const auto& [name, ratio] : result.ratio)
    out += ratio_bar(result, name, ratio, style.terminal);
  if (const std::string why = remark(result); !why.empty()) {
    for (const std::string& part : split(why, '\n'))
      out += hanging(kMargin, part, style.terminal.columns);
  }
  if (style.commands) out += continued(kMargin, result.command, style.terminal.columns);
  return out;
}

std::string summary_of_table(const ReportContents& contents) {
  switch (contents.summary) {
    case Summary::ladders:
      return summary_text(ladders_of(contents.results), contents.style.terminal);
    case Summary::cliffs: return cliffs_text(cliffs_of(contents.results));
    case Summary::none: break;
  }
  return "";
}

std::string end_text(const ReportContents& contents) {
  return contents.end == End::interrupted ? fmt::format("\n{}\n", kInterrupted) : "";
}

std::string finish_table(const ReportContents& contents) {
  return summary_of_table(contents) + end_text(contents);
}

std::string begin_markdown(const ReportContents& contents) {
  const std::string warning = caution(contents.device);
  std::string out = device_text(contents.device) + "\n\n";
  if (!warning.empty()) out += warning + "\n\n";
  std::string titles = "|", rule = "|";
  for (const Column& column : kColumns) {
    titles += fmt::format(" {} |", column.title == kCeiling ? "% of ceiling" : column.title);
    rule += column.align == Align::left ? " --- |" : " ---: |";
  }
  return out + titles + " speed | config | remark | repeat with |\n" + rule +
         " --- | --- | --- | --- |\n";
}

std::string line_of_markdown(const ReportContents&, const Result& result, bool) {
  std::string out = "|";
  for (const Column& column : kColumns) {
    const bool named = column.title == kCeiling && result.percent_of_ceiling;
    out += ' ' + column.text(result) + (named ? " (" + result.ceiling + ")" : "") + " |";
  }
  std::string why = remark(result);
  std::replace(why.begin(), why.end(), '\n', ' ');
  return out + fmt::format(" {} | {} | {} | `{}` |\n", ratio_text(result), config_text(result), why,
                           result.command);
}

std::string summary_of_markdown(const ReportContents& contents) {
  switch (contents.summary) {
    case Summary::ladders: return summary_markdown(ladders_of(contents.results));
    case Summary::cliffs: return "\n```" + cliffs_text(cliffs_of(contents.results)) + "```\n";
    case Summary::none: break;
  }
  return "";
}

std::string finish_markdown(const ReportContents& contents) {
  return summary_of_markdown(contents) + end_text(contents);
}

}  // namespace

const ReportFormat kTable = {"table", begin_table, line_of_table, finish_table};
const ReportFormat kMarkdown = {"markdown", begin_markdown, line_of_markdown, finish_markdown};

}  // namespace vkmoye::bench
