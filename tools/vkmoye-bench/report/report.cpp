#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "io/parse.hpp"
#include "report/performance_summary.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::ordered_json;

std::string size_text(const Row& row) { return to_string(row.size); }

std::string config_text(const Row& row) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : row.config) parts.push_back(key + "=" + value);
  return join(parts, " ");
}

std::string ratio_text(const Row& row) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : row.ratio)
    parts.push_back(fmt::format("{:.2f} x {}", value, name));
  return join(parts, " ");
}

std::string verdict(const Row& row) {
  if (!row.skipped.empty()) return "skipped";
  if (!row.verified) return "unchecked";
  if (!*row.verified) return "WRONG";
  return row.verification == "sample" ? "ok (sample)" : "ok";
}

// What went wrong or why nothing ran, for the formats made of lines.
std::string remark(const Row& row) {
  std::vector<std::string> parts;
  for (const std::string& part : {row.skipped, row.wrong}) {
    if (!part.empty()) parts.push_back(part);
  }
  for (const auto& [name, why] : row.no_ratio) parts.push_back(fmt::format("{}: {}", name, why));
  return join(parts, "\n");
}

std::string clock_name(const Timing& timing) {
  return timing.clock == Clock::device ? "device" : "host";
}

struct Column {
  const char* title;
  int width;  // of the table; negative: left-aligned
  std::string (*text)(const Row&);
};

template <int hundredths>
std::string time_text(const Row& row) {
  return row.timing ? format_time(quantile(*row.timing, hundredths / 100.0)) : "-";
}

const Column kColumns[] = {
    {"kernel", -26, [](const Row& r) { return r.kernel; }},
    {"type", -4, [](const Row& r) { return r.type; }},
    {"size", 11, size_text},
    {"median", 9, time_text<50>},
    {"min", 9, time_text<0>},
    {"p95", 9, time_text<95>},
    {"samples", 7,
     [](const Row& r) { return r.timing ? std::to_string(r.timing->samples_us.size()) : "-"; }},
    {"GB/s", 8, [](const Row& r) { return r.gbps ? fmt::format("{:.1f}", *r.gbps) : "-"; }},
    {"% of copy", 9,
     [](const Row& r) {
       return r.percent_of_ceiling ? fmt::format("{:.0f}", *r.percent_of_ceiling) : "-";
     }},
    {"TFLOP/s", 7, [](const Row& r) { return r.tflops ? fmt::format("{:.3g}", *r.tflops) : "-"; }},
    {"speed", -11, [](const Row& r) { return r.ratio.empty() ? "-" : ratio_text(r); }},
    {"result", -11, verdict},
};

class TableReport : public Report {
 public:
  TableReport(std::ostream& out, const DeviceCaps& device) : out_(out) {
    out_ << fmt::format("{} ({}, {}, Vulkan {})\n\n", device.name, to_string(device.kind),
                        device.driver, device.api);
    line([](const Column& column) { return std::string(column.title); }, "repeat with");
  }
  void add(const Row& row) override {
    line([&](const Column& column) { return column.text(row); }, row.command);
    const std::string why = remark(row);
    if (!why.empty()) out_ << indent(why, 4);
    out_.flush();
  }
  void add_summary(const std::vector<Ladder>& ladders) override { out_ << summary_text(ladders); }

 private:
  template <class Cell>
  void line(Cell cell, const std::string& last) {
    for (const Column& column : kColumns) {
      const std::string text = cell(column);
      out_ << (column.width < 0 ? fmt::format("{:<{}}  ", text, -column.width)
                                : fmt::format("{:>{}}  ", text, column.width));
    }
    out_ << last << '\n';
  }

  std::ostream& out_;
};

class MarkdownReport : public Report {
 public:
  MarkdownReport(std::ostream& out, const DeviceCaps& device) : out_(out) {
    out_ << fmt::format("{} ({}, {}, Vulkan {})\n\n|", device.name, to_string(device.kind),
                        device.driver, device.api);
    for (const Column& column : kColumns) out_ << ' ' << column.title << " |";
    out_ << " config | remark | repeat with |\n|";
    for (const Column& column : kColumns) out_ << (column.width < 0 ? " --- |" : " ---: |");
    out_ << " --- | --- | --- |\n";
  }
  void add(const Row& row) override {
    out_ << '|';
    for (const Column& column : kColumns) out_ << ' ' << column.text(row) << " |";
    std::string why = remark(row);
    std::replace(why.begin(), why.end(), '\n', ' ');
    out_ << fmt::format(" {} | {} | `{}` |\n", config_text(row), why, row.command);
    out_.flush();
  }

  void add_summary(const std::vector<Ladder>& ladders) override {
    out_ << summary_markdown(ladders);
  }

 private:
  std::ostream& out_;
};

class CsvReport : public Report {
 public:
  CsvReport(std::ostream& out, const DeviceCaps& device) : out_(out), device_(device) {
    out_ << "device,driver,kernel,type,size,config,median_us,min_us,p95_us,samples,clock,gbps,"
            "percent_of_ceiling,tflops,"
            "ratio,verified,mismatches,remark,command\n";
  }
  void add(const Row& row) override {
    // No spreadsheet reads inf and nan as numbers.
    const auto number = [](const std::optional<double>& value) {
      return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
    };
    const auto timed = [&](double fraction) {
      return row.timing ? fmt::format("{:.3f}", quantile(*row.timing, fraction)) : "";
    };
    const std::string cells[] = {device_.name,
                                 device_.driver,
                                 row.kernel,
                                 row.type,
                                 size_text(row),
                                 config_text(row),
                                 timed(0.5),
                                 timed(0.0),
                                 timed(0.95),
                                 row.timing ? std::to_string(row.timing->samples_us.size()) : "",
                                 row.timing ? clock_name(*row.timing) : "",
                                 number(row.gbps),
                                 number(row.percent_of_ceiling),
                                 number(row.tflops),
                                 ratio_text(row),
                                 row.verified ? fmt::format("{}", *row.verified) : "",
                                 std::to_string(row.mismatches),
                                 remark(row),
                                 row.command};
    bool first = true;
    for (const std::string& cell : cells) {
      if (!first) out_ << ',';
      first = false;
      out_ << quoted(cell);
    }
    out_ << "\n";
    out_.flush();
  }

