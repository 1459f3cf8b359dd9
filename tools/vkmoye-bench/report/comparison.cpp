// SPDX-License-Identifier: MIT
#include "report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/parse.hpp"
#include "report/report.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/base/text_file.hpp"
#include "vkmoye/contract/json.hpp"

namespace vkmoye::bench {
namespace {

// Results with equal keys are compared; `number` counts results that agree in all else.
struct Key {
  std::string kernel, type, size, config, options;
  std::size_t number = 0;
  auto operator<=>(const Key&) const = default;

  std::string text() const {
    std::string out = kernel + " " + type + " " + size;
    if (!options.empty()) out += " " + options;
    if (number > 0) out += fmt::format(", number {}", number + 1);
    return out;
  }
};

struct ReportedResult {
  Key key;
  std::vector<double> samples;  // none: see `why_none`
  std::string why_none;
  bool is_wrong = false;
};

struct ReadReport {
  std::string name, device;
  std::vector<ReportedResult> results;
};

ReportedResult read_result(const Json& result) {
  ReportedResult out;
  out.key = {result.at("kernel"), result.at("type"), size_text(result.at("size").get<Extents>()),
             result.at("config").dump(), result.value("options", "")};
  if (result.at("skipped").is_string()) {
    out.why_none = "skipped: " + result["skipped"].get<std::string>();
  } else if (result.at("verified") == false) {
    out.why_none = "its result is wrong";
    out.is_wrong = true;
  } else if (!result.at("time_us").is_object()) {
    out.why_none = "it was not timed";
  } else {
    out.samples = result["time_us"].at("all").get<std::vector<double>>();
    const bool are_times = std::all_of(out.samples.begin(), out.samples.end(),
                                       [](double sample) { return sample > 0; });
    if (out.samples.empty()) out.why_none = "it has no samples";
    if (!are_times) out.why_none = "not all of its samples are positive";
  }
  return out;
}

ReadReport read_report(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  ReadReport out;
  out.name = path_text(path.filename());
  const auto refuse = [&](const std::string& why) {
    throw ArgumentError(
        fmt::format("{}: is not a report of 'run --format json': {}", path_text(path), why));
  };
  Json report;
  try {
    report = parse_json(text);
  } catch (const ArgumentError& error) {
    refuse(error.what());
  }
  try {
    if (report.at("schema") != 1) throw ArgumentError(path_text(path) + ": its schema is not 1");
    out.device = report.at("device").at("name");
    for (const Json& result : report.at("results")) {
      ReportedResult one = read_result(result);
      one.key.number = static_cast<std::size_t>(
          std::count_if(out.results.begin(), out.results.end(), [&](const ReportedResult& before) {
            Key same = before.key;
            same.number = 0;
            return same == one.key;
          }));
      out.results.push_back(std::move(one));
    }
  } catch (const Json::exception& error) {
    std::string what = error.what();
    what.erase(0, what.find("] ") + 2);  // the parser's error number
    refuse(what);
  }
  return out;
}

double median(const std::vector<double>& samples) { return quantile({samples, {}}, 0.5); }

ComparedResult compared(const ReportedResult& base, const ReportedResult& changed,
                        double min_percent) {
  ComparedResult result;
  result.kernel = base.key.kernel;
  result.type = base.key.type;
  result.size = base.key.size;
  result.details = base.key.options;
  result.base_us = median(base.samples);
  result.new_us = median(changed.samples);
  result.percent = 100 * (result.new_us / result.base_us - 1);
  result.p = mann_whitney_p(base.samples, changed.samples);
  constexpr double kLikely = 0.002;
  // Relative to the shorter time: a factor of 1.03 is 3 % either way.
  const double effect = 100 * (std::max(result.base_us, result.new_us) /
                                   std::max(std::min(result.base_us, result.new_us), 1e-9) -
                               1);
  result.change = effect < min_percent  ? Change::same
                  : result.p >= kLikely ? Change::unclear
                  : result.percent > 0  ? Change::slower
                                        : Change::faster;
  return result;
}

const ReportedResult* find(const ReadReport& report, const Key& key) {
  const auto found = std::find_if(report.results.begin(), report.results.end(),
                                  [&](const ReportedResult& result) { return result.key == key; });
  return found == report.results.end() ? nullptr : &*found;
}

// Why a result of one report has no counterpart in the other.
std::string why_unmatched(const ReportedResult& result, const ReadReport& other) {
  for (const ReportedResult& near : other.results) {
    Key same = near.key;
    same.config = result.key.config;
    if (same == result.key) {
      return fmt::format("its config is {}, in {} {}", result.key.config, other.name,
                         near.key.config);
    }
  }
  return "is not in " + other.name;
}

}  // namespace

const char* to_string(Change change) {
  switch (change) {
    case Change::same: return "SAME";
    case Change::faster: return "FAST";
    case Change::slower: return "SLOW";
    case Change::unclear: return "UNCLEAR";
  }
  return "?";
}

double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  std::vector<std::pair<double, bool>> all;  // with whether it comes from `a`
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  // Equal values share the mean of their ranks, which reduces the variance.
  double ranks_of_a = 0, ties = 0;
  for (std::size_t from = 0, to = 0; from < all.size(); from = to) {
    while (to < all.size() && all[to].first == all[from].first) ++to;
    const auto count = static_cast<double>(to - from);
    const double rank = (static_cast<double>(from) + static_cast<double>(to) + 1) / 2;
    for (std::size_t i = from; i < to; ++i) ranks_of_a += all[i].second ? rank : 0;
    ties += count * count * count - count;
  }
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  const double u = ranks_of_a - n * (n + 1) / 2;
  const double variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)));
  if (!(variance > 0)) return 1;  // all are equal, or there is only one sample
  const double z = std::max(0.0, std::fabs(u - n * m / 2) - 0.5) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0));
}

Comparison compare_reports(const std::filesystem::path& base, const std::filesystem::path& changed,
                           double min_percent) {
  const ReadReport before = read_report(base), after = read_report(changed);
  Comparison out;
  out.base_device = before.device;
  out.new_device = after.device;
  if (before.device != after.device) {
    out.left_out.push_back(fmt::format("all results: {} is from {}, {} from {}", before.name,
                                       before.device, after.name, after.device));
    return out;
  }
  const auto note = [](std::vector<std::string>& lines, const ReportedResult& result,
                       const ReadReport& report, const std::string& why) {
    lines.push_back(fmt::format("{} in {}: {}", result.key.text(), report.name, why));
  };
  for (const ReportedResult& result : before.results) {
    const ReportedResult* counterpart = find(after, result.key);
    const bool was_timed = result.why_none.empty();
    if (!was_timed) note(out.left_out, result, before, result.why_none);
    if (counterpart == nullptr) {
      if (was_timed) note(out.failed, result, before, why_unmatched(result, after));
    } else if (!counterpart->why_none.empty()) {
      const bool is_failure = was_timed || counterpart->is_wrong;
      note(is_failure ? out.failed : out.left_out, *counterpart, after, counterpart->why_none);
    } else if (was_timed) {
      out.results.push_back(compared(result, *counterpart, min_percent));
    }
  }
  for (const ReportedResult& result : after.results) {
    if (find(before, result.key) != nullptr) continue;
    note(result.is_wrong ? out.failed : out.left_out, result, after,
         result.why_none.empty() ? why_unmatched(result, before) : result.why_none);
  }
  return out;
}

}  // namespace vkmoye::bench
