// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "io/parse.hpp"
#include "report/formats.hpp"
#include "timing/statistics.hpp"

namespace vkmoye::bench {
namespace {

class CsvReport : public Report {
 public:
  CsvReport(std::ostream& out, const DeviceCaps& device) : out_(out), device_(device) {
    out_ << "device,driver,kernel,type,size,config,median_us,min_us,p95_us,samples,clock,gbps,"
            "percent_of_ceiling,tflops,ratio,verified,mismatches,options,remark,command,"
            "ceiling\n";  // append new columns: scripts may select columns by position
  }
  void add(const Result& result) override {
    // No spreadsheet reads inf and nan as numbers.
    const auto number = [](const std::optional<double>& value) {
      return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
    };
    const auto timed = [&](double fraction) {
      return result.timing ? fmt::format("{:.3f}", quantile(*result.timing, fraction)) : "";
    };
    const std::string cells[] = {
        device_.name,
        device_.driver,
        result.kernel,
        result.type,
        size_text(result.size),
        config_text(result),
        timed(0.5),
        timed(0.0),
        timed(0.95),
        result.timing ? std::to_string(result.timing->samples_us.size()) : "",
        result.timing ? clock_name(*result.timing) : "",
        number(result.gbps),
        number(result.percent_of_ceiling),
        number(result.tflops),
        ratio_text(result),
        result.verified ? fmt::format("{}", *result.verified) : "",
        std::to_string(result.mismatches),
        result.options,
        remark(result),
        result.command,
        result.ceiling};
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

}  // namespace

std::unique_ptr<Report> make_csv_report(std::ostream& out, const DeviceCaps& device) {
  return std::make_unique<CsvReport>(out, device);
}

}  // namespace vkmoye::bench
