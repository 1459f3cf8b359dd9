// SPDX-License-Identifier: MIT
#include "report/report.hpp"
#include "report/summaries.hpp"
#include "timing/sampling.hpp"

namespace vkmoye::bench {
namespace {

// Each list has one entry for each of `sizes`.
Json to_json(const Ladder& ladder) {
  Json rungs = Json::array();
  for (const Ladder::Rung& rung : ladder.rungs) {
    Json times = Json::array(), speedups = times, verified = times;
    for (const Ladder::Cell& cell : rung.cells) {
      times.push_back(or_null(cell.time_us));
      speedups.push_back(or_null(cell.speedup));
      verified.push_back(or_null(cell.verified));
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

Json to_json(const Cliffs& cliffs) {
  Json worst = Json::array();
  for (const Cliffs::Shape& shape : cliffs.worst) {
    worst.push_back({{"subject", shape.subject},
                     {"share", shape.share},
                     {"bound", shape.bound},
                     {"median", shape.time_us},
                     {"command", shape.command}});
  }
  return {{"counted", cliffs.counted},
          {"below_half", cliffs.below_half},
          {"below_quarter", cliffs.below_quarter},
          {"short", cliffs.short_ones},
          {"without_bound", cliffs.without_bound},
          {"skipped", cliffs.skipped},
          {"wrong", cliffs.wrong},
          {"worst", worst}};
}

std::string begin_json(const ReportContents& contents) {
  return R"({"schema":1,"device":)" + device_json(contents.device).dump() + R"(,"results":[)";
}

std::string line_of_json(const ReportContents&, const Result& result, bool is_first) {
  Json config = Json::object();
  for (const auto& [key, value] : result.config) config[key] = value;
  Json time = nullptr;
  if (result.timing) {
    time = {{"median", quantile(*result.timing, 0.5)},
            {"min", quantile(*result.timing, 0.0)},
            {"p95", quantile(*result.timing, 0.95)},
            {"samples", result.timing->samples_us.size()},
            {"noise_percent", noise_percent(*result.timing)},
            {"noise_missed", or_null(result.noise_missed)},
            {"clock", clock_name(*result.timing)},
            {"all", result.timing->samples_us}};
  }
  const Json json = {{"kernel", result.kernel},
                     {"type", result.type},
                     {"size", result.size},
                     {"config", config},
                     {"options", result.options},
                     {"time_us", time},
                     {"gbps", or_null(result.gbps)},
                     {"tflops", or_null(result.tflops)},
                     {"percent_of_ceiling", or_null(result.percent_of_ceiling)},
                     {"ceiling", or_null(result.ceiling)},
                     {"verified", or_null(result.verified)},
                     {"verification", result.verification},
                     {"max_error", known_or_null(result.verified.has_value(), result.max_error)},
                     {"mismatches", known_or_null(result.verified.has_value(), result.mismatches)},
                     {"wrong", or_null(result.wrong)},
                     {"ratio", result.ratio},
                     {"no_ratio", result.no_ratio},
                     {"notes", result.notes},
                     {"noise_of", result.noise_of},
                     {"below_gate", result.below_gate},
                     {"skipped", or_null(result.skipped)},
                     {"command", result.command}};
  return (is_first ? "\n" : ",\n") + json.dump();
}

std::string finish_json(const ReportContents& contents) {
  Json summary;
  if (contents.summary == Summary::cliffs) summary = to_json(cliffs_of(contents.results));
  if (contents.summary == Summary::ladders) {
    summary = Json::array();
    for (const Ladder& ladder : ladders_of(contents.results)) summary.push_back(to_json(ladder));
  }
  return "\n]" + (summary.is_null() ? "" : R"(,"summary":)" + summary.dump()) +
         (contents.end == End::interrupted ? R"(,"interrupted":true)" : "") + "}\n";
}

}  // namespace

Json device_json(const DeviceCaps& device) {
  return {{"name", device.name},
          {"driver", device.driver},
          {"type", to_string(device.kind)},
          {"api", device.api}};
}

const ReportFormat kJson = {"json", begin_json, line_of_json, finish_json};

}  // namespace vkmoye::bench
