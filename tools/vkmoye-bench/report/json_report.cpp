// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>
#include <ostream>

#include "report/cliffs.hpp"
#include "report/formats.hpp"
#include "report/performance_summary.hpp"
#include "timing/statistics.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::ordered_json;

template <class Value>
ordered_json json_or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

// Each list has one entry for each of `sizes`.
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
  void finish(End end = End::complete) override {
    if (ended_) return;
    out_ << "\n]";
    if (!summary_.is_null()) out_ << R"(,"summary":)" << summary_.dump();
    if (end == End::interrupted) out_ << R"(,"interrupted":true)";
    out_ << "}\n" << std::flush;
    ended_ = true;
  }

  void add_summary(const std::vector<Ladder>& ladders) override {
    summary_ = ordered_json::array();
    for (const Ladder& ladder : ladders) summary_.push_back(to_json(ladder));
  }

  void add_cliffs(const Cliffs& cliffs) override {
    summary_ = {{"counted", cliffs.counted},
                {"below_half", cliffs.below_half},
                {"below_quarter", cliffs.below_quarter},
                {"short", cliffs.short_ones},
                {"without_bound", cliffs.without_bound},
                {"skipped", cliffs.skipped},
                {"wrong", cliffs.wrong}};
    summary_["worst"] = ordered_json::array();
    for (const Cliffs::Shape& shape : cliffs.worst) {
      summary_["worst"].push_back({{"subject", shape.subject},
                                   {"share", shape.share},
                                   {"bound", shape.bound},
                                   {"median", shape.time_us},
                                   {"command", shape.command}});
    }
  }

  void add(const Result& result) override {
    ordered_json config = ordered_json::object();
    for (const auto& [key, value] : result.config) config[key] = value;
    ordered_json time = nullptr;
    if (result.timing) {
      time = {{"median", quantile(*result.timing, 0.5)},
              {"min", quantile(*result.timing, 0.0)},
              {"p95", quantile(*result.timing, 0.95)},
              {"samples", result.timing->samples_us.size()},
              {"noise_percent", noise_percent(*result.timing)},
              {"noise_missed", json_or_null(result.noise_missed)},
              {"clock", clock_name(*result.timing)},
              {"all", result.timing->samples_us}};
    }
    const auto optional = [](const auto& value) -> ordered_json {
      return value ? ordered_json(*value) : ordered_json(nullptr);
    };
    const ordered_json json = {
        {"kernel", result.kernel},
        {"type", result.type},
        {"size", result.size},
        {"config", config},
        {"options", result.options},
        {"time_us", time},
        {"gbps", optional(result.gbps)},
        {"tflops", optional(result.tflops)},
        {"percent_of_ceiling", optional(result.percent_of_ceiling)},
        {"ceiling", result.ceiling.empty() ? ordered_json(nullptr) : ordered_json(result.ceiling)},
        {"verified", optional(result.verified)},
        {"verification", result.verification},
        {"max_error", result.verified ? ordered_json(result.max_error) : ordered_json(nullptr)},
        {"mismatches", result.verified ? ordered_json(result.mismatches) : ordered_json(nullptr)},
        {"wrong", result.wrong.empty() ? ordered_json(nullptr) : ordered_json(result.wrong)},
        {"ratio", result.ratio},
        {"no_ratio", result.no_ratio},
        {"notes", result.notes},
        {"noise_of", result.noise_of},
        {"below_gate", result.below_gate},
        {"skipped", result.skipped.empty() ? ordered_json(nullptr) : ordered_json(result.skipped)},
        {"command", result.command}};
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

std::unique_ptr<Report> make_json_report(std::ostream& out, const DeviceCaps& device) {
  return std::make_unique<JsonReport>(out, device);
}

}  // namespace vkmoye::bench
