// SPDX-License-Identifier: MIT
#include "report/report.hpp"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "timing/sampling.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {

std::string config_text(const Result& result) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : result.config) parts.push_back(key + "=" + value);
  return join(parts, " ");
}

std::string ratio_text(const Result& result) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : result.ratio)
    parts.push_back(fmt::format("{:.2f} x {}", value, name));
  return join(parts, " ");
}

std::string check_text(const Result& result) {
  if (!result.skipped.empty()) return "skipped";
  if (!result.verified) return "none";
  if (!*result.verified) return "WRONG";
  return result.verification == "sample" ? "sampled" : "ok";
}

std::string remark(const Result& result) {
  std::vector<std::string> parts;
  for (const std::string& part : {result.skipped, result.wrong}) {
    if (!part.empty()) parts.push_back(part);
  }
  if (result.noise_missed && result.timing) {
    parts.push_back("noise: " + noise_text(*result.timing, *result.noise_missed));
  }
  for (const auto& [name, noise] : result.noise_of) {
    parts.push_back(fmt::format("noise of {}: {}", name, noise));
  }
  for (const std::string& reason : result.below_gate) parts.push_back("gate: " + reason);
  // The gate's reasons contain these.
  if (result.below_gate.empty()) {
    for (const auto& [name, why] : result.no_ratio)
      parts.push_back(fmt::format("{}: {}", name, why));
  }
  return join(parts, "\n");
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

std::string clock_name(const Timing& timing) {
  return timing.clock == Clock::device ? "device" : "host";
}

std::string device_text(const DeviceCaps& device) {
  if (device.api == "none") return fmt::format("{} (CPU, without Vulkan)", device.name);
  return fmt::format("{} ({}, {}, Vulkan {})", device.name, to_string(device.kind), device.driver,
                     device.api);
}

std::string caution(const DeviceCaps& device) {
  if (device.api == "none") {
    return "The host twin runs kernels on the CPU, slowly, and checks every access; it times "
           "nothing.";
  }
  if (device.kind != DeviceKind::cpu) return "";
  return "This device is a CPU: results are valid, but times say nothing about a GPU.";
}

std::string rate_text(double rate) {
  return rate >= 100                 ? fmt::format("{:.0f}", rate)
         : rate >= 0.01 || rate == 0 ? fmt::format("{:.3g}", rate)
                                     : fmt::format("{:.1e}", rate);
}

std::string format_time(double microseconds) {
  if (microseconds < 1e3) return fmt::format("{:.1f} us", microseconds);
  if (microseconds < 1e6) return fmt::format("{:.2f} ms", microseconds / 1e3);
  return fmt::format("{:.2f} s", microseconds / 1e6);
}

Report::Report(const ReportFormat& format, std::ostream& out, ReportContents contents)
    : format_(format), out_(out), contents_(std::move(contents)) {
  if (!format_.needs_all()) out_ << format_.begin(contents_);
}

Report::~Report() {
  if (is_finished_) return;
  contents_.summary = Summary::none;
  finish();
}

void Report::add(const Result& result) {
  if (format_.needs_all() || contents_.summary != Summary::none)
    contents_.results.push_back(result);
  if (format_.needs_all()) return;
  out_ << format_.line(contents_, result, std::exchange(is_first_, false)) << std::flush;
}

void Report::finish(End end) {
  if (std::exchange(is_finished_, true)) return;
  contents_.end = end;
  if (format_.needs_all()) out_ << format_.begin(contents_);
  out_ << format_.finish(contents_) << std::flush;
}

namespace {

const ReportFormat* const kFormats[] = {&kTable, &kJson, &kCsv, &kMarkdown, &kJunit};

}  // namespace

const std::vector<std::string>& report_formats() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ReportFormat* format : kFormats) all.emplace_back(format->name);
    return all;
  }();
  return names;
}

std::unique_ptr<Report> make_report(const std::string& format, std::ostream& out,
                                    const DeviceCaps& device, const TableStyle& style,
                                    Summary summary) {
  for (const ReportFormat* one : kFormats) {
    if (format == one->name) {
      return std::make_unique<Report>(*one, out, ReportContents{device, style, summary});
    }
  }
  throw ArgumentError(
      fmt::format("unknown format '{}'; known formats: {}", format, join(report_formats(), " ")));
}

}  // namespace vkmoye::bench
