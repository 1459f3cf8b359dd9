// SPDX-License-Identifier: MIT
// JUnit XML, for build servers: one test case for each result, which fails if the result is wrong or below the
// gate.

#include <fmt/format.h>

#include <numeric>

#include "io/parse.hpp"
#include "io/program.hpp"
#include "report/report.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

bool is_wrong(const Result& result) { return result.verified && !*result.verified; }
bool is_slow(const Result& result) { return !result.below_gate.empty(); }
bool is_skipped(const Result& result) { return !result.skipped.empty(); }

double seconds_of(const Result& result) {
  if (!result.timing) return 0;
  const std::vector<double>& samples = result.timing->samples_us;
  return std::accumulate(samples.begin(), samples.end(), 0.0) / 1e6;
}

std::string test_case(const Result& result) {
  std::string name = result.type + " " + size_text(result.size);
  if (!result.options.empty()) name += " " + result.options;
  std::string out = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">\n",
                                escaped(result.kernel), escaped(name), seconds_of(result));
  if (is_skipped(result)) {
    out += fmt::format("    <skipped message=\"{}\"/>\n", escaped(result.skipped));
  }
  if (is_wrong(result) || is_slow(result)) {
    out += fmt::format("    <failure type=\"{}\" message=\"{}\"/>\n",
                       is_wrong(result) ? "wrong result" : "below the gate",
                       escaped(is_wrong(result) ? result.wrong : join(result.below_gate, "; ")));
  }
  std::string text;
  if (result.timing) text = "median " + format_time(quantile(*result.timing, 0.5)) + "\n";
  return out + fmt::format("    <system-out>{}</system-out>\n  </testcase>\n",
                           escaped(text + result.command));
}

std::string begin_junit(const ReportContents& contents) {
  std::size_t failures = 0, skipped = 0;
  double seconds = 0;
  for (const Result& result : contents.results) {
    failures += is_wrong(result) || is_slow(result);
    skipped += is_skipped(result);
    seconds += seconds_of(result);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         fmt::format(
             "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" errors=\"{}\" "
             "time=\"{:.6f}\">\n",
             escaped(program_name() + " on " + device_text(contents.device)),
             contents.results.size(), failures, skipped, contents.end == End::interrupted ? 1 : 0,
             seconds);
}

std::string finish_junit(const ReportContents& contents) {
  std::string out;
  for (const Result& result : contents.results) out += test_case(result);
  if (contents.end == End::interrupted)
    out += fmt::format("  <system-err>{}</system-err>\n", kInterrupted);
  return out + "</testsuite>\n";
}

}  // namespace

// The counts in the first element are known only at the end.
const ReportFormat kJunit = {"junit", begin_junit, nullptr, finish_junit};

}  // namespace vkmoye::bench
