// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "io/parse.hpp"
#include "report/report.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

// RFC 4180.
std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string begin_csv(const ReportContents&) {
  return "device,driver,kernel,type,size,config,median_us,min_us,p95_us,samples,clock,gbps,"
         "percent_of_ceiling,tflops,ratio,verified,mismatches,options,remark,command,"
         "ceiling\n";  // append new columns: scripts may select columns by position
}

std::string line_of_csv(const ReportContents& contents, const Result& result, bool) {
  // No spreadsheet reads inf and nan as numbers.
  const auto number = [](const std::optional<double>& value) {
    return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
  };
  const auto timed = [&](double fraction) {
    return result.timing ? fmt::format("{:.3f}", quantile(*result.timing, fraction)) : "";
  };
  std::vector<std::string> cells = {
      contents.device.name,
      contents.device.driver,
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
  for (std::string& cell : cells) cell = csv_cell(cell);
  return join(cells, ",") + "\n";
}

std::string finish_csv(const ReportContents&) { return ""; }

}  // namespace

const ReportFormat kCsv = {"csv", begin_csv, line_of_csv, finish_csv};

}  // namespace vkmoye::bench
