// SPDX-License-Identifier: MIT
#pragma once
// Compares two reports of `run`, result by result: is the changed program faster or slower?
//
//   base   40.1 40.3 40.2 ..      new   44.0 44.2 43.9 ..      SLOW: 9.7 % longer, p < 0.001
//
// Two criteria, since either alone misleads. The Mann-Whitney U test checks whether the samples of one report
// tend to be longer than those of the other, whatever their distribution; with thousands of samples it finds
// differences too small to matter. So the medians must also differ by a minimum effect.
//
//                     at least the effect    less
//   significant       FAST, SLOW             SAME          significant: p < 0.002 in the two-sided test
//   not significant   UNCLEAR                SAME
//
// So of 1000 results in which nothing changed, about two are reported as FAST or SLOW. With fewer than 8 samples in
// each report p is never that small, and results are SAME or UNCLEAR. With 2 % noise, 15 samples in each report
// detect a change of 5 % in 19 of 20 runs.
//
// A comparison must not look good because a kernel stopped working. It fails for
//   - every result of NEW that is wrong,
//   - every result that has times in BASE but not in NEW: skipped, not timed, or missing.
// Results without times in BASE (skipped in both, or only in NEW) are left out and are not failures.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vkmoye::bench {

enum class Change { same, faster, slower, unclear };

/// SAME, FAST, SLOW, UNCLEAR.
const char* to_string(Change change);

/// The two-sided p-value of the Mann-Whitney U test, in the normal approximation with the correction for
/// ties. Precondition: neither is empty.
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

struct ComparedResult {
  std::string kernel, type, size;
  std::string details;  // config and options, where results differ in nothing else
  double base_us = 0, new_us = 0;
  double percent = 0;  // how much longer the new time is
  double p = 1;
  Change change = Change::same;
};

struct Comparison {
  std::string base_device, new_device;
  std::vector<ComparedResult> results;
  std::vector<std::string> failed;    // results that are missing or wrong in NEW, one line each
  std::vector<std::string> left_out;  // other results not compared and why, one line each
};

/// Compares results that agree in kernel, size, type, config, options and device. Throws ArgumentError if a
/// file is not such a report.
Comparison compare_reports(const std::filesystem::path& base, const std::filesystem::path& changed,
                           double min_percent);

}  // namespace vkmoye::bench
