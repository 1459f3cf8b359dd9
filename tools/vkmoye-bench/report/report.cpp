// SPDX-License-Identifier: MIT
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/formats.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {

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
  if (!row.verified) return "none";
  if (!*row.verified) return "WRONG";
  return row.verification == "sample" ? "sampled" : "ok";
}

// What went wrong or why nothing ran, for the formats made of lines.
std::string remark(const Row& row) {
  std::vector<std::string> parts;
  for (const std::string& part : {row.skipped, row.wrong}) {
    if (!part.empty()) parts.push_back(part);
  }
  if (row.noise_missed && row.timing) {
    parts.push_back("noise: " + noise_text(*row.timing, *row.noise_missed));
  }
  for (const auto& [name, noise] : row.noise_of) {
    parts.push_back(fmt::format("noise of {}: {}", name, noise));
  }
  for (const std::string& reason : row.below_gate) parts.push_back("gate: " + reason);
  // The gate's reasons end with these.
  if (row.below_gate.empty()) {
    for (const auto& [name, why] : row.no_ratio) parts.push_back(fmt::format("{}: {}", name, why));
  }
  return join(parts, "\n");
}

std::string clock_name(const Timing& timing) {
  return timing.clock == Clock::device ? "device" : "host";
}

std::string device_text(const DeviceCaps& device) {
  return fmt::format("{} ({}, {}, Vulkan {})", device.name, to_string(device.kind), device.driver,
                     device.api);
}

std::string caution(const DeviceCaps& device) {
  if (device.kind != DeviceKind::cpu) return "";
  return "This device is a CPU: the results count, the times say nothing about a GPU.";
}

std::string rate_text(double rate) {
  return rate >= 100                 ? fmt::format("{:.0f}", rate)
         : rate >= 0.01 || rate == 0 ? fmt::format("{:.3g}", rate)
                                     : fmt::format("{:.1e}", rate);
}

double quantile(const Timing& timing, double fraction) {
  std::vector<double> sorted = timing.samples_us;
  std::sort(sorted.begin(), sorted.end());
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double noise_percent(const Timing& timing) {
  // The interval from rank n/2 - 0.98 sqrt(n) to n/2 + 0.98 sqrt(n) holds the median in 95 of 100 runs
  // (the normal approximation of the binomial distribution).
  const auto n = static_cast<double>(timing.samples_us.size());
  const double reach = 0.98 / std::sqrt(n), median = quantile(timing, 0.5);
  const double low = quantile(timing, std::max(0.0, 0.5 - reach));
  const double high = quantile(timing, std::min(1.0, 0.5 + reach));
  return median > 0 ? 100 * (high - low) / (2 * median) : 0;
}

std::string noise_text(const Timing& timing, double wanted) {
  return fmt::format(
      "{:.3g} % after {} samples, --stop-noise {:.3g} was not reached within the budget",
      noise_percent(timing), timing.samples_us.size(), wanted);
}

std::string format_time(double microseconds) {
  if (microseconds < 1e3) return fmt::format("{:.1f} us", microseconds);
  if (microseconds < 1e6) return fmt::format("{:.2f} ms", microseconds / 1e3);
  return fmt::format("{:.2f} s", microseconds / 1e6);
}

namespace {

using Make = std::unique_ptr<Report> (*)(std::ostream&, const DeviceCaps&, const TableStyle&);

template <std::unique_ptr<Report> (*make)(std::ostream&, const DeviceCaps&)>
std::unique_ptr<Report> without_style(std::ostream& out, const DeviceCaps& device,
                                      const TableStyle&) {
  return make(out, device);
}

struct Format {
  const char* name;
  Make make;
};

constexpr Format kFormats[] = {{"table", make_table_report},
                               {"json", without_style<make_json_report>},
                               {"csv", without_style<make_csv_report>},
                               {"markdown", without_style<make_markdown_report>},
                               {"junit", without_style<make_junit_report>}};

}  // namespace

const std::vector<std::string>& report_formats() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Format& format : kFormats) all.emplace_back(format.name);
    return all;
  }();
  return names;
}

std::unique_ptr<Report> make_report(const std::string& format, std::ostream& out,
                                    const DeviceCaps& device, const TableStyle& style) {
  for (const Format& one : kFormats) {
    if (format == one.name) return one.make(out, device, style);
  }
  throw ArgumentError(
      fmt::format("unknown format '{}'; there are {}", format, join(report_formats(), " ")));
}

}  // namespace vkmoye::bench
