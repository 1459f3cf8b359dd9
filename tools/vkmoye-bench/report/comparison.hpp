// SPDX-License-Identifier: MIT
#pragma once
// Two reports of `run`, row by row: is what was changed faster or slower?
//
//   base   40.1 40.3 40.2 ..      new   44.0 44.2 43.9 ..      SLOW: 9.7 % longer, p < 0.001
//
// Two questions, as either alone misleads. Mann and Whitney's U test asks whether samples of one report
// tend to be longer than those of the other, of whatever distribution; with thousands of samples it finds
// differences that do not matter. So the medians have to differ by a least effect, too.
//
//              differ by the effect    by less
//   likely     FAST, SLOW              SAME          likely: p < 0.002 in the two-sided test
//   not so     UNCLEAR                 SAME
//
// So of 1000 rows in which nothing changed, about two are called faster or slower. Fewer than 8 samples in each
// report are never that unlikely: they are SAME or UNCLEAR. For a change of 5 % in 2 % of noise, 15 samples in each
// report are enough to find it 19 times out of 20.
//
// A comparison must not look good because a kernel stopped working. Failed are
//   - every row of NEW whose result is wrong,
//   - every row that BASE has times for and NEW has not: skipped, not timed, or not there at all.
// What BASE has no times for either (skipped in both, or only in NEW) is left out, and is no failure.

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

/// The probability that samples of one distribution are as far apart as these, in the normal
/// approximation with the correction for ties. Precondition: neither is empty.
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

struct ComparedRow {
  std::string kernel, type, size;
  std::string details;  // config and options, where rows differ in nothing else
  double base_us = 0, new_us = 0;
  double percent = 0;  // by which the time is longer
  double p = 1;
  Change change = Change::same;
};

struct Comparison {
  std::string base_device, new_device;
  std::vector<ComparedRow> rows;
  std::vector<std::string> failed;    // rows that NEW lost or got wrong, and why, a line each
  std::vector<std::string> left_out;  // other rows that are not compared, and why, a line each
};

/// Rows of one kernel, size, type, config, options and device. Throws ArgumentError for what is no such
/// report.
Comparison compare_reports(const std::filesystem::path& base, const std::filesystem::path& changed,
                           double least_percent);

}  // namespace vkmoye::bench
