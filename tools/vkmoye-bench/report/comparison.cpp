// SPDX-License-Identifier: MIT
#include "report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "io/parse.hpp"
#include "report/report.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::json;

// What makes two rows comparable; the last counts equal ones.
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

struct ReportRow {
  Key key;
  std::vector<double> samples;  // none: see `why_none`
  std::string why_none;
  bool is_wrong = false;
};

struct ReadReport {
  std::string name, device;
  std::vector<ReportRow> rows;
};

ReportRow read_row(const json& row) {
  ReportRow out;
  out.key = {row.at("kernel"), row.at("type"), to_string(row.at("size").get<Extents>()),
             row.at("config").dump(), row.value("options", "")};
  if (row.at("skipped").is_string()) {
    out.why_none = "skipped: " + row["skipped"].get<std::string>();
  } else if (row.at("verified") == false) {
    out.why_none = "its result is wrong";
    out.is_wrong = true;
  } else if (!row.at("time_us").is_object()) {
    out.why_none = "it was not timed";
  } else {
    out.samples = row["time_us"].at("all").get<std::vector<double>>();
    const bool are_times = std::all_of(out.samples.begin(), out.samples.end(),
                                       [](double sample) { return sample > 0; });
    if (out.samples.empty()) out.why_none = "it has no samples";
    if (!are_times) out.why_none = "not all of its samples are above 0";
  }
  return out;
}

ReadReport read_report(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path);
  const bool is_folder = file && std::filesystem::is_directory(path);
  if (!file || is_folder) {
    throw ArgumentError(fmt::format("{}: cannot be read: {}", path.string(),
                                    std::generic_category().message(is_folder ? EISDIR : errno)));
  }
  ReadReport out;
  out.name = path.filename().string();
  try {
    const json report = json::parse(file);
    if (report.at("schema") != 1)
      throw ArgumentError(path.string() + ": is of another schema than 1");
    out.device = report.at("device").at("name");
    for (const json& row : report.at("results")) {
      ReportRow one = read_row(row);
      one.key.number = static_cast<std::size_t>(
          std::count_if(out.rows.begin(), out.rows.end(), [&](const ReportRow& before) {
            Key same = before.key;
            same.number = 0;
            return same == one.key;
          }));
      out.rows.push_back(std::move(one));
    }
  } catch (const json::exception& error) {
    std::string what = error.what();
    what.erase(0, what.find("] ") + 2);  // the parser's number for it
    throw ArgumentError(
        fmt::format("{}: is no report of 'run --format json': {}", path.string(), what));
  }
  return out;
}

double median(const std::vector<double>& samples) { return quantile({samples, {}}, 0.5); }

ComparedRow compared(const ReportRow& base, const ReportRow& changed, double least_percent) {
  ComparedRow row;
  row.kernel = base.key.kernel;
  row.type = base.key.type;
  row.size = base.key.size;
  row.details = base.key.options;
  row.base_us = median(base.samples);
  row.new_us = median(changed.samples);
  row.percent = 100 * (row.new_us / row.base_us - 1);
  row.p = mann_whitney_p(base.samples, changed.samples);
  constexpr double kLikely = 0.002;
  // Of the longer time: a factor of 1.03 is 3 % either way.
  const double effect =
      100 *
      (std::max(row.base_us, row.new_us) / std::max(std::min(row.base_us, row.new_us), 1e-9) - 1);
  row.change = effect < least_percent ? Change::same
               : row.p >= kLikely     ? Change::unclear
               : row.percent > 0      ? Change::slower
                                      : Change::faster;
  return row;
}

const ReportRow* find(const ReadReport& report, const Key& key) {
  const auto found = std::find_if(report.rows.begin(), report.rows.end(),
                                  [&](const ReportRow& row) { return row.key == key; });
  return found == report.rows.end() ? nullptr : &*found;
}

// Why a row of one report has no partner in the other.
std::string why_alone(const ReportRow& row, const ReadReport& other) {
  for (const ReportRow& near : other.rows) {
    Key same = near.key;
    same.config = row.key.config;
    if (same == row.key) {
      return fmt::format("its config is {}, in {} {}", row.key.config, other.name, near.key.config);
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
  std::vector<std::pair<double, bool>> all;  // and whether it is of `a`
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  // Equal values share the mean of their ranks, which lessens the variance.
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
  if (!(variance > 0)) return 1;  // all are equal, or there is one sample of all
  const double z = std::max(0.0, std::fabs(u - n * m / 2) - 0.5) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0));
}

Comparison compare_reports(const std::filesystem::path& base, const std::filesystem::path& changed,
                           double least_percent) {
  const ReadReport before = read_report(base), after = read_report(changed);
  Comparison out;
  out.base_device = before.device;
  out.new_device = after.device;
  if (before.device != after.device) {
    out.left_out.push_back(fmt::format("all rows: {} is of {}, {} of {}", before.name,
                                       before.device, after.name, after.device));
    return out;
  }
  const auto tell = [](std::vector<std::string>& lines, const ReportRow& row,
                       const ReadReport& report, const std::string& why) {
    lines.push_back(fmt::format("{} in {}: {}", row.key.text(), report.name, why));
  };
  for (const ReportRow& row : before.rows) {
    const ReportRow* partner = find(after, row.key);
    const bool was_timed = row.why_none.empty();
    if (!was_timed) tell(out.left_out, row, before, row.why_none);
    if (partner == nullptr) {
      if (was_timed) tell(out.failed, row, before, why_alone(row, after));
    } else if (!partner->why_none.empty()) {
      const bool is_failure = was_timed || partner->is_wrong;
      tell(is_failure ? out.failed : out.left_out, *partner, after, partner->why_none);
    } else if (was_timed) {
      out.rows.push_back(compared(row, *partner, least_percent));
    }
  }
  for (const ReportRow& row : after.rows) {
    if (find(before, row.key) != nullptr) continue;
    tell(row.is_wrong ? out.failed : out.left_out, row, after,
         row.why_none.empty() ? why_alone(row, before) : row.why_none);
  }
  return out;
}

}  // namespace vkmoye::bench