 private:
  // RFC 4180.
  static std::string quoted(const std::string& cell) {
    if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
    std::string out = "\"";
    for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  }

  std::ostream& out_;
  DeviceCaps device_;
};

template <class Value>
ordered_json json_or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

// Lists run parallel to `sizes`.
ordered_json to_json(const Ladder& ladder) {
  ordered_json rungs = ordered_json::array();
  for (const Ladder::Rung& rung : ladder.rungs) {
    ordered_json times = ordered_json::array(), speedups = times, verified = times;
    for (const Ladder::Cell& cell : rung.cells) {
      times.push_back(json_or_null(cell.time_us));
      speedups.push_back(json_or_null(cell.speedup));
      verified.push_back(json_or_null(cell.verified));
    }
    rungs.push_back({{"name", rung.name},
                     {"baseline", rung.baseline},
                     {"time_us", times},
                     {"speedup", speedups},
                     {"verified", verified}});
  }
  return {
      {"family", ladder.family}, {"type", ladder.type}, {"speedup_over", ladder.first},
      {"sizes", ladder.sizes},   {"rungs", rungs},      {"verification", ladder.verification()}};
}

class JsonReport : public Report {
 public:
  JsonReport(std::ostream& out, const DeviceCaps& device) : out_(out) {
    const ordered_json head = {{"name", device.name},
                               {"driver", device.driver},
                               {"type", to_string(device.kind)},
                               {"api", device.api}};
    out_ << R"({"schema":1,"device":)" << head.dump() << R"(,"results":[)";
  }
  ~JsonReport() override { finish(); }
  void finish(bool interrupted = false) override {
    if (ended_) return;
    out_ << "\n]";
    if (!summary_.is_null()) out_ << R"(,"summary":)" << summary_.dump();
    if (interrupted) out_ << R"(,"interrupted":true)";
    out_ << "}\n" << std::flush;
    ended_ = true;
  }

  void add_summary(const std::vector<Ladder>& ladders) override {
    summary_ = ordered_json::array();
    for (const Ladder& ladder : ladders) summary_.push_back(to_json(ladder));
  }

  void add(const Row& row) override {
    ordered_json config = ordered_json::object();
    for (const auto& [key, value] : row.config) config[key] = value;
    ordered_json time = nullptr;
    if (row.timing) {
      time = {{"median", quantile(*row.timing, 0.5)}, {"min", quantile(*row.timing, 0.0)},
              {"p95", quantile(*row.timing, 0.95)},   {"samples", row.timing->samples_us.size()},
              {"clock", clock_name(*row.timing)},     {"all", row.timing->samples_us}};
    }
    const auto optional = [](const auto& value) -> ordered_json {
      return value ? ordered_json(*value) : ordered_json(nullptr);
    };
    const ordered_json json = {
        {"kernel", row.kernel},
        {"type", row.type},
        {"size", row.size},
        {"config", config},
        {"time_us", time},
        {"gbps", optional(row.gbps)},
        {"tflops", optional(row.tflops)},
        {"percent_of_ceiling", optional(row.percent_of_ceiling)},
        {"verified", optional(row.verified)},
        {"verification", row.verification},
        {"max_error", row.verified ? ordered_json(row.max_error) : ordered_json(nullptr)},
        {"mismatches", row.verified ? ordered_json(row.mismatches) : ordered_json(nullptr)},
        {"wrong", row.wrong.empty() ? ordered_json(nullptr) : ordered_json(row.wrong)},
        {"ratio", row.ratio},
        {"no_ratio", row.no_ratio},
        {"notes", row.notes},
        {"skipped", row.skipped.empty() ? ordered_json(nullptr) : ordered_json(row.skipped)},
        {"command", row.command}};
    out_ << (first_ ? "\n" : ",\n") << json.dump();
    out_.flush();
    first_ = false;
  }

 private:
  std::ostream& out_;
  bool first_ = true, ended_ = false;
  ordered_json summary_;
};

}  // namespace

double quantile(const Timing& timing, double fraction) {
  std::vector<double> sorted = timing.samples_us;
  std::sort(sorted.begin(), sorted.end());
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::string format_time(double microseconds) {
  if (microseconds < 1e3) return fmt::format("{:.1f} us", microseconds);
  if (microseconds < 1e6) return fmt::format("{:.2f} ms", microseconds / 1e3);
  return fmt::format("{:.2f} s", microseconds / 1e6);
}

std::unique_ptr<Report> make_report(const std::string& format, std::ostream& out,
                                    const DeviceCaps& device) {
  if (format == "table") return std::make_unique<TableReport>(out, device);
  if (format == "json") return std::make_unique<JsonReport>(out, device);
  if (format == "csv") return std::make_unique<CsvReport>(out, device);
  if (format == "markdown") return std::make_unique<MarkdownReport>(out, device);
  throw ArgumentError(
      fmt::format("unknown format '{}'; there are table json csv markdown", format));
}

}  // namespace vkmoye::bench
